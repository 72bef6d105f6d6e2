// SPDX-License-Identifier: Apache-2.0
/// Meshes that deform: one file per frame, all with the same triangles. Vertices move linearly
/// between frames. Two files are in memory at a time. The tree over the triangles is refitted, not
/// rebuilt.
#include "shapes/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct shape_frames {
    int32_t low;          ///< number of the file in from[]; the next one is in to[]
    bool loaded, flipped; ///< flipped: triangles face inward in the files and are reversed
    float (*from)[3], (*to)[3];
    double share, rate;   ///< position between the two files; files per second, 0 at rest
    uint64_t changes;     ///< so far
    float (*velocity)[3]; ///< m/s, of the vertices, in the body's space
};

/// ---- Names -------------------------------------------------------------------------------------

/// The place of the number in a file name: "%d" or "%04d", once, in the last path component.
/// *digits: the minimum number of digits.
static const char *find_number(const char *file, int *digits, size_t *length)
{
    const char *slash = strrchr(file, '/');
    const char *percent = strchr(slash ? slash : file, '%'), *at = percent;
    *digits = 1;
    if (!percent || strchr(percent + 1, '%')) return NULL;
    ++at;
    if (*at == '0' && isdigit((unsigned char)at[1])) {
        *digits = at[1] - '0';
        at += 2;
    }
    *length = (size_t)(at - percent) + 1;
    return *at == 'd' ? percent : NULL;
}

static sp_status name_file(const char *pattern, int32_t number, char *path, size_t size,
                           sp_error *err)
{
    int digits;
    size_t length;
    const char *at = find_number(pattern, &digits, &length);
    const int n = at ? snprintf(path, size, "%.*s%0*d%s", (int)(at - pattern), pattern, digits,
                                (int)number, at + length)
                     : -1;
    if (n >= 0 && (size_t)n < size) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "the name of its mesh file is too long");
}

sp_status sp_mesh_file_name(const sp_mesh_def *mesh, int32_t number, char *path, size_t size,
                            sp_error *err)
{
    if (mesh->frames) return name_file(mesh->file, number, path, size, err);
    if (strlen(mesh->file) >= size)
        return sp_fail(err, SP_BAD_INPUT, "the name of its mesh file is too long");
    strcpy(path, mesh->file);
    return SP_OK;
}

sp_status frames_check(const sp_mesh_def *mesh, const char *path, sp_error *err)
{
    int digits;
    size_t length;
    const sp_frames_def *def = mesh->frames;
    const bool numbered = find_number(mesh->file, &digits, &length);
    if (!def) return SP_OK;
    if (!numbered)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.mesh.file: \"%.200s\"; expected one %%d or %%04d in it, for the number "
                       "of the frame",
                       path, mesh->file);
    if (def->last > def->first) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.mesh.frames.last: %d; expected more than first, %d", path,
                   (int)def->last, (int)def->first);
}

/// ---- Reading -----------------------------------------------------------------------------------

/// The vertices of one file, scaled and placed; its triangles must be those of the first file.
static sp_status read_vertices(const sp_shape *s, int32_t number, float (*out)[3], sp_error *err)
{
    char path[4096];
    sp_mesh mesh;
    const sp_mesh_def *def = &s->given.mesh;
    SP_TRY(name_file(def->file, number, path, sizeof path, err));
    SP_TRY(sp_mesh_read(path, s->host, &mesh, err));
    bool same =
        mesh.vertex_count == s->mesh.vertex_count && mesh.triangle_count == s->mesh.triangle_count;
    for (size_t t = 0; t < mesh.triangle_count && same; ++t) {
        const uint32_t *a = mesh.tri[t], *b = s->mesh.tri[t];
        const int turn = s->frames->flipped;
        same = a[0] == b[0] && a[1] == b[1 + turn] && a[2] == b[2 - turn];
    }
    double far = 0.0;
    for (size_t i = 0; i < mesh.vertex_count && same; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = (double)mesh.x[i][k] * (double)def->scale + (double)def->position[k];
            far = fmax(far, fabs(x));
            out[i][k] = (float)x;
        }
    const size_t vertices = mesh.vertex_count, triangles = mesh.triangle_count;
    sp_mesh_close(&mesh);
    if (!(far <= SHAPE_FARTHEST))
        return sp_fail(err, SP_BAD_INPUT, "%s reaches to %g m; expected at most %g m", path, far,
                       SHAPE_FARTHEST);
    if (same) return SP_OK;
    return sp_fail(
        err, SP_BAD_INPUT,
        "%s has %zu vertices and %zu triangles; expected %zu and %zu as in the first file, "
        "in the same order",
        path, vertices, triangles, s->mesh.vertex_count, s->mesh.triangle_count);
}

static sp_status load(sp_shape *s, int32_t low, sp_error *err)
{
    shape_frames *f = s->frames;
    if (f->loaded && f->low == low) return SP_OK;
    const bool next = f->loaded && f->low + 1 == low;
    f->loaded = false;
    if (next) {
        float(*spare)[3] = f->from;
        f->from = f->to;
        f->to = spare;
    } else {
        SP_TRY(read_vertices(s, low, f->from, err));
    }
    SP_TRY(read_vertices(s, low + 1, f->to, err));
    f->low = low;
    f->loaded = true;
    return SP_OK;
}

