// SPDX-License-Identifier: Apache-2.0
/// Reading OpenVDB files. The archive is read here and not by openvdb::io::File, because that does
/// not notice missing bytes (its stream throws nothing, and zeros are read as water) and stops at a
/// grid of unknown type.
#include "exchange/vdb/vdb_read.h"

#include "exchange/vdb/vdb_check_sizes.hpp"
#include "exchange/vdb/vdb_exceptions.hpp"

#include <fstream>
#include <openvdb/io/Archive.h>
#include <openvdb/io/DelayedLoadMetadata.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>
#include <sstream>
#include <sys/stat.h>
#include <vector>

using spume::complaint;
using spume::guarded;
using spume::printable;

namespace
{

struct archive : openvdb::io::Archive {
    using Archive::readGridCompression;
    using Archive::readGridCount;

    void begin(std::istream &stream)
    {
        readHeader(stream);
        if (fileVersion() < openvdb::OPENVDB_FILE_VERSION_NODE_MASK_COMPRESSION)
            throw std::runtime_error("was written in format " + std::to_string(fileVersion()) +
                                     "; expected 222 or newer");
        facts.reset(new openvdb::io::StreamMetadata);
        facts->setSeekable(true);
        openvdb::io::setStreamMetadataPtr(stream, facts, /*transfer=*/false);
        setFormatVersion(stream);
        setLibraryVersion(stream);
        setDataCompression(stream);
        if (!inputHasGridOffsets()) throw std::runtime_error("was written without offsets");
    }
    openvdb::io::StreamMetadata::Ptr facts; // the stream keeps a pointer to this pointer
};

struct entry {
    openvdb::io::GridDescriptor head;
    openvdb::GridBase::Ptr grid; ///< metadata and transform only; empty for unknown types
    sp_vdb_grid_info info;
};

} // namespace

struct sp_vdb_file {
    std::string path;
    int threads;
    const sp_host *host;
    std::ifstream stream;
    uint64_t size; ///< of the file
    archive reader;
    std::vector<entry> grids;
    openvdb::MetaMap notes;
};

struct sp_vdb_volume {
    int threads;
    openvdb::GridBase::Ptr grid;
    float background;
    size_t tiles;
};

struct sp_vdb_cloud {
    openvdb::points::PointDataGrid::Ptr grid;
    size_t count;
};

namespace
{

/// While a file is read, every failure is reported as damage of the file.
template <typename Body>
sp_status reading(const sp_vdb_file *file, sp_error *err, Body body) noexcept
{
    return guarded(file->threads, file->path.c_str(), err, [&] {
        try {
            body();
        } catch (const complaint &) {
            throw;
        } catch (const std::bad_alloc &) {
            throw complaint{SP_NO_MEMORY, file->path + ": no memory to read it"};
        } catch (const std::ios_base::failure &) {
            throw complaint{SP_DAMAGED, file->path + ": ends early"};
        } catch (const std::exception &e) {
            throw complaint{SP_DAMAGED, file->path + ": " + printable(e.what())};
        }
    });
}

/// ---- Describing the grids ----------------------------------------------------------------------

sp_vdb_kind kind_of(const openvdb::GridBase &grid)
{
    if (grid.isType<openvdb::FloatGrid>() || grid.isType<openvdb::DoubleGrid>())
        return SP_VDB_NUMBERS;
    if (grid.isType<openvdb::Vec3SGrid>() || grid.isType<openvdb::Vec3DGrid>())
        return SP_VDB_VECTORS;
    return grid.isType<openvdb::points::PointDataGrid>() ? SP_VDB_POINTS : SP_VDB_OTHER;
}

void put_transform(const openvdb::math::Transform &transform, sp_vdb_grid_info &info)
{
    info.linear = transform.isLinear();
    if (!info.linear) return;
    const auto m = transform.baseMap()->getAffineMap()->getMat4(); // rows are axes: p' = p M
    for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 4; ++c)
            info.to_world[row][c] = m(c, row);
}

