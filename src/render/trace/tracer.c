// SPDX-License-Identifier: Apache-2.0
/// The scene of the path tracer: geometries, materials, media and lights, and Embree's hierarchy.
#include "render/trace/tracing.h"

#include <string.h>

#if defined(SPUME_WITH_EMBREE)

static const sp_trace_medium water_default = {1.333f, {0.264f, 0.0565f, 0.0101f}}; // Pope, Fry 1997
static const sp_trace_medium glass_default = {1.52f, {3.0f, 1.0f, 2.0f}}; // float glass, by eye
static const sp_trace_foam foam_default = {0.04f, 0.55f, 0.995f, 0.0f};

static bool count_bytes(void *user, ssize_t bytes, bool post)
{
    (void)post;
    sp_tracer *t = user;
    atomic_fetch_add(&t->embree_bytes, (long long)bytes);
    return true;
}

static void set_medium(sp_tracer *t, int medium, const sp_trace_medium *def)
{
    t->ior[medium] = def->ior;
    t->absorb[medium] = trace_vec(def->absorb);
    t->clear[medium] = def->absorb[0] == 0.0f && def->absorb[1] == 0.0f && def->absorb[2] == 0.0f;
}

/// Embree is refused memory also where a limit is met before that of --memory (ulimit -v).
static sp_status fail_device(sp_error *err)
{
    const enum RTCError why = rtcGetDeviceError(NULL);
    const bool scarce = sp_memory_room() < 2.5e8;
    if (why == RTC_ERROR_OUT_OF_MEMORY || scarce)
        return sp_fail(err, SP_NO_MEMORY, "render: no memory to start Embree%s",
                       scarce ? "; ulimit -v leaves too little" : "");
    return sp_fail(err, SP_UNSUPPORTED, "render: Embree does not start on this machine (error %d)",
                   (int)why);
}

sp_status sp_tracer_open(const sp_host *host, sp_tracer **out, sp_error *err)
{
    *out = NULL;
    sp_tracer *t = sp_allocate(host, 1, sizeof *t);
    if (!t) return sp_fail(err, SP_NO_MEMORY, "render: no memory for the tracer");
    t->host = host;
    // One thread builds, so that the hierarchy and ties on shared edges are always the same.
    t->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!t->device) {
        sp_tracer_close(t);
        return fail_device(err);
    }
    rtcSetDeviceMemoryMonitorFunction(t->device, count_bytes, t);
    t->scene = rtcNewScene(t->device);
    rtcSetSceneFlags(t->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    rtcSetSceneBuildQuality(
        t->scene, RTC_BUILD_QUALITY_MEDIUM); // no spatial splits: a ray hits a primitive once
    set_medium(t, TRACE_AIR, &(sp_trace_medium){.ior = 1.0f});
    set_medium(t, TRACE_WATER, &water_default);
    set_medium(t, TRACE_GLASS, &glass_default);
    t->foam = foam_default;
    t->lights = (trace_lighting){.dome = SP_DOME_STUDIO, .scale = 1.0f};
    *out = t;
    return SP_OK;
}

static void release_piece(const sp_host *host, trace_piece *p)
{
    void *const memory[] = {p->sphere, p->end, p->milk, p->color, p->x, p->moved, p->n, p->tri};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i)
        sp_release(host, memory[i]);
    *p = (trace_piece){0};
}

void sp_tracer_close(sp_tracer *t)
{
    if (!t) return;
    if (t->scene) rtcReleaseScene(t->scene);
    if (t->device) rtcReleaseDevice(t->device);
    for (size_t i = 0; i < t->piece_count; ++i)
        release_piece(t->host, &t->pieces[i]);
    sp_release(t->host, t->pieces);
    sp_release(t->host, t->materials);
    trace_lighting_close(&t->lights, t->host);
    sp_release(t->host, t);
}

int sp_tracer_material(sp_tracer *t, const sp_trace_material *material)
{
    if (!sp_make_room(t->host, (void **)&t->materials, t->material_count, &t->material_room,
                      sizeof *t->materials))
        return -1;
    t->materials[t->material_count] = *material;
    return (int)t->material_count++;
}

void sp_tracer_water(sp_tracer *t, const sp_trace_medium *water)
{
    set_medium(t, TRACE_WATER, water);
}

void sp_tracer_glass(sp_tracer *t, const sp_trace_medium *glass)
{
    set_medium(t, TRACE_GLASS, glass);
}

void sp_tracer_foam(sp_tracer *t, const sp_trace_foam *foam)
{
    t->foam = *foam;
}

