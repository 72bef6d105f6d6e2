// SPDX-License-Identifier: Apache-2.0
/// Writing OpenVDB files. Input was checked by the caller.
#include "exchange/vdb/vdb_write.h"

#include "exchange/vdb/vdb_exceptions.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/Prune.h>

struct sp_vdb {
    int threads;
    openvdb::GridPtrVec grids;
    openvdb::MetaMap notes;
};

namespace
{

using spume::guarded;

openvdb::math::Transform::Ptr transform_of(const sp_vdb_lattice &lattice)
{
    auto transform = openvdb::math::Transform::createLinearTransform(lattice.voxel);
    const double half = 0.5 * lattice.voxel;
    transform->postTranslate(openvdb::Vec3d(lattice.origin[0] + half, lattice.origin[1] + half,
                                            lattice.origin[2] + half));
    return transform;
}

void keep(sp_vdb *vdb, const openvdb::GridBase::Ptr &grid, const sp_vdb_lattice &lattice,
          const char *name, openvdb::GridClass what)
{
    grid->setName(name);
    grid->setTransform(transform_of(lattice));
    grid->setGridClass(what);
    grid->setCreator("Spume");
    grid->setSaveFloatAsHalf(false);
    vdb->grids.push_back(grid);
}

/// ---- Fields ------------------------------------------------------------------------------------

template <typename Value> Value value_at(const float *values, size_t at);
template <> float value_at(const float *values, size_t at)
{
    return values[at];
}
template <> openvdb::Vec3f value_at(const float *values, size_t at)
{
    return openvdb::Vec3f(values[3 * at], values[3 * at + 1], values[3 * at + 2]);
}

bool is_active(float value, float background, sp_vdb_class what)
{
    return what == SP_VDB_UNKNOWN ||
           (what == SP_VDB_FOG ? value != 0.0f : std::fabs(value) < background);
}
bool is_active(const openvdb::Vec3f &value, const openvdb::Vec3f &, sp_vdb_class what)
{
    return what != SP_VDB_FOG || value != openvdb::Vec3f(0.0f);
}

/// One leaf for each tile. Our tiles are x fastest, OpenVDB's leaves z fastest.
template <typename Grid>
typename Grid::Ptr grid_of_tiles(const sp_field &field, typename Grid::ValueType background,
                                 sp_vdb_class what)
{
    using Leaf = typename Grid::TreeType::LeafNodeType;
    auto grid = Grid::create(background);
    for (size_t t = 0; t < field.tile_count; ++t) {
        const int32_t *at = field.tiles + 3 * t;
        const openvdb::Coord corner(8 * at[0], 8 * at[1], 8 * at[2]);
        auto leaf = std::make_unique<Leaf>(corner, background, false);
        for (int place = 0; place < 512; ++place) {
            const auto value =
                value_at<typename Grid::ValueType>(field.values, 512 * t + size_t(place));
            const auto offset =
                Leaf::coordToOffset(openvdb::Coord(place & 7, (place >> 3) & 7, place >> 6));
            if (is_active(value, background, what))
                leaf->setValueOn(offset, value);
            else
                leaf->setValueOff(offset, value);
        }
        grid->tree().addLeaf(leaf.release()); // replaces a leaf at the same place
    }
    return grid;
}

float largest_distance(const sp_field &field)
{
    float largest = 0.0f;
    for (size_t i = 0; i < 512 * field.tile_count; ++i)
        largest = std::max(largest, std::fabs(field.values[i]));
    return largest;
}

void add_numbers(sp_vdb *vdb, const sp_vdb_lattice &lattice, const sp_field &field,
                 const char *name, sp_vdb_class what)
{
    float background = what == SP_VDB_LEVEL_SET ? largest_distance(field) : 0.0f;
    if (what == SP_VDB_LEVEL_SET && background == 0.0f) background = float(3.0 * lattice.voxel);
    auto grid = grid_of_tiles<openvdb::FloatGrid>(field, background, what);
    if (what == SP_VDB_LEVEL_SET) openvdb::tools::pruneLevelSet(grid->tree());
    if (what == SP_VDB_FOG) openvdb::tools::pruneInactive(grid->tree());
    keep(vdb, grid, lattice, name,
         what == SP_VDB_LEVEL_SET ? openvdb::GRID_LEVEL_SET
         : what == SP_VDB_FOG     ? openvdb::GRID_FOG_VOLUME
                                  : openvdb::GRID_UNKNOWN);
}

void add_vectors(sp_vdb *vdb, const sp_vdb_lattice &lattice, const sp_field &field,
                 const char *name)
{
    auto grid = grid_of_tiles<openvdb::Vec3SGrid>(field, openvdb::Vec3f(0.0f), SP_VDB_UNKNOWN);
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    // OpenVDB puts component c of a staggered grid half an index below the voxel's centre, which is
    // the low face. For collocated vectors it uses the class "unknown".
    keep(vdb, grid, lattice, name,
         field.staggered ? openvdb::GRID_STAGGERED : openvdb::GRID_UNKNOWN);
}

/// ---- Points ------------------------------------------------------------------------------------

/// World positions, as OpenVDB's converters ask for them.
struct positions {
    using PosType = openvdb::Vec3d;
    using value_type = openvdb::Vec3d;
    const float *data;
    size_t count;
    openvdb::Vec3d origin;