void describe_grid(entry &e)
{
    sp_vdb_grid_info &info = e.info;
    info = sp_vdb_grid_info();
    const auto name = openvdb::io::GridDescriptor::nameAsString(e.head.uniqueName());
    std::snprintf(info.name, sizeof info.name, "%s", printable(name).c_str());
    std::snprintf(info.type, sizeof info.type, "%s", printable(e.head.gridType()).c_str());
    if (!e.grid) return;
    info.kind = kind_of(*e.grid);
    const auto what = e.grid->getGridClass();
    info.what = what == openvdb::GRID_LEVEL_SET    ? SP_VDB_LEVEL_SET
                : what == openvdb::GRID_FOG_VOLUME ? SP_VDB_FOG
                                                   : SP_VDB_UNKNOWN;
    info.staggered = what == openvdb::GRID_STAGGERED;
    const auto turning = e.grid->getVectorType();
    info.local = !e.grid->isInWorldSpace() && turning != openvdb::VEC_INVARIANT;
    put_transform(e.grid->transform(), info);
    const auto low = e.grid->getMetadata<openvdb::Vec3IMetadata>("file_bbox_min"),
               high = e.grid->getMetadata<openvdb::Vec3IMetadata>("file_bbox_max");
    const auto base = e.grid->getMetadata<openvdb::Vec3IMetadata>("file_base_resolution");
    for (int a = 0; base && a < 3; ++a)
        info.base[a] = base->value()[a];
    info.bounded = low && high;
    for (int a = 0; info.bounded && a < 3; ++a) {
        info.low[a] = low->value()[a];
        info.high[a] = high->value()[a];
    }
}

int64_t read_position(std::istream &stream)
{
    int64_t position;
    stream.read(reinterpret_cast<char *>(&position), sizeof position);
    return position;
}

/// Metadata: u32 count; for each a name, its type and its value, all texts. Each value is read from a stream of its own, so
/// that a wrong size changes nothing else. What is known about delayed loading has counts of its own and is not needed.
void read_meta(spume::bounded_stream from, openvdb::MetaMap &map)
{
    map.clearMetadata();
    for (auto count = from.read<uint32_t>(); count > 0; --count) {
        const std::string name = from.text(), type = from.text(), value = from.text(UINT32_MAX);
        if (!openvdb::Metadata::isRegisteredType(type) ||
            type == openvdb::io::DelayedLoadMetadata::staticTypeName())
            continue;
        const auto size = uint32_t(value.size());
        std::istringstream bytes(std::string(reinterpret_cast<const char *>(&size), sizeof size) +
                                 value);
        bytes.exceptions(std::ios_base::failbit | std::ios_base::badbit | std::ios_base::eofbit);
        const auto meta = openvdb::Metadata::createMetadata(type);
        meta->read(bytes);
        map.insertMeta(name, *meta);
    }
}

/// GridDescriptor::read throws for an unregistered type, just before the three positions.
void read_head(std::istream &stream, entry &e)
{
    try {
        e.grid = e.head.read(stream);
    } catch (const openvdb::LookupError &) {
        e.head.setGridPos(read_position(stream));
        e.head.setBlockPos(read_position(stream));
        e.head.setEndPos(read_position(stream));
    }
}

/// Reads metadata and transform, which precede the tree.
void read_front(spume::bounded_stream from, const entry &e, openvdb::GridBase &grid)
{
    e.head.seekToGrid(from.stream);
    archive::readGridCompression(from.stream);
    read_meta(from, grid);
    spume::check_transform(from);
    grid.readTransform(from.stream);
}

void read_heads(sp_vdb_file *file)
{
    constexpr int32_t most = 10000; // grids; a number from damaged bytes is larger
    std::istream &stream = file->stream;
    const spume::bounded_stream from{stream, file->size};
    file->reader.begin(stream);
    read_meta(from, file->notes);
    const int32_t count = archive::readGridCount(stream);
    if (count < 0 || count > most) throw std::runtime_error("claims a wild number of grids");
    for (int32_t n = 0; n < count; ++n) {
        entry e;
        spume::check_entry(from);
        read_head(stream, e);
        file->grids.push_back(e);
        e.head.seekToEnd(stream);
    }
    for (auto &e : file->grids) {
        if (e.head.getEndPos() > int64_t(file->size))
            throw complaint{SP_DAMAGED, file->path + ": ends early"};
        if (e.grid) read_front(from, e, *e.grid);
        describe_grid(e);
    }
}

/// How the next tree is stored. For points the arrays of nodes hold integers, which are never
/// stored as half floats.
spume::tree_layout layout_of(const openvdb::GridBase &grid, uint32_t compression)
{
    const auto kind = kind_of(grid);
    const bool wide = grid.isType<openvdb::DoubleGrid>() || grid.isType<openvdb::Vec3DGrid>(),
               halves = kind != SP_VDB_POINTS && grid.saveFloatAsHalf();
    const size_t parts = kind == SP_VDB_VECTORS ? 3 : 1, value = parts * (wide ? 8 : 4);
    return {value, halves ? 2 * parts : value, halves, compression, kind == SP_VDB_POINTS};
}

