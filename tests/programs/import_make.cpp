// SPDX-License-Identifier: Apache-2.0
/// Writes a ball of water as others would, for the tests of spume import:
///
///     import_make FILE.vdb [word or word=number ...]
///
///     houdini plain blender      names and habits (plain)
///     staggered unlabelled centres scalars none
///                                velocity on faces, on faces without saying so, at centres, as
///                                three grids, or left out (staggered)
///     zup half fog flip deep bare wild nan integer turned pressure
///     latin control              a surface whose name is not UTF-8, or has control characters
///     points                     no surface but points in a shell below it, as Blender's default
///     walls                      in a box of walls that cuts six caps off the ball; the surface and
///                                a wild velocity continue in the walls, as in Blender's caches
///     voxel=H ratio=R time=T stretch=S
///
/// The test program has the same closed forms: a ball of radius 0.5 m, in a flow without
/// divergence, that travels with (0.6, -1.2, 0.3) m/s. All lengths are ours: metres, y up.
#include <cmath>
#include <map>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/Prune.h>
#include <set>
#include <string>

using openvdb::Coord;
using openvdb::Vec3d;

static std::set<std::string> words;
static std::map<std::string, double> numbers = {
    {"voxel", 0.1}, {"ratio", 1}, {"time", 0}, {"stretch", 1}};

static bool is(const char *word)
{
    return words.count(word) > 0;
}

static const Vec3d start(1.0, 2.0, -0.5), travel(0.6, -1.2, 0.3);
static constexpr double radius = 0.5, wave = 2.0, swirl = 0.8;
static constexpr double room = 0.375; // half the distance of two walls

static double distance_at(const Vec3d &p)
{
    return (p - (start + numbers["time"] * travel)).length() - radius;
}

/// Distance to the nearest wall; negative in it.
static double wall_at(const Vec3d &p)
{
    const Vec3d from = p - start;
    double least = room;
    for (int a = 0; a < 3; ++a)
        least = std::min(least, room - std::fabs(from[a]));
    return least;
}

static Vec3d velocity_at(const Vec3d &p)
{
    return travel + Vec3d(swirl * std::sin(wave * p.x()) * std::cos(wave * p.y()),
                          -swirl * std::cos(wave * p.x()) * std::sin(wave * p.y()), 0.0);
}

/// From the file's axes to ours and back; a vector or a place.
static Vec3d ours(const Vec3d &p)
{
    return is("zup") || is("blender") ? Vec3d(p.x(), p.z(), -p.y()) : p;
}
static Vec3d theirs(const Vec3d &p)
{
    return is("zup") || is("blender") ? Vec3d(p.x(), -p.z(), p.y()) : p;
}

/// Where whole indices lie in the file's world. Blender puts them at the corners of cells.
static openvdb::math::Transform::Ptr transform_of(double voxel, const Vec3d &shift)
{
    auto t = openvdb::math::Transform::createLinearTransform(voxel);
    if (numbers["stretch"] != 1.0) t->preScale(Vec3d(1.0, numbers["stretch"], 1.0));
    if (is("turned")) t->postRotate(0.3, openvdb::math::Z_AXIS);
    if (!is("blender")) t->postTranslate(Vec3d(0.013, -0.007, 0.021));
    // Blender's positions begin at the lowest corner of its domain, whose outermost cells are walls
    if (is("walls")) t->postTranslate(theirs(start) - Vec3d(room + voxel));
    t->postTranslate(shift);
    return t;
}

template <typename Grid> static void finish(typename Grid::Ptr grid, const char *name)
{
    grid->setName(name);
    grid->setSaveFloatAsHalf(is("half") || is("blender"));
}

/// Cells of the domain along each axis, with the walls.
static int cells()
{
    return int(std::lround(2.0 * room / numbers["voxel"])) + 2;
}