sp_status sp_tracer_lights(sp_tracer *t, const sp_trace_lights *lights, sp_error *err)
{
    trace_lighting made;
    SP_TRY(trace_lighting_open(&made, lights, t->host, err));
    trace_lighting_close(&t->lights, t->host);
    t->lights = made;
    return SP_OK;
}

/// Copies an array and adds one zeroed element at the end; false: no memory.
static bool copied(sp_tracer *t, void *out, const void *from, size_t count, size_t size)
{
    if (!from) return true;
    void *memory = sp_allocate(t->host, count + 1, size);
    if (!memory) return false;
    memcpy(memory, from, count * size);
    memcpy(out, &memory, sizeof memory);
    t->own_bytes += (count + 1) * size;
    return true;
}

static void note_move(sp_tracer *t, const float *a, const float *b)
{
    const sp_vec3 d = sp_sub(trace_vec(b), trace_vec(a));
    const float length = sp_length(d);
    if (length > t->largest_move) t->largest_move = length;
}

static sp_status check_kind(const sp_tracer *t, sp_trace_class kind, int material, sp_error *err)
{
    SP_ASSERT(!t->committed);
    if (kind == SP_TRACE_OPAQUE && (material < 0 || (size_t)material >= t->material_count))
        return sp_fail(err, SP_BAD_INPUT, "render: material %d; expected 0 to %d", material,
                       (int)t->material_count - 1);
    return SP_OK;
}

/// Attaches a geometry with its buffers set to the scene, as number piece_count.
static sp_status attach(sp_tracer *t, RTCGeometry g, trace_piece *piece, sp_error *err)
{
    rtcSetGeometryBuildQuality(g, RTC_BUILD_QUALITY_MEDIUM);
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(t->scene, g, (unsigned)t->piece_count);
    rtcReleaseGeometry(g);
    t->pieces[t->piece_count++] = *piece;
    if (rtcGetDeviceError(t->device) != RTC_ERROR_NONE)
        return sp_fail(err, SP_NO_MEMORY, "render: Embree refused a piece of %zu", piece->count);
    return SP_OK;
}

static sp_status no_room(const sp_host *host, trace_piece *p, size_t count, const char *what,
                         sp_error *err)
{
    release_piece(host, p);
    return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu %s", count, what);
}

static bool room_for_piece(sp_tracer *t)
{
    return sp_make_room(t->host, (void **)&t->pieces, t->piece_count, &t->piece_room,
                        sizeof *t->pieces);
}

sp_status sp_tracer_mesh(sp_tracer *t, const sp_mesh *mesh, const float (*moved)[3],
                         sp_trace_class kind, int material, sp_error *err)
{
    SP_TRY(check_kind(t, kind, material, err));
    const size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    for (size_t i = 0; i < triangles; ++i)
        for (int k = 0; k < 3; ++k)
            if (mesh->tri[i][k] >= vertices)
                return sp_fail(err, SP_BAD_INPUT, "render: triangle %zu names vertex %u of %zu", i,
                               mesh->tri[i][k], vertices);
    if (triangles == 0) return SP_OK;
    trace_piece p = {.kind = kind, .material = material, .count = triangles};
    if (!room_for_piece(t) || !copied(t, &p.x, mesh->x, vertices, sizeof *p.x) ||
        !copied(t, &p.moved, moved, vertices, sizeof *p.moved) ||
        !copied(t, &p.n, mesh->n, vertices, sizeof *p.n) ||
        !copied(t, &p.tri, mesh->tri, triangles, sizeof *p.tri))
        return no_room(t->host, &p, triangles, "triangles", err);
    for (size_t i = 0; moved && i < vertices; ++i)
        note_move(t, p.x[i], p.moved[i]);
    RTCGeometry g = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryTimeStepCount(g, moved ? 2 : 1);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, p.x, 0, sizeof *p.x,
                               vertices);
    if (moved)
        rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 1, RTC_FORMAT_FLOAT3, p.moved, 0,
                                   sizeof *p.moved, vertices);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, p.tri, 0,
                               sizeof *p.tri, triangles);
    return attach(t, g, &p, err);
}