/// Refuses what the host would not grant. OpenVDB takes its memory elsewhere, but a limit holds for all of it.
void check_memory(const sp_vdb_file *file, size_t index, uint64_t bytes)
{
    void *memory = file->host->allocate(file->host->user, size_t(bytes) + 64);
    if (!memory)
        throw complaint{SP_NO_MEMORY, file->path + ": no memory for grid " +
                                          file->grids[index].info.name + ", about " +
                                          std::to_string(bytes / 1000000) + " MB"};
    file->host->release(file->host->user, memory, size_t(bytes) + 64);
}

/// As Archive::readGrid does, but the stream is past metadata and transform.
void read_tree(sp_vdb_file *file, openvdb::GridBase &grid)
{
    openvdb::io::StreamMetadata &facts = *file->reader.facts;
    facts.auxData().clear();
    facts.setHalfFloat(grid.saveFloatAsHalf());
    facts.setLeaf(0);
    facts.gridMetadata() = static_cast<const openvdb::MetaMap &>(grid);
    openvdb::io::setGridClass(file->stream, grid.getGridClass());
    openvdb::io::setGridBackgroundValuePtr(file->stream, nullptr);
    grid.readTopology(file->stream);
    grid.readBuffers(file->stream);
}

/// Reads a grid with its tree, which takes *bytes. An instance shares the tree of another grid.
openvdb::GridBase::Ptr load(sp_vdb_file *file, size_t index, uint64_t *bytes)
{
    const entry *e = &file->grids.at(index);
    std::istream &stream = file->stream;
    if (e->head.isInstance()) {
        for (const auto &other : file->grids)
            if (!other.head.isInstance() && other.head.uniqueName() == e->head.instanceParentName())
                return load(file, size_t(&other - file->grids.data()), bytes);
        throw std::runtime_error("holds a grid whose tree is nowhere");
    }
    if (!e->grid) throw std::runtime_error("holds a grid of unknown type " + e->head.gridType());
    auto grid = openvdb::GridBase::createGrid(e->head.gridType());
    stream.clear();
    const spume::bounded_stream from{stream, file->size};
    read_front(from, *e, *grid);
    const uint32_t version = openvdb::io::getFormatVersion(stream);
    if (kind_of(*grid) == SP_VDB_POINTS && version < openvdb::OPENVDB_FILE_VERSION_MULTIPASS_IO)
        throw std::runtime_error("holds points in format " + std::to_string(version) +
                                 "; expected 224 or newer");
    const auto begin = stream.tellg();
    *bytes = spume::check_tree(from, layout_of(*grid, openvdb::io::getDataCompression(stream)));
    check_memory(file, index, *bytes);
    stream.clear();
    stream.seekg(begin);
    read_tree(file, *grid);
    return grid;
}

/// ---- Volumes -----------------------------------------------------------------------------------

/// Components of a value, a number or a vector, and one of them.
template <typename T> constexpr int parts(const T &)
{
    return std::is_arithmetic_v<T> ? 1 : 3;
}
template <typename T> float part(const T &value, [[maybe_unused]] int c)
{
    if constexpr (std::is_arithmetic_v<T>)
        return float(value);
    else
        return float(value[c]);
}

/// Calls visit with the grid cast to its own type.
template <typename Visit> void as_its_type(const openvdb::GridBase &grid, Visit visit)
{
    if (grid.isType<openvdb::FloatGrid>())
        visit(static_cast<const openvdb::FloatGrid &>(grid));
    else if (grid.isType<openvdb::DoubleGrid>())
        visit(static_cast<const openvdb::DoubleGrid &>(grid));
    else if (grid.isType<openvdb::Vec3SGrid>())
        visit(static_cast<const openvdb::Vec3SGrid &>(grid));
    else if (grid.isType<openvdb::Vec3DGrid>())
        visit(static_cast<const openvdb::Vec3DGrid &>(grid));
}

/// Visits every leaf, then every constant region that matters: leaf(leaf), region(corner, edge in
/// tiles, value, active).
template <typename Grid, typename Leaf, typename Region>
void each_part(const Grid &grid, Leaf leaf, Region region)
{
    for (auto i = grid.tree().cbeginLeaf(); i; ++i)
        leaf(*i);
    const auto background = grid.background();
    auto i = grid.cbeginValueAll();
    i.setMaxDepth(Grid::ValueAllCIter::LEAF_DEPTH - 1);
    for (; i; ++i) {
        const auto value = i.getValue();
        if (!i.isValueOn() && value == background) continue;
        openvdb::CoordBBox box;
        i.getBoundingBox(box);
        region(box.min(), int32_t(box.dim().x() / 8), value, i.isValueOn());
    }
}