/// Every index whose voxel is near the ball, or in the domain.
template <typename Visit> static void each(const openvdb::math::Transform &t, Visit visit)
{
    const Vec3d c = theirs(start + numbers["time"] * travel), reach(radius + 0.4);
    openvdb::CoordBBox box;
    for (int n = 0; n < 8; ++n)
        box.expand(Coord::round(
            t.worldToIndex(c + Vec3d(n & 1 ? reach.x() : -reach.x(), n & 2 ? reach.y() : -reach.y(),
                                     n & 4 ? reach.z() : -reach.z()))));
    if (is("walls")) box = openvdb::CoordBBox(Coord(0), Coord(cells() - 1));
    for (auto i = box.begin(); i; ++i)
        visit(*i);
}

/// The place of an index plus `by`, in our world.
static Vec3d place(const openvdb::math::Transform &t, const Coord &i, const Vec3d &by)
{
    const Vec3d half(is("blender") ? 0.5 : 0.0);
    return ours(t.indexToWorld(i.asVec3d() + half + by));
}

static openvdb::GridBase::Ptr surface()
{
    const double h = numbers["voxel"], band = 3.0 * h;
    const auto t = transform_of(h, Vec3d(0.0));
    const float background = is("fog") || is("blender") ? 0.0f : float(is("flip") ? -band : band);
    auto grid = openvdb::FloatGrid::create(background);
    grid->setTransform(t);
    auto to = grid->getAccessor();
    each(*t, [&](const Coord &i) {
        const double d = distance_at(place(*t, i, Vec3d(0.0)));
        if (is("fog")) {
            const double density = std::min(1.0, std::max(0.0, 0.5 - d / h));
            if (density > 0.0) to.setValueOn(i, float(density));
        } else if (is("blender")) {
            to.setValueOn(i, float(std::max(-5.0, std::min(5.0, d / h))));
        } else {
            const double phi = (is("flip") ? -1.0 : 1.0) * std::max(-band, std::min(band, d));
            std::fabs(d) < band ? to.setValueOn(i, float(phi)) : to.setValueOff(i, float(phi));
        }
        if (is("nan") && i == Coord::round(t->worldToIndex(theirs(start)))) to.setValueOn(i, NAN);
    });
    if (!is("fog") && !is("blender") && !is("flip")) openvdb::tools::pruneLevelSet(grid->tree());
    grid->setGridClass(is("fog") ? openvdb::GRID_FOG_VOLUME : openvdb::GRID_LEVEL_SET);
    finish<openvdb::FloatGrid>(grid, is("fog")       ? "density"
                                     : is("blender") ? "phi"
                                     : is("latin")   ? "water \xfc"
                                     : is("control") ? "wa\nter\x1b[1m"
                                                     : "surface");
    return grid;
}

/// Eight points a cell, in a shell of two cells and a half. Blender's surface are spheres of 0.87
/// cells around them, so they begin two thirds of a cell below it.
static openvdb::GridBase::Ptr shell()
{
    const double h = numbers["voxel"], below = is("blender") ? h * 2.0 / 3.0 : 0.0;
    const auto t = transform_of(h, Vec3d(0.0));
    std::vector<Vec3d> places;
    each(*t, [&](const Coord &i) {
        for (int n = 0; n < 8; ++n) {
            const Vec3d in(n & 1 ? 0.75 : 0.25, n & 2 ? 0.75 : 0.25, n & 4 ? 0.75 : 0.25);
            const Vec3d p = t->indexToWorld(i.asVec3d() + in);
            const double d = distance_at(ours(p)) + below;
            if (is("walls") && wall_at(ours(p)) < 0.0) continue;
            if (d < 0.0 && d > -2.5 * h) places.push_back(p);
        }
    });
    auto grid = openvdb::points::createPointDataGrid<openvdb::points::NullCodec,
                                                     openvdb::points::PointDataGrid>(places, *t);
    grid->setName("particles");
    return grid;
}

static openvdb::GridBase::Ptr obstacle()
{
    const double h = numbers["voxel"];
    const auto t = transform_of(h, Vec3d(0.0));
    auto grid = openvdb::FloatGrid::create();
    grid->setTransform(t);
    auto to = grid->getAccessor();
    each(*t,
         [&](const Coord &i) { to.setValueOn(i, float(wall_at(place(*t, i, Vec3d(0.0))) / h)); });
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    finish<openvdb::FloatGrid>(grid, "phi_obstacle");
    return grid;
}

