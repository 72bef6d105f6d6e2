// SPDX-License-Identifier: Apache-2.0
/// What OpenVDB itself finds in Blender's resumable caches: for each file a line with the number of
/// water voxels (phi < 0 and phi_obstacle > 0), and their largest speed in cells per unit of time.
///
///     vdb_count FILE.vdb...
#include <cmath>
#include <cstdio>
#include <openvdb/openvdb.h>

static void count(const char *path)
{
    openvdb::io::File file(path);
    file.open();
    const auto phi = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("phi")),
               psi = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("phi_obstacle"));
    const auto u = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
    const auto solid = psi->getConstAccessor();
    const auto velocity = u->getConstAccessor();
    phi->tree().voxelizeActiveTiles();
    size_t water = 0;
    double fastest = 0.0;
    for (auto v = phi->cbeginValueOn(); v; ++v) {
        if (!(*v < 0.0f && solid.getValue(v.getCoord()) > 0.0f)) continue;
        ++water;
        fastest = std::fmax(fastest, openvdb::Vec3d(velocity.getValue(v.getCoord())).length());
    }
    std::printf("%zu %.9g\n", water, fastest);
}

int main(int argc, char **argv)
{
    openvdb::initialize();
    for (int k = 1; k < argc; ++k)
        count(argv[k]);
    return 0;
}