template <typename Grid> void count_tiles(const Grid &grid, sp_vdb_volume *volume)
{
    volume->background = part(grid.background(), 0);
    each_part(
        grid, [&](const auto &) { ++volume->tiles; },
        [&](const openvdb::Coord &, int32_t edge, const auto &, bool) {
            volume->tiles += size_t(edge) * size_t(edge) * size_t(edge);
        });
}

template <typename Tile> void each_tile(const openvdb::Coord &corner, int32_t edge, Tile tile)
{
    for (int32_t k = 0; k < edge; ++k)
        for (int32_t j = 0; j < edge; ++j)
            for (int32_t i = 0; i < edge; ++i)
                tile((corner.x() >> 3) + i, (corner.y() >> 3) + j, (corner.z() >> 3) + k);
}

/// OpenVDB's leaves are z fastest: offset (x << 6) + (y << 3) + z.
template <typename Leaf>
void fill_leaf(const Leaf &leaf, size_t slot, float *const values[3], uint64_t (*active)[8])
{
    const int n = parts(leaf.getValue(0));
    for (openvdb::Index offset = 0; offset < 512; ++offset) {
        const unsigned x = offset >> 6, y = offset >> 3 & 7, z = offset & 7;
        const auto value = leaf.getValue(offset);
        for (int c = 0; c < n; ++c)
            values[c][512 * slot + x + 8 * y + 64 * z] = part(value, c);
        if (active && leaf.isValueOn(offset)) active[slot][z] |= uint64_t(1) << (x + 8 * y);
    }
}

template <typename Value>
void fill_tile(const Value &value, bool on, size_t slot, float *const values[3],
               uint64_t (*active)[8])
{
    for (int c = 0; c < parts(value); ++c)
        std::fill_n(values[c] + 512 * slot, 512, part(value, c));
    for (int k = 0; active && on && k < 8; ++k)
        active[slot][k] = ~uint64_t(0);
}

} // namespace

/// Refuses directories (which read as a file that ends early) and pipes (which would block).
static void check_ordinary(const char *path)
{
    struct stat what;
    if (stat(path, &what) != 0 || S_ISREG(what.st_mode)) return; // open() reports it
    throw complaint{SP_BAD_INPUT,
                    std::string(path) + (S_ISDIR(what.st_mode) ? ": is a directory; expected a file"
                                                               : ": is not an ordinary file")};
}

sp_status sp_vdb_file_open(const char *path, int threads, const sp_host *host, sp_vdb_file **out,
                           sp_error *err)
{
    *out = nullptr;
    std::unique_ptr<sp_vdb_file> file;
    sp_status status = guarded(threads, path, err, [&] {
        openvdb::initialize(); // once, however often it is called
        // Blender stores integers of points under this type, which OpenVDB does not register.
        openvdb::points::TypedAttributeArray<int32_t,
                                             openvdb::points::TruncateCodec>::registerType();
        file.reset(new sp_vdb_file);
        file->path = path;
        file->threads = threads;
        file->host = host;
        check_ordinary(path);
        errno = 0;
        file->stream.open(path, std::ios_base::in | std::ios_base::binary);
        if (!file->stream)
            throw complaint{SP_IO, std::string(path) + ": " +
                                       (errno ? std::strerror(errno) : "cannot be opened")};
        file->stream.exceptions(std::ios_base::failbit | std::ios_base::badbit |
                                std::ios_base::eofbit);
        file->stream.seekg(0, std::ios_base::end);
        file->size = uint64_t(file->stream.tellg());
        file->stream.seekg(0);
    });
    if (status == SP_OK) status = reading(file.get(), err, [&] { read_heads(file.get()); });
    if (status == SP_OK) *out = file.release();
    return status;
}

void sp_vdb_file_close(sp_vdb_file *file)
{
    delete file;
}

size_t sp_vdb_file_count(const sp_vdb_file *file)
{
    return file->grids.size();
}

const sp_vdb_grid_info *sp_vdb_file_look(const sp_vdb_file *file, size_t grid)
{
    return &file->grids[grid].info;
}

bool sp_vdb_file_number(const sp_vdb_file *file, const char *key, double *number)
{
    if (const auto wide = file->notes.getMetadata<openvdb::DoubleMetadata>(key))
        *number = wide->value();
    else if (const auto narrow = file->notes.getMetadata<openvdb::FloatMetadata>(key))
        *number = double(narrow->value());
    else
        return false;
    return true;
}

