// SPDX-License-Identifier: Apache-2.0
/// Memory of one fluid: its columns, and its working arrays in order of places.
#include "sph/internal.h"

enum { COLUMNS = 9, AIR_COLUMNS = 12 };
static const sp_column_def columns[AIR_COLUMNS] = {
    {"x", SP_F32},    {"y", SP_F32},         {"z", SP_F32},
    {"vx", SP_F32},   {"vy", SP_F32},        {"vz", SP_F32},
    {"id", SP_U64},   {"tag", SP_U32},       {"mean_pressure", SP_F32},
    {"life", SP_F32}, {"group_age", SP_F32}, {"alone", SP_F32},
};

/// Updates the pointers to columns, which move when the set grows.
static void find_columns(sph_phase *phase)
{
    void *const *data = phase->set.data;
    for (int c = 0; c < 3; ++c) {
        phase->x[c] = data[c];
        phase->v[c] = data[3 + c];
    }
    phase->id = data[6];
    phase->tag = data[7];
    phase->mean_pressure = data[8];
    if (phase->set.column_count < AIR_COLUMNS) return;
    phase->life = data[9];
    phase->group_age = data[10];
    phase->alone = data[11];
}

sp_status sph_phase_open(sph *s, sph_phase *phase, bool air, sp_error *err)
{
    *phase = (sph_phase){.name = air ? "air" : "liquid", .spiky = air};
    phase->lists.host = phase->walls.host = s->host;
    phase->rest = air ? s->def.density_air : s->def.density_liquid;
    phase->mass = phase->rest * s->d * s->d * s->d;
    phase->delta = (float)sph_factor((double)s->def.support_ratio, air) * s->d * s->d;
    const double most = sph_factor_eigenvalue((double)s->def.support_ratio, air);
    phase->relax = most > 1.4 ? (float)(1.4 / most) : 1.0f;
    SP_TRY(sp_particles_open(&phase->set, s->host, columns, air ? AIR_COLUMNS : COLUMNS, 64, err));
    find_columns(phase);
    return sp_cells_open_sparse(&phase->cells, s->host, err);
}

static void close_arrays(sph_phase *phase)
{
    sp_arena_close(phase->lists.host, &phase->arrays);
    phase->room = 0;
}

void sph_phase_close(sph_phase *phase)
{
    if (!phase->lists.host) return;
    close_arrays(phase);
    sp_particles_close(&phase->set);
    sp_cells_close(&phase->cells);
    sp_lists_close(&phase->lists);
    sp_rows_close(&phase->walls);
    *phase = (sph_phase){0};
}

sp_status sph_phase_reserve(sph_phase *phase, size_t n, sp_error *err)
{
    SP_TRY(sp_particles_reserve(&phase->set, n, err));
    find_columns(phase);
    return SP_OK;
}

/// A working array with this many floats per place; *good becomes false when there is no memory.
static float *take(sph_phase *phase, size_t places, size_t floats, bool *good)
{
    float *array = sp_arena_take(phase->lists.host, &phase->arrays, places, floats * sizeof *array);
    *good &= array != NULL;
    return array;
}

sp_status sph_phase_reserve_places(const sph *s, sph_phase *phase, sp_error *err)
{
    const size_t n = phase->set.count;
    if (n <= phase->room && phase->arrays) return SP_OK;
    close_arrays(phase); // they hold nothing between steps
    const size_t room = n + n / 16 + 64, padded = room + SP_LANES;
    bool good = true;
    phase->at = take(phase, padded, 4, &good);
    phase->vel = take(phase, padded, 4, &good);
    phase->ahead = take(phase, padded, 4, &good);
    for (int c = 0; c < 3; ++c) {
        phase->a[c] = take(phase, padded, 1, &good);
        phase->ap[c] = take(phase, padded, 1, &good);
    }
    phase->pp = take(phase, padded, 1, &good);
    phase->rho = take(phase, padded, 1, &good);
    if (s->def.density_correction != SP_SPH_CORRECT_NONE)
        phase->denominator = take(phase, padded, 1, &good);
    if (s->def.pressure_factor == SP_SPH_PARTICLE) phase->factor = take(phase, padded, 1, &good);
    if (good) {
        phase->room = room;
        return SP_OK;
    }
    close_arrays(phase);
    return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu particles of %s", n, phase->name);
}

size_t sph_phase_bytes(const sph_phase *phase)
{
    size_t bytes = 0;
    for (int c = 0; c < phase->set.column_count; ++c)
        bytes += phase->set.capacity * sp_kind_size(phase->set.def[c].kind);
    bytes += (phase->room + SP_LANES) * sizeof(float) *
             (20u + (phase->denominator != NULL) + (phase->factor != NULL));
    return bytes + sp_cells_bytes(&phase->cells) + sp_lists_bytes(&phase->lists) +
           sp_rows_bytes(&phase->walls);
}

size_t sph_phase_add(sph *s, sph_phase *phase, const float x[3], const float v[3], uint32_t tag)
{
    const size_t i = sp_particles_append(&phase->set, 1);
    for (int c = 0; c < 3; ++c) {
        phase->x[c][i] = x[c];
        phase->v[c][i] = v[c];
    }
    phase->id[i] = s->next_id++;
    phase->tag[i] = tag;
    phase->mean_pressure[i] = 0.0f;
    if (phase->life) phase->life[i] = NAN;
    return i;
}
