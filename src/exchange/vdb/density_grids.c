// SPDX-License-Identifier: Apache-2.0
/// Particle sets as density grids for rendering.
#include "exchange/internal.h"
#include "tiles/density.h"

#if defined(SPUME_WITH_VDB)

/// The columns of a set that a density needs. `number` is an array of ours.
typedef struct density_columns {
    sp_density_points points;
    float *number;
} density_columns;

/// NULL without such a column; fails when it is not floats.
static sp_status find_floats(const sp_set *set, const char *name, int components, const float **out,
                             sp_error *err)
{
    const sp_column *c = sp_set_column(set, name);
    *out = c ? c->data : NULL;
    if (!c || (c->kind == SP_F32 && c->components == components)) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "export: column %s of set %s; expected %d floats", name,
                   set->name, components);
}

/// Numbers of balls are floats or whole.
static sp_status read_numbers(const sp_set *set, const sp_host *host, density_columns *to,
                              sp_error *err)
{
    const sp_column *c = sp_set_column(set, "count");
    if (!c || c->kind != SP_U32 || c->components != 1)
        return find_floats(set, "count", 1, &to->points.number, err);
    to->points.number = to->number = sp_allocate(host, set->count, sizeof *to->number);
    if (!to->number)
        return sp_fail(err, SP_NO_MEMORY, "export: no memory for %zu particles", set->count);
    for (size_t i = 0; i < set->count; ++i)
        to->number[i] = (float)((const uint32_t *)c->data)[i];
    return SP_OK;
}

static sp_status read_columns(const sp_set *set, bool moving, const sp_host *host,
                              density_columns *to, sp_error *err)
{
    sp_density_points *p = &to->points;
    p->count = set->count;
    if (set->count == 0) return SP_OK;
    SP_TRY(export_check_set(set, &p->position, err));
    SP_TRY(find_floats(set, "radius", 1, &p->radius, err));
    if (!p->radius)
        return sp_fail(err, SP_UNSUPPORTED, "export: set %s has no radius for a density",
                       set->name);
    if (moving) SP_TRY(find_floats(set, "velocity", 3, &p->velocity, err));
    if (moving && !p->velocity)
        return sp_fail(err, SP_UNSUPPORTED, "export: set %s has no velocity", set->name);
    return read_numbers(set, host, to, err);
}

static sp_status add_grid(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_density *density,
                          const float *values, int components, const char *name, sp_error *err)
{
    const sp_field field = {.name = name,
                            .layout = SP_FIELD_TILES,
                            .components = components,
                            .values = values,
                            .tiles = density->tiles.at ? density->tiles.at[0] : NULL,
                            .tile_count = density->tiles.count};
    return sp_vdb_add_field(vdb, lattice, &field, name, SP_VDB_FOG, err);
}

static sp_status add_grids(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                           const density_columns *columns, const sp_host *host,
                           const sp_export_options *o, sp_error *err)
{
    char share[80], speed[80];
    sp_density density = {0};
    sp_error why = {0};
    snprintf(share, sizeof share, "density_%s", set->name);
    snprintf(speed, sizeof speed, "%s_%s", export_field_name("velocity", o->names), set->name);
    sp_status status = sp_density_open(&density, host, lattice->voxel, &columns->points, &why);
    if (status != SP_OK) sp_fail(err, status, "export: set %s: %s", set->name, why.text);
    if (status == SP_OK) status = add_grid(vdb, lattice, &density, density.share, 1, share, err);
    if (status == SP_OK && o->density_velocity)
        status = add_grid(vdb, lattice, &density, density.velocity, 3, speed, err);
    sp_density_close(&density);
    return status;
}

sp_status export_density(sp_vdb *vdb, const sp_frame *frame, const sp_set *set,
                         const sp_export_options *o, sp_error *err)
{
    const sp_host plain = sp_host_default(o->threads), *host = o->host ? o->host : &plain;
    const sp_vdb_lattice lattice = {o->density_voxel > 0.0 ? o->density_voxel : frame->voxel,
                                    {frame->origin[0], frame->origin[1], frame->origin[2]}};
    density_columns columns = {0};
    if (!export_word_ok(set->name))
        return sp_fail(err, SP_DAMAGED, "export: a set's name is not a plain word");
    sp_status status = read_columns(set, o->density_velocity, host, &columns, err);
    if (status == SP_OK) status = add_grids(vdb, &lattice, set, &columns, host, o, err);
    sp_release(host, columns.number);
    return status;
}

#endif