/// Reports a missing file now instead of in the middle of a run.
static sp_status check_files_exist(const sp_shape *s, sp_error *err)
{
    char path[4096];
    for (int32_t i = s->frames_def.first; i <= s->frames_def.last; ++i) {
        SP_TRY(name_file(s->given.mesh.file, i, path, sizeof path, err));
        struct stat facts;
        const bool there = stat(path, &facts) == 0;
        if (!there || !S_ISREG(facts.st_mode))
            return sp_fail(err, SP_IO, "%s: %s, although frames.last is %d", path,
                           there ? "is not an ordinary file" : "missing", (int)s->frames_def.last);
    }
    return SP_OK;
}

sp_status frames_open(sp_shape *s, bool flipped, sp_error *err)
{
    const size_t n = s->mesh.vertex_count;
    shape_frames *f = s->frames = sp_allocate(s->host, 1, sizeof *f);
    if (!f) return sp_fail(err, SP_NO_MEMORY, "no memory for a mesh that deforms");
    f->flipped = flipped;
    f->from = sp_allocate(s->host, n, sizeof *f->from);
    f->to = sp_allocate(s->host, n, sizeof *f->to);
    f->velocity = sp_allocate(s->host, n, sizeof *f->velocity);
    if (!f->from || !f->to || !f->velocity)
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu vertices that move", n);
    SP_TRY(check_files_exist(s, err));
    return sp_shape_deform(s, 0.0, err);
}

void frames_close(sp_shape *s)
{
    shape_frames *f = s->frames;
    if (!f) return;
    sp_release(s->host, f->from);
    sp_release(s->host, f->to);
    sp_release(s->host, f->velocity);
    sp_release(s->host, f);
}

/// ---- At a moment -------------------------------------------------------------------------------

sp_status sp_shape_deform(sp_shape *s, double t, sp_error *err)
{
    shape_frames *f = s->frames;
    if (!f) return SP_OK;
    const sp_frames_def *def = &s->frames_def;
    const double files = (double)def->last - (double)def->first, fps = (double)def->fps;
    const double at = (t - (double)def->start) * fps;
    const double into = fmin(fmax(at, 0.0), files), low = fmin(floor(into), files - 1.0);
    const double share = into - low, rate = at >= 0.0 && at < files ? fps : 0.0;
    const int32_t number = def->first + (int32_t)low;
    if (f->loaded && f->low == number && f->share == share && f->rate == rate) return SP_OK;
    SP_TRY(load(s, number, err));
    f->share = share;
    f->rate = rate;
    ++f->changes;
    for (size_t i = 0; i < s->mesh.vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double from = (double)f->from[i][k], way = (double)f->to[i][k] - from;
            s->mesh.x[i][k] = (float)(from + share * way);
            f->velocity[i][k] = (float)(rate * way);
        }
    shape_measure_mesh(s);
    sp_bvh_refit(s->bvh, &s->mesh);
    return SP_OK;
}

bool sp_shape_deforms(const sp_shape *shape)
{
    return shape->frames;
}

uint64_t frames_changes(const sp_shape *s)
{
    return s->frames ? s->frames->changes : 0;
}

double frames_fastest(const sp_shape *s)
{
    double most = 0.0;
    for (size_t i = 0; i < s->mesh.vertex_count; ++i) {
        const float *v = s->frames->velocity[i];
        const double wide[3] = {(double)v[0], (double)v[1], (double)v[2]};
        most = fmax(most, sp_dot3(wide, wide));
    }
    return sqrt(most);
}

/// Relative growth rate of a triangle's area, 1/s, and its normal.
static double stretch_of(const sp_shape *s, uint32_t triangle, double n[3])
{
    const uint32_t *v = s->mesh.tri[triangle];
    double side[2][3], apart[2][3], one[3], other[3];
    for (int e = 0; e < 2; ++e)
        for (int k = 0; k < 3; ++k) {
            side[e][k] = (double)s->mesh.x[v[e + 1]][k] - (double)s->mesh.x[v[0]][k];
            apart[e][k] =
                (double)s->frames->velocity[v[e + 1]][k] - (double)s->frames->velocity[v[0]][k];
        }
    sp_cross3(side[0], side[1], n);
    sp_cross3(apart[0], side[1], one);
    sp_cross3(side[0], apart[1], other);
    const double area2 = sp_dot3(n, n);
    if (!(area2 > 0.0)) return 0.0;
    const double rate = (sp_dot3(n, one) + sp_dot3(n, other)) / area2, length = sqrt(area2);
    for (int k = 0; k < 3; ++k)
        n[k] /= length;
    return rate;
}

/// On the surface it is the velocity w of the closest point. If it were w along the whole normal,
/// the solid would create volume where its surface stretches and displace too little water: over a
/// depth s the divergence of w, which is the growth rate D of the area, adds up to s D. Adding that
/// along the normal, w + s D n, removes the divergence.
void frames_velocity(const sp_shape *s, const double q[3], double deep, double reach,
                     double velocity[3])
{
    const float p[3] = {(float)q[0], (float)q[1], (float)q[2]};
    float at[3], weights[3];
    uint32_t triangle;
    double n[3], below = 0.0;
    velocity[0] = velocity[1] = velocity[2] = 0.0;
    if (!sp_bvh_closest(s->bvh, p, (float)reach, at, &triangle, weights)) return;
    const double rate = stretch_of(s, triangle, n);
    for (int k = 0; k < 3; ++k)
        below += ((double)at[k] - q[k]) * n[k];
    const double more = rate * fmin(fmax(below, -deep), deep);
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c)
            velocity[k] +=
                (double)weights[c] * (double)s->frames->velocity[s->mesh.tri[triangle][c]][k];
        velocity[k] += more * n[k];
    }
}