sp_status sp_vdb_volume_open(sp_vdb_file *file, size_t grid, sp_vdb_volume **out, sp_error *err)
{
    *out = nullptr;
    return reading(file, err, [&] {
        constexpr size_t most = size_t(1) << 24; // tiles; 32 GiB of floats
        auto volume = std::make_unique<sp_vdb_volume>();
        volume->threads = file->threads;
        uint64_t tree;
        volume->grid = load(file, grid, &tree);
        as_its_type(*volume->grid, [&](const auto &g) { count_tiles(g, volume.get()); });
        if (volume->tiles > most)
            throw complaint{SP_UNSUPPORTED, file->path + ": grid " + file->grids[grid].info.name +
                                                " fills " + std::to_string(volume->tiles) +
                                                " tiles of 512 voxels; at most 16777216 are read"};
        const uint64_t parts = kind_of(*volume->grid) == SP_VDB_VECTORS ? 3 : 1, around = 256;
        check_memory(file, grid, tree + volume->tiles * (512 * sizeof(float) * parts + around));
        *out = volume.release();
    });
}

void sp_vdb_volume_close(sp_vdb_volume *volume)
{
    delete volume;
}

size_t sp_vdb_volume_tiles(const sp_vdb_volume *volume)
{
    return volume->tiles;
}

float sp_vdb_volume_background(const sp_vdb_volume *volume)
{
    return volume->background;
}

void sp_vdb_volume_at(const sp_vdb_volume *volume, int32_t (*at)[3])
{
    size_t n = 0;
    const auto put = [&](int32_t i, int32_t j, int32_t k) {
        at[n][0] = i;
        at[n][1] = j;
        at[n++][2] = k;
    };
    as_its_type(*volume->grid, [&](const auto &grid) {
        each_part(
            grid, [&](const auto &leaf) { each_tile(leaf.origin(), 1, put); },
            [&](const openvdb::Coord &corner, int32_t edge, const auto &, bool) {
                each_tile(corner, edge, put);
            });
    });
}

void sp_vdb_volume_fill(const sp_vdb_volume *volume, const uint32_t *slot, float *const values[3],
                        uint64_t (*active)[8])
{
    size_t n = 0;
    as_its_type(*volume->grid, [&](const auto &grid) {
        each_part(
            grid, [&](const auto &leaf) { fill_leaf(leaf, slot[n++], values, active); },
            [&](const openvdb::Coord &corner, int32_t edge, const auto &value, bool on) {
                each_tile(corner, edge, [&](int32_t, int32_t, int32_t) {
                    fill_tile(value, on, slot[n++], values, active);
                });
            });
    });
}

/// ---- Points ------------------------------------------------------------------------------------

sp_status sp_vdb_cloud_open(sp_vdb_file *file, size_t grid, sp_vdb_cloud **out, sp_error *err)
{
    *out = nullptr;
    return reading(file, err, [&] {
        auto cloud = std::make_unique<sp_vdb_cloud>();
        uint64_t tree;
        cloud->grid =
            openvdb::GridBase::grid<openvdb::points::PointDataGrid>(load(file, grid, &tree));
        for (auto leaf = cloud->grid->tree().cbeginLeaf(); leaf; ++leaf) {
            leaf->validateOffsets();
            cloud->count += size_t(leaf->pointCount());
        }
        check_memory(file, grid, tree + cloud->count * 3 * sizeof(double));
        *out = cloud.release();
    });
}

void sp_vdb_cloud_close(sp_vdb_cloud *cloud)
{
    delete cloud;
}

size_t sp_vdb_cloud_count(const sp_vdb_cloud *cloud)
{
    return cloud->count;
}

sp_status sp_vdb_cloud_fill(const sp_vdb_cloud *cloud, double (*position)[3], sp_error *err)
{
    using handle = openvdb::points::AttributeHandle<openvdb::Vec3f>;
    return guarded(0, "points", err, [&] {
        size_t n = 0;
        for (auto leaf = cloud->grid->tree().cbeginLeaf(); leaf; ++leaf) {
            const auto place = handle::create(leaf->constAttributeArray("P"));
            for (auto i = leaf->beginIndexAll(); i && n < cloud->count; ++i, ++n) {
                const auto p = i.getCoord().asVec3d() + openvdb::Vec3d(place->get(*i));
                for (int c = 0; c < 3; ++c)
                    position[n][c] = p[c];
            }
        }
    });
}