    size_t size() const
    {
        return count;
    }
    void getPos(size_t n, openvdb::Vec3d &p) const
    {
        p = origin + openvdb::Vec3d(data[3 * n], data[3 * n + 1], data[3 * n + 2]);
    }
};

positions positions_of(const sp_vdb_lattice &lattice, const sp_set &set)
{
    const sp_column *column = sp_set_column(&set, "position");
    return {static_cast<const float *>(column->data), set.count,
            openvdb::Vec3d(lattice.origin[0], lattice.origin[1], lattice.origin[2])};
}

template <typename To> struct convert {
    template <typename From> static To at(const From *data, size_t n)
    {
        return To(data[n]);
    }
};
template <typename To> struct convert<openvdb::math::Vec3<To>> {
    template <typename From> static openvdb::math::Vec3<To> at(const From *data, size_t n)
    {
        return {To(data[3 * n]), To(data[3 * n + 1]), To(data[3 * n + 2])};
    }
};

template <typename To, typename From> struct attribute {
    using value_type = To;
    const From *data;
    void get(To &value, size_t n, openvdb::Index = 0) const
    {
        value = convert<To>::at(data, n);
    }
};

struct point_builder {
    openvdb::points::PointDataGrid::Ptr grid;
    openvdb::tools::PointIndexGrid::Ptr index;

    template <typename To, typename From> void add(const sp_column &column, const char *name)
    {
        openvdb::points::appendAttribute(grid->tree(), name,
                                         openvdb::points::TypedAttributeArray<To>::attributeType());
        const attribute<To, From> data{static_cast<const From *>(column.data)};
        openvdb::points::populateAttribute(grid->tree(), index->tree(), name, data);
    }
    void add_column(const sp_column &column, const char *name);
};

/// Ids become signed 64-bit numbers, the widest integers of OpenVDB.
void point_builder::add_column(const sp_column &column, const char *name)
{
    const bool one = column.components == 1;
    switch (column.kind) {
    case SP_F32:
        one ? add<float, float>(column, name) : add<openvdb::Vec3f, float>(column, name);
        return;
    case SP_F64:
        one ? add<double, double>(column, name) : add<openvdb::Vec3d, double>(column, name);
        return;
    case SP_I32:
        one ? add<int32_t, int32_t>(column, name) : add<openvdb::Vec3i, int32_t>(column, name);
        return;
    case SP_U32:
        if (one) return add<int64_t, uint32_t>(column, name);
        break;
    case SP_U64:
        if (one) return add<int64_t, uint64_t>(column, name);
        break;
    }
    throw std::runtime_error(std::string("no attribute holds a column like ") + column.name);
}

void add_points(sp_vdb *vdb, const sp_vdb_lattice &lattice, const sp_set &set,
                const char *const *names, const char *name)
{
    using openvdb::points::PointDataGrid;
    point_builder made{PointDataGrid::create(), nullptr};
    if (set.count > 0) {
        const auto transform = transform_of(lattice);
        const auto where = positions_of(lattice, set);
        made.index =
            openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(where, *transform);
        made.grid = openvdb::points::createPointDataGrid<openvdb::points::NullCodec, PointDataGrid>(
            *made.index, where, *transform);
        for (size_t c = 0; c < set.column_count; ++c)
            if (std::strcmp(set.columns[c].name, "position") != 0)
                made.add_column(set.columns[c], names[c]);
    }
    keep(vdb, made.grid, lattice, name, openvdb::GRID_UNKNOWN);
}

/// ---- Meshes and files --------------------------------------------------------------------------

/// Corners in index coordinates, with 0 at the centre of the first voxel. These are the types that
/// OpenVDB has compiled its converter for: others would take half a minute to compile here.
openvdb::FloatGrid::Ptr level_set_of(const sp_mesh &mesh, const sp_vdb_lattice &lattice, float band)
{
    std::vector<openvdb::Vec3s> corners(mesh.vertex_count);
    std::vector<openvdb::Vec3I> triangles(mesh.triangle_count);
    for (size_t v = 0; v < mesh.vertex_count; ++v)
        for (int k = 0; k < 3; ++k) {
            const double from_origin = mesh.origin[k] - lattice.origin[k] + double(mesh.x[v][k]);
            corners[v][k] = float(from_origin / lattice.voxel - 0.5);
        }
    for (size_t t = 0; t < mesh.triangle_count; ++t)
        triangles[t] = openvdb::Vec3I(mesh.tri[t][0], mesh.tri[t][1], mesh.tri[t][2]);
    openvdb::util::NullInterrupter never;
    const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> from(
        corners, triangles);
    return openvdb::tools::meshToVolume<openvdb::FloatGrid>(never, from, *transform_of(lattice),
                                                            band, band, 0, nullptr);
}

/// Archive::write with our own stream: io::File does not check that its bytes reached the disk.
struct archive : openvdb::io::Archive {
    void write_all(std::ostream &stream, const openvdb::GridPtrVec &grids,
                   const openvdb::MetaMap &notes) const
    {
        write(stream, grids, true, notes);
    }
};

} // namespace

