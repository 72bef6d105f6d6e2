// SPDX-License-Identifier: Apache-2.0
/// Prints what OpenVDB itself finds in a .vdb file, as JSON for export_vdb.py: every active voxel
/// with the world position of its centre, every point with its attributes. For small files.
#include <cstdio>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#include <string>

static void put(const openvdb::Vec3d &v)
{
    std::printf("[%.17g,%.17g,%.17g]", v.x(), v.y(), v.z());
}
static void put(float v)
{
    std::printf("%.9g", double(v));
}
static void put(const openvdb::Vec3f &v)
{
    put(openvdb::Vec3d(v));
}

template <typename Grid> static void put_voxels(const Grid &grid)
{
    std::printf(",\"background\":");
    put(grid.background());
    std::printf(",\"outside\":"); // a voxel that no tile holds
    put(grid.tree().getValue(openvdb::Coord(1000, 1000, 1000)));
    std::printf(",\"voxels\":[");
    const char *comma = "";
    for (auto v = grid.cbeginValueOn(); v; ++v) {
        std::printf("%s[", comma);
        put(grid.transform().indexToWorld(v.getCoord()));
        std::printf(",");
        put(v.getValue());
        std::printf("]");
        comma = ",";
    }
    std::printf("]");
}

template <typename T>
static T value_of(const openvdb::points::PointDataTree::LeafNodeType &leaf, const char *name,
                  openvdb::Index at)
{
    return openvdb::points::AttributeHandle<T>(leaf.constAttributeArray(name)).get(at);
}

static void put_points(const openvdb::points::PointDataGrid &grid)
{
    std::printf(",\"points\":[");
    const char *comma = "";
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf)
        for (auto i = leaf->beginIndexOn(); i; ++i) {
            const auto inside = value_of<openvdb::Vec3f>(*leaf, "P", *i);
            std::printf("%s{\"P\":", comma);
            put(grid.transform().indexToWorld(i.getCoord().asVec3d() + openvdb::Vec3d(inside)));
            std::printf(",\"v\":");
            put(value_of<openvdb::Vec3f>(*leaf, "v", *i));
            std::printf(",\"pscale\":");
            put(value_of<float>(*leaf, "pscale", *i));
            std::printf(",\"id\":%lld}",
                        static_cast<long long>(value_of<int64_t>(*leaf, "id", *i)));
            comma = ",";
        }
    std::printf("]");
}

static void put_grid(const openvdb::GridBase &grid)
{
    std::printf("{\"name\":\"%s\",\"type\":\"%s\",\"class\":\"%s\",\"half\":%s,\"vector\":\"%s\"",
                grid.getName().c_str(), grid.valueType().c_str(),
                openvdb::GridBase::gridClassToString(grid.getGridClass()).c_str(),
                grid.saveFloatAsHalf() ? "true" : "false",
                openvdb::GridBase::vecTypeToString(grid.getVectorType()).c_str());
    if (const auto *numbers = dynamic_cast<const openvdb::FloatGrid *>(&grid)) put_voxels(*numbers);
    if (const auto *vectors = dynamic_cast<const openvdb::Vec3SGrid *>(&grid)) put_voxels(*vectors);
    if (const auto *points = dynamic_cast<const openvdb::points::PointDataGrid *>(&grid))
        put_points(*points);
    std::printf("}");
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    openvdb::initialize();
    openvdb::io::File file(argv[1]);
    file.open();
    const auto notes = file.getMetadata();
    std::printf("{\"creator\":\"%s\",\"frame\":%.17g,\"time\":%.17g,\"grids\":[",
                notes->metaValue<std::string>("creator").c_str(), notes->metaValue<double>("frame"),
                notes->metaValue<double>("time"));
    const char *comma = "";
    const auto grids = file.getGrids();
    for (const auto &grid : *grids) {
        std::printf("%s", comma);
        put_grid(*grid);
        comma = ",";
    }
    std::printf("]}\n");
    return 0;
}
