// SPDX-License-Identifier: Apache-2.0
/// OpenVDB: chooses grids and names; vdb_write.cpp makes the grids.
#include "exchange/internal.h"

#include <spume/version.h>

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 64 };

#if defined(SPUME_WITH_VDB)

const char *sp_export_vdb_missing(void)
{
    return NULL;
}

/// Names of OpenVDB's own point files, which Houdini shares.
static const char *attribute_name(const char *column)
{
    return export_name(column, SP_NAMES_HOUDINI);
}

static sp_status add_set(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                         sp_error *err)
{
    const float *position;
    const char *names[MAX_COLUMNS];
    SP_TRY(export_check_set(set, &position, err));
    if (set->column_count > MAX_COLUMNS)
        return sp_fail(err, SP_UNSUPPORTED, "export: set %s has more than %d columns", set->name,
                       MAX_COLUMNS);
    for (size_t c = 0; c < set->column_count; ++c)
        names[c] = attribute_name(set->columns[c].name);
    return sp_vdb_add_points(vdb, lattice, set, names, set->name, err);
}

/// Tile coordinates of a foreign file may be anything; index coordinates have 32 bits.
static sp_status check_tiles(const sp_field *field, sp_error *err)
{
    const int32_t reach = INT32_MAX / 8 - 1;
    if (!export_word_ok(field->name))
        return sp_fail(err, SP_DAMAGED, "export: a field's name is not a plain word");
    for (size_t i = 0; i < 3 * field->tile_count; ++i)
        if (field->tiles[i] < -reach || field->tiles[i] > reach)
            return sp_fail(err, SP_DAMAGED,
                           "export: field %s has a tile at %d, which is out of bounds", field->name,
                           (int)field->tiles[i]);
    return SP_OK;
}

static sp_status add_all(sp_vdb *vdb, const sp_frame *frame, const sp_export_options *o,
                         sp_error *err)
{
    const sp_vdb_lattice lattice = {frame->voxel,
                                    {frame->origin[0], frame->origin[1], frame->origin[2]}};
    if (!(lattice.voxel > 0.0 && isfinite(lattice.voxel)))
        return sp_fail(err, SP_DAMAGED, "export: frame %llu has voxels of %g m",
                       (unsigned long long)frame->frame, lattice.voxel);
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        if (field->layout != SP_FIELD_TILES) continue;
        SP_TRY(check_tiles(field, err));
        SP_TRY(sp_vdb_add_field(vdb, &lattice, field, export_field_name(field->name, o->names),
                                export_field_class(field->name), err));
    }
    for (size_t i = 0; i < frame->set_count; ++i)
        SP_TRY(add_set(vdb, &lattice, &frame->sets[i], err));
    return SP_OK;
}

static sp_status add_metadata(sp_vdb *vdb, uint64_t frame, double time, sp_error *err)
{
    SP_TRY(sp_vdb_note_text(vdb, "creator", "Spume " SPUME_VERSION, err));
    SP_TRY(sp_vdb_note_number(vdb, "frame", (double)frame, err));
    return sp_vdb_note_number(vdb, "time", time, err);
}

/// Writes the grids under the temporary name, then renames the file.
static sp_status write_file(const sp_vdb *vdb, const char *dir, const char *name, uint64_t frame,
                            sp_error *err)
{
    sp_file f;
    SP_TRY(export_name_file(&f, dir, name, frame, "vdb", err));
    sp_error why = {0};
    const sp_status status = sp_vdb_write(vdb, f.temporary, &why);
    if (status == SP_OK) return sp_file_close(&f, true, err);
    sp_file_abandon(&f);
    const size_t named = strlen(f.temporary); // users know the file by its own name
    const bool begins = strncmp(why.text, f.temporary, named) == 0;
    return sp_fail(err, status, "%s%s", begins ? f.path : "", why.text + (begins ? named : 0));
}

sp_status sp_export_vdb(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err)
{
    sp_export_options o;
    SP_TRY(export_options(options, &o, err));
    sp_vdb *vdb;
    SP_TRY(sp_vdb_open(o.threads, &vdb, err));
    sp_status status = add_metadata(vdb, frame->frame, frame->time, err);
    if (status == SP_OK) status = sp_vdb_note_number(vdb, "fps", frame->fps, err);
    if (status == SP_OK) status = add_all(vdb, frame, &o, err);
    for (size_t i = 0; i < o.density_count && status == SP_OK; ++i)
        status = export_density(vdb, frame, &o.density[i], &o, err);
    if (status == SP_OK) status = write_file(vdb, dir, "spume", frame->frame, err);
    sp_vdb_close(vdb);
    return status;
}

sp_status sp_export_mesh_vdb(const char *dir, const char *name, const sp_export_moment *when,
                             const sp_mesh *mesh, double voxel, const sp_export_options *options,
                             sp_error *err)
{
    const float band = 3.0f; // voxels; level set tools expect this
    const sp_vdb_lattice lattice = {voxel, {mesh->origin[0], mesh->origin[1], mesh->origin[2]}};
    sp_export_options o;
    sp_vdb *vdb;
    SP_TRY(export_options(options, &o, err));
    SP_TRY(export_check_mesh(name, mesh, err));
    if (!(voxel >= 1e-6 && voxel <= 1e6))
        return sp_fail(err, SP_BAD_INPUT, "export: voxel %g m; expected 1e-06 to 1e+06", voxel);
    SP_TRY(sp_vdb_open(o.threads, &vdb, err));
    sp_status status = add_metadata(vdb, when->frame, when->time, err);
    if (status == SP_OK) status = sp_vdb_add_mesh(vdb, &lattice, mesh, band, "surface", err);
    if (status == SP_OK) status = write_file(vdb, dir, name, when->frame, err);
    sp_vdb_close(vdb);
    return status;
}

#else

const char *sp_export_vdb_missing(void)
{
    return "this build has no OpenVDB: install libopenvdb-dev and configure with "
           "-DSPUME_WITH_VDB=ON";
}

sp_status sp_export_vdb(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err)
{
    (void)dir, (void)frame, (void)options;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

sp_status sp_export_mesh_vdb(const char *dir, const char *name, const sp_export_moment *when,
                             const sp_mesh *mesh, double voxel, const sp_export_options *options,
                             sp_error *err)
{
    (void)dir, (void)name, (void)when, (void)mesh, (void)voxel, (void)options;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

#endif
