// SPDX-License-Identifier: Apache-2.0
/// Shared by the checks: scenes, empty basins, random numbers, one busy pond.
#include "validate/pond/proofs.h"

#include <string.h>

sp_pond_def pond_proof_scene_def(const sp_scene *scene)
{
    sp_pond_def def = *(const sp_pond_def *)scene->def;
    def.struct_size = sizeof def;
    def.seed = scene->common.seed;
    return def;
}

sp_status pond_proof_open_scene(const char *name, const char *text, const char *const *set,
                                size_t sets, const sp_host *host, sp_scene **scene, sp_pond **pond,
                                sp_error *err)
{
    sp_scene_options options = sp_scene_options_defaults();
    options.set = set;
    options.set_count = sets;
    *pond = NULL;
    SP_TRY(text ? sp_scene_open_text(name, text, strlen(text), &options, host, scene, err)
                : sp_scene_open(name, &options, host, scene, err));
    const sp_pond_def def = pond_proof_scene_def(*scene);
    const sp_status status = sp_pond_open(&def, host, pond, err);
    if (status != SP_OK) sp_scene_close(*scene);
    return status;
}

sp_pond_def pond_proof_basin(int32_t nx, int32_t ny, float dx, float level)
{
    sp_pond_def def = sp_pond_defaults();
    def.nx = nx;
    def.ny = ny;
    def.dx = dx;
    def.rest_level = level;
    def.bed_friction = 0.0f;
    def.surface_damping = 0.0f;
    def.dt_frame = 1.0f / 240.0f; // deep basins and small cells need no more than sw_max_substeps
    def.sw_max_substeps = 128;
    def.render_scale = 1;
    def.max_bubbles = def.max_foam = 1024;
    def.max_ghosts = 64;
    return def;
}

double pond_proof_unit(uint64_t number, uint64_t n, uint32_t k)
{
    enum { PURPOSE = 1000 }; // no draw of the solver uses it
    return (double)sp_unit(sp_random(number, PURPOSE, n, 0, k / 4).x[k % 4]);
}

void pond_proof_island(float *heights, size_t width, float bumps, float peak)
{
    const float middle = 0.5f * (float)(width - 1);
    for (size_t j = 0; j < width; ++j)
        for (size_t i = 0; i < width; ++i) {
            const float x = ((float)i - middle) / middle, y = ((float)j - middle) / middle;
            const float island = peak * (1.0f - 4.0f * (x * x + y * y));
            const float bump = bumps * (float)pond_proof_unit(1, j * width + i, 0);
            heights[j * width + i] = island > 0.0f ? island + bump : bump;
        }
}

void pond_proof_move_bubbles(sp_pond *pond, float dt)
{
    const pond_bubbles *b = &pond->bubbles;
    pond_gather_sources(pond);
    pond_vortex_sums(pond, b->set.count, b->px, b->py, b->pz, true, pond->wx, pond->wy, pond->wz);
    pond_move_bubbles(pond, dt);
}

size_t pond_proof_add_foam(sp_pond *pond, float x, float y, float z, float r)
{
    pond_foam *f = &pond->foam;
    if (f->set.count >= (size_t)pond->def.max_foam) return SIZE_MAX;
    const size_t k = sp_particles_append(&f->set, 1);
    f->px[k] = x;
    f->py[k] = y;
    f->pz[k] = z;
    f->r[k] = r;
    f->vol[k] = pond_volume(r);
    f->life[k] = f->left[k] = 1e6f;
    f->id[k] = pond->next_id++;
    pond->gas_in += f->vol[k];
    return k;
}

int64_t pond_proof_water(const sp_pond *pond)
{
    const sp_pond_stats stats = sp_pond_statistics(pond);
    return stats.water_quanta - stats.water_in_quanta;
}

double pond_proof_terminal_speed(const sp_pond_def *def, double r)
{
    const double g = (double)def->gravity, rho = (double)def->water_density;
    const double inertial2 = (double)def->surface_tension / (rho * r) + g * r;
    const double viscous = g * r * r / (3.0 * (double)def->viscosity);
    return 1.0 / sqrt(1.0 / inertial2 + 1.0 / (viscous * viscous));
}

sp_pond_def pond_proof_busy(int32_t nx, int32_t ny)
{
    static const sp_pond_nozzle_field fields[] = {{.columns = 7,
                                                   .rows = 12,
                                                   .rate = 8.0f,
                                                   .radius = 0.004f,
                                                   .spread = 0.25f,
                                                   .jitter = 0.015f,
                                                   .speed = 0.1f}};
    static const sp_pond_circle round = {.radius = 0.12f, .period = 4.0f};
    static const sp_pond_path path = {.circle = &round};
    static const sp_pond_heater heaters[] = {{.x = 0.25f,
                                              .y = 0.25f,
                                              .radius = 0.08f,
                                              .rate = 100.0f,
                                              .on = true,
                                              .bubble_radius = 0.003f,
                                              .spread = 0.25f,
                                              .path = &path}};
    static const sp_pond_obstacle obstacles[] = {{.shape = SP_POND_CYLINDER,
                                                  .x = 0.25f,
                                                  .y = 0.45f,
                                                  .size = 0.04f,
                                                  .length = 0.08f,
                                                  .path = &path}};
    sp_pond_def def = sp_pond_defaults();
    def.nx = nx;
    def.ny = ny;
    def.rest_level = 0.25f;
    def.foam_life = 1.5f;
    def.nozzle_fields = fields;
    def.nozzle_field_count = 1;
    def.heaters = heaters;
    def.heater_count = 1;
    def.obstacles = obstacles;
    def.obstacle_count = 1;
    return def;
}