sp_status sp_tracer_spheres(sp_tracer *t, size_t count, const float (*sphere)[4],
                            const float (*moved)[4], sp_trace_class kind, int material,
                            const float (*milk)[2], const float (*color)[3], sp_error *err)
{
    SP_TRY(check_kind(t, kind, material, err));
    if (count == 0) return SP_OK;
    trace_piece p = {.kind = kind, .spheres = true, .material = material, .count = count};
    if (!room_for_piece(t) || !copied(t, &p.sphere, sphere, count, sizeof *p.sphere) ||
        !copied(t, &p.end, moved, count, sizeof *p.end) ||
        !copied(t, &p.milk, kind == SP_TRACE_FOAM ? milk : NULL, count, sizeof *p.milk) ||
        !copied(t, &p.color, kind == SP_TRACE_OPAQUE ? color : NULL, count, sizeof *p.color))
        return no_room(t->host, &p, count, "spheres", err);
    for (size_t i = 0; moved && i < count; ++i)
        note_move(t, p.sphere[i], p.end[i]);
    RTCGeometry g = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetGeometryTimeStepCount(g, moved ? 2 : 1);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, p.sphere, 0,
                               sizeof *p.sphere, count);
    if (moved)
        rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 1, RTC_FORMAT_FLOAT4, p.end, 0,
                                   sizeof *p.end, count);
    return attach(t, g, &p, err);
}

sp_status sp_tracer_commit(sp_tracer *t, sp_error *err)
{
    rtcCommitScene(t->scene);
    if (rtcGetDeviceError(t->device) != RTC_ERROR_NONE)
        return sp_fail(err, SP_NO_MEMORY, "render: no memory for Embree's tree of %zu pieces",
                       t->piece_count);
    t->committed = true;
    return SP_OK;
}

size_t sp_tracer_bytes(const sp_tracer *t)
{
    const long long embree = atomic_load(&t->embree_bytes);
    return t->own_bytes + (embree > 0 ? (size_t)embree : 0);
}

#else // without Embree: every function fails with SP_UNSUPPORTED

struct sp_tracer {
    int nothing;
};

static sp_status refuse(sp_error *err)
{
    return sp_fail(err, SP_UNSUPPORTED,
                   "this build has no Embree: install libembree-dev and configure with "
                   "-DSPUME_WITH_EMBREE=ON");
}

sp_status sp_tracer_open(const sp_host *host, sp_tracer **out, sp_error *err)
{
    (void)host;
    *out = NULL;
    return refuse(err);
}

void sp_tracer_close(sp_tracer *t)
{
    (void)t;
}

sp_status sp_tracer_mesh(sp_tracer *t, const sp_mesh *mesh, const float (*moved)[3],
                         sp_trace_class kind, int material, sp_error *err)
{
    (void)t, (void)mesh, (void)moved, (void)kind, (void)material;
    return refuse(err);
}

sp_status sp_tracer_spheres(sp_tracer *t, size_t count, const float (*sphere)[4],
                            const float (*moved)[4], sp_trace_class kind, int material,
                            const float (*milk)[2], const float (*color)[3], sp_error *err)
{
    (void)t, (void)count, (void)sphere, (void)moved, (void)kind, (void)material, (void)milk,
        (void)color;
    return refuse(err);
}

int sp_tracer_material(sp_tracer *t, const sp_trace_material *material)
{
    (void)t, (void)material;
    return -1;
}

void sp_tracer_water(sp_tracer *t, const sp_trace_medium *water)
{
    (void)t, (void)water;
}

void sp_tracer_glass(sp_tracer *t, const sp_trace_medium *glass)
{
    (void)t, (void)glass;
}

void sp_tracer_foam(sp_tracer *t, const sp_trace_foam *foam)
{
    (void)t, (void)foam;
}

sp_status sp_tracer_lights(sp_tracer *t, const sp_trace_lights *lights, sp_error *err)
{
    (void)t, (void)lights;
    return refuse(err);
}

sp_status sp_tracer_commit(sp_tracer *t, sp_error *err)
{
    (void)t;
    return refuse(err);
}

size_t sp_tracer_bytes(const sp_tracer *t)
{
    (void)t;
    return 0;
}

sp_status sp_tracer_render(const sp_tracer *t, const sp_trace_camera *camera,
                           const sp_trace_settings *settings, sp_trace_film *film,
                           sp_trace_stats *stats, sp_error *err)
{
    (void)t, (void)camera, (void)settings, (void)film, (void)stats;
    return refuse(err);
}

sp_status sp_trace_record_open(const sp_host *host, sp_trace_record **out, sp_error *err)
{
    (void)host;
    *out = NULL;
    return refuse(err);
}

void sp_trace_record_close(sp_trace_record *record)
{
    (void)record;
}

uint64_t sp_tracer_replay(const sp_tracer *t, const sp_trace_record *record, uint64_t *rays)
{
    (void)t, (void)record;
    *rays = 0;
    return 0;
}

#endif