static openvdb::GridBase::Ptr pressure()
{
    const auto t = transform_of(numbers["voxel"], Vec3d(0.0));
    auto grid = openvdb::FloatGrid::create();
    grid->setTransform(t);
    auto to = grid->getAccessor();
    each(*t, [&](const Coord &i) { to.setValueOn(i, float(place(*t, i, Vec3d(0.0)).y())); });
    finish<openvdb::FloatGrid>(grid, "pressure");
    return grid;
}

/// Velocity has data in the water and two voxels beyond; `deep` leaves it out farther inside than
/// four.
static bool has_data(const Vec3d &p)
{
    const double d = distance_at(p), h = numbers["voxel"];
    return d < 2.0 * h && !(is("deep") && d < -4.0 * h);
}

static Vec3d stored(const Vec3d &p)
{
    const bool inside = is("walls") && wall_at(p) < -0.25 * numbers["voxel"];
    return theirs(velocity_at(p)) *
           (is("wild") ? 1000.0
            : inside   ? 20.0
                       : 1.0) /
           (is("blender") ? 2.5 * numbers["voxel"] : 1.0);
}

static openvdb::GridBase::Ptr vectors()
{
    const bool faces = is("staggered") || is("unlabelled");
    const auto t = transform_of(numbers["voxel"] * numbers["ratio"], Vec3d(0.0));
    auto grid = openvdb::Vec3SGrid::create();
    grid->setTransform(t);
    auto to = grid->getAccessor();
    each(*t, [&](const Coord &i) {
        if (!has_data(place(*t, i, Vec3d(0.0)))) return;
        Vec3d v;
        for (int c = 0; c < 3; ++c) {
            Vec3d low(0.0);
            low[c] = faces ? -0.5 : 0.0;
            v[c] = stored(place(*t, i, low))[c];
        }
        to.setValueOn(i, openvdb::Vec3s(v));
    });
    if (is("staggered")) grid->setGridClass(openvdb::GRID_STAGGERED);
    if (is("walls"))
        grid->insertMeta("file_base_resolution", openvdb::Vec3IMetadata(openvdb::Vec3i(cells())));
    finish<openvdb::Vec3SGrid>(grid, is("houdini") ? "vel" : "velocity");
    return grid;
}

static openvdb::GridBase::Ptr scalar(int c)
{
    Vec3d shift(0.0);
    shift[c] = -0.5 * numbers["voxel"] * numbers["ratio"];
    const auto t = transform_of(numbers["voxel"] * numbers["ratio"], shift);
    auto grid = openvdb::FloatGrid::create();
    grid->setTransform(t);
    auto to = grid->getAccessor();
    each(*t, [&](const Coord &i) {
        const Vec3d p = place(*t, i, Vec3d(0.0));
        if (has_data(p)) to.setValueOn(i, float(stored(p)[c]));
    });
    finish<openvdb::FloatGrid>(grid, c == 0 ? "vel.x" : c == 1 ? "vel.y" : "vel.z");
    return grid;
}

int main(int argc, char **argv)
{
    for (int k = 2; k < argc; ++k) {
        const std::string word = argv[k];
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            words.insert(word);
        else
            numbers[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
    }
    if (argc < 2) return 2;
    if (!is("unlabelled") && !is("centres") && !is("scalars") && !is("none"))
        words.insert("staggered");
    openvdb::initialize();
    openvdb::GridPtrVec grids;
    if (!is("bare") && !is("points")) grids.push_back(surface());
    if (is("points")) grids.push_back(shell());
    if (is("walls") && !is("points")) grids.push_back(obstacle());
    if (is("pressure")) grids.push_back(pressure());
    if (is("integer")) {
        auto flags = openvdb::Int32Grid::create(0);
        flags->setName("flags");
        grids.push_back(flags);
    }
    for (int c = 0; is("scalars") && c < 3; ++c)
        grids.push_back(scalar(c));
    if (!is("scalars") && !is("none")) grids.push_back(vectors());
    openvdb::io::File(argv[1]).write(grids);
    return 0;
}