sp_status sp_vdb_open(int threads, sp_vdb **out, sp_error *err)
{
    *out = nullptr;
    return guarded(0, "cannot start", err, [&] {
        openvdb::initialize(); // has an effect only once
        *out = new sp_vdb{threads, {}, {}};
    });
}

void sp_vdb_close(sp_vdb *vdb)
{
    delete vdb;
}

sp_status sp_vdb_note_text(sp_vdb *vdb, const char *key, const char *text, sp_error *err)
{
    return guarded(vdb->threads, key, err,
                   [&] { vdb->notes.insertMeta(key, openvdb::StringMetadata(text)); });
}

sp_status sp_vdb_note_number(sp_vdb *vdb, const char *key, double number, sp_error *err)
{
    return guarded(vdb->threads, key, err,
                   [&] { vdb->notes.insertMeta(key, openvdb::DoubleMetadata(number)); });
}

sp_status sp_vdb_add_field(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_field *field,
                           const char *name, sp_vdb_class what, sp_error *err)
{
    return guarded(vdb->threads, name, err, [&] {
        if (field->components == 1)
            add_numbers(vdb, *lattice, *field, name, what);
        else if (field->components == 3)
            add_vectors(vdb, *lattice, *field, name);
        else
            throw std::runtime_error("a grid holds 1 or 3 numbers a voxel");
    });
}

sp_status sp_vdb_add_points(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                            const char *const *names, const char *name, sp_error *err)
{
    return guarded(vdb->threads, name, err, [&] { add_points(vdb, *lattice, *set, names, name); });
}

sp_status sp_vdb_add_mesh(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_mesh *mesh,
                          float band, const char *name, sp_error *err)
{
    return guarded(vdb->threads, name, err, [&] {
        const auto grid = mesh->triangle_count > 0
                              ? level_set_of(*mesh, *lattice, band)
                              : openvdb::FloatGrid::create(float(band * lattice->voxel));
        keep(vdb, grid, *lattice, name, openvdb::GRID_LEVEL_SET);
    });
}

sp_status sp_vdb_write(const sp_vdb *vdb, const char *path, sp_error *err)
{
    return guarded(vdb->threads, path, err, [&] {
        std::ofstream stream;
        stream.exceptions(std::ios_base::failbit | std::ios_base::badbit);
        errno = 0;
        stream.open(path, std::ios_base::out | std::ios_base::binary | std::ios_base::trunc);
        archive().write_all(stream, vdb->grids, vdb->notes);
        stream.close();
    });
}
