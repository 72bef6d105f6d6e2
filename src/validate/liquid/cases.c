// SPDX-License-Identifier: Apache-2.0
/// Small scenes for proofs, without a scene file.
#include "validate/liquid/proofs.h"

void liquid_case_domain(liquid_case *c, int method, float x, float y, float z, float voxel)
{
    *c = (liquid_case){.seed = 1, .domain = {.max = {x, y, z}}};
    sp_keys_defaults(&sp_liquid_keys, &c->def);
    c->def.voxel = voxel;
    c->def.method = method;
    c->def.aeration = false;
    proof_scene_clear(&c->scene);
    c->scene.world.domain = &c->domain;
}

sp_setup liquid_case_setup(const liquid_case *c)
{
    return (sp_setup){.def = &c->def, .world = &c->scene.world, .seed = c->seed};
}

sp_status liquid_case_open(liquid_case *c, const sp_host *host, liquid **out, sp_error *err)
{
    *out = NULL;
    const sp_setup setup = liquid_case_setup(c);
    SP_TRY(liquid_check(&setup, err));
    return liquid_open(&setup, host, out, err);
}

sp_status liquid_case_run(liquid *s, double until, sp_error *err)
{
    return liquid_case_watch(s, until, NULL, NULL, err);
}

sp_status liquid_case_watch(liquid *s, double until, sp_liquid_seen *look, void *arg, sp_error *err)
{
    const double frame = 1.0 / 24.0;
    while (s->time < until * (1.0 - 1e-12)) {
        const double next = s->time + frame, end = next < until - 1e-9 ? next : until;
        SP_TRY(look ? sp_liquid_frame(s, end, look, arg, err) : sp_liquid_solver.step(s, end, err));
    }
    return SP_OK;
}

liquid_speeds liquid_case_speeds(const liquid *s)
{
    liquid_speeds v = {0};
    double sum = 0.0, count = 0.0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int a = 0; a < 3 && s->solids.row[t] != SP_FLOW_TILE_SOLID; ++a) {
            const uint32_t row = s->solids.row[t];
            const float *open = row < SP_FLOW_TILE_SOLID ? s->solids.tile[row].open[a] : NULL;
            for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
                if (!(s->grid.phi[t * SP_TILE_VOXELS + n] < 0.0f) || (open && open[n] == 0.0f))
                    continue;
                const double u = (double)s->grid.u[a][t * SP_TILE_VOXELS + n];
                v.most = fmax(v.most, fabs(u));
                sum += u * u;
                count += 1.0 / 3.0;
            }
        }
    v.rms = count > 0.0 ? sqrt(sum / count) : 0.0;
    return v;
}

void liquid_velocity_of(const liquid *s, size_t at, double u[3])
{
    const size_t t = at / SP_TILE_VOXELS;
    const int n = (int)(at % SP_TILE_VOXELS);
    static const int step[3] = {1, 8, 64},
                     above[3] = {SP_TILES_SELF + 1, SP_TILES_SELF + 3, SP_TILES_SELF + 9};
    for (int a = 0; a < 3; ++a) {
        const bool inside = n / step[a] % 8 < 7;
        const uint32_t there = inside ? (uint32_t)t : s->grid.tiles.around[t][above[a]];
        const int place = inside ? n + step[a] : n - 7 * step[a];
        const double low = (double)s->grid.u[a][at];
        const double high =
            there == SP_NO_TILE
                ? 0.0
                : (double)s->grid.u[a][(size_t)there * SP_TILE_VOXELS + (size_t)place];
        u[a] = 0.5 * (low + high);
    }
}

bool liquid_next_voxel(const liquid *s, liquid_voxel *v)
{
    while (v->next < s->grid.tiles.count * SP_TILE_VOXELS) {
        v->at = v->next++;
        bool inside = true;
        liquid_voxel_center(&s->grid, (uint32_t)(v->at / SP_TILE_VOXELS),
                            (int)(v->at % SP_TILE_VOXELS), v->p);
        for (int a = 0; a < 3; ++a)
            inside &= v->p[a] > s->grid.domain[0][a] && v->p[a] < s->grid.domain[1][a];
        if (inside) return true;
    }
    return false;
}

void liquid_mean(const liquid *s, double place[3], double velocity[3])
{
    double sum = 0.0, at[3] = {0}, mean[3] = {0};
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);) {
        const double share = liquid_share(s, v.at);
        double u[3];
        if (share == 0.0) continue;
        liquid_velocity_of(s, v.at, u);
        sum += share;
        for (int a = 0; a < 3; ++a) {
            at[a] += share * v.p[a];
            mean[a] += share * u[a];
        }
    }
    for (int a = 0; a < 3; ++a) {
        place[a] = sum > 0.0 ? at[a] / sum : 0.0;
        velocity[a] = sum > 0.0 ? mean[a] / sum : 0.0;
    }
}
