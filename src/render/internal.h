// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_INTERNAL_H
#define SP_RENDER_INTERNAL_H

/// How a picture is made:
///
///     frame ──stage_open──▶ stage: meshes and spheres in world coordinates     (stage/)
///           ──camera_choose──▶ camera                                          (default_camera.c)
///           ──stage_to_tracer──▶ tracer: geometry about the target, backdrop,  (stage_to_tracer.c,
///                                lamps                                         studio.c)
///           ──sp_tracer_render──▶ film ──denoise, tone──▶ pixels                (picture.c)

#include "render/render.h"
#include "render/trace.h"
#include "surface/surface.h"

/// The camera's position and scale in the tracer's space: gives the size of a thing in the picture.
typedef struct render_eye {
    float from[3];
    float pixels; ///< size in pixels of 1 m at a distance of 1 m
} render_eye;

typedef struct render_box {
    double low[3], high[3]; ///< empty when low > high
} render_box;
bool render_box_some(const render_box *box);

/// A mesh on the stage. World coordinates are mesh.origin + x.
typedef struct stage_mesh {
    sp_mesh mesh;
    sp_trace_class kind;
    const sp_look_material *material; ///< of opaque things
    int pattern;                      ///< as in sp_trace_material
    float pattern_size;
    const sp_shape *shape; ///< the collider whose pose is applied to it; NULL: none
} stage_mesh;

/// What a sphere stands for, if it is a cluster of equal bubbles or drops.
typedef struct stage_cluster {
    float number;    ///< of bubbles, at least 1
    float normal[3]; ///< of the surface that a raft of foam lies on
    uint64_t key;    ///< random; belongs to the particle for all of its life
} stage_cluster;

/// Spheres of one class.
typedef struct stage_spheres {
    size_t count;
    float (*at)[4];         ///< x, y, z from the frame's origin, and the radius
    float (*velocity)[3];   ///< m/s; NULL: unknown
    float (*color)[3];      ///< of opaque ones; NULL: the material's
    stage_cluster *cluster; ///< NULL: each sphere is one bubble
    sp_trace_class kind;
} stage_spheres;

enum { STAGE_MESHES = 1100, STAGE_SPHERES = 8 };
/// Everything visible in a frame.
typedef struct stage {
    const sp_host *host;
    const sp_frame *frame;
    const sp_render_options *options;
    const sp_look_def *look;
    stage_mesh *meshes;
    size_t mesh_count;
    stage_spheres spheres[STAGE_SPHERES];
    size_t sphere_count;
    render_box bounds; ///< m, world: of everything but infinite planes
    render_box liquid; ///< of the liquid alone
    const sp_look_material *glass;
} stage;

/// Call stage_close() also after a failure.
sp_status stage_open(stage *s, const sp_frame *frame, const sp_render_options *options,
                     const sp_host *host, sp_error *err);
/// The same in two parts, for callers that add other things in between.
sp_status stage_begin(stage *s, const sp_frame *frame, const sp_render_options *options,
                      const sp_host *host, sp_error *err);
sp_status stage_finish(stage *s, sp_error *err);
void stage_close(stage *s);
stage_mesh *stage_add_mesh(stage *s); ///< zeroed; NULL: more than STAGE_MESHES
/// Room for n spheres of a class. Close them also after a failure, which returns false: no memory.
bool stage_spheres_open(stage_spheres *spheres, const sp_host *host, size_t n, sp_trace_class kind,
                        bool moving, bool colored);
void stage_spheres_close(stage_spheres *spheres, const sp_host *host);
/// The same on the stage; NULL: no memory.
stage_spheres *stage_add_spheres(stage *s, size_t n, sp_trace_class kind, bool moving,
                                 bool colored);

sp_status stage_water(stage *s, sp_error *err); ///< water.c
sp_status stage_basin(stage *s, const sp_field *height, const sp_field *depth,
                      sp_error *err);                     ///< glass_tank.c
sp_status stage_bubbles(stage *s, sp_error *err);         ///< bubbles.c
sp_status stage_foam_spray_sand(stage *s, sp_error *err); ///< foam_spray_sand.c

/// How particles become a surface, as the look says. `usual` and `passes` are the method and the
/// smoothing passes where the look leaves them open.
sp_surface_def stage_surface_def(const stage *s, sp_surface_method usual, int passes);

/// The columns of a particle set that pictures need.
typedef struct set_view {
    size_t count;
    const float *position; ///< three a particle
    const float *velocity; ///< likewise; NULL: none
    const float *radius;   ///< NULL: none
    const uint64_t *id;
    const float *number;          ///< of bubbles that a particle stands for; NULL: none
    const uint32_t *whole_number; ///< the same, where it is not floats
    float usual;                  ///< m; the radius if there is no column
} set_view;
/// False when the set has no particles.
bool set_view_open(const sp_frame *frame, const char *name, set_view *out);
/// Adds particle i to spheres with room for it; false if it has no place or no size.
bool stage_put_sphere(stage_spheres *spheres, const set_view *set, size_t i);

/// ---- Clusters (clusters.c) ---------------------------------------------------------------------

/// Room for the clusters of a set whose particles stand for several bubbles; nothing for others.
/// stage_put_sphere() fills them in.
sp_status stage_add_clusters(stage *s, stage_spheres *spheres, const set_view *set, sp_error *err);
stage_cluster stage_cluster_of(const set_view *set, size_t i);
/// Gives rafts of foam the normals of the frame's surface.
sp_status stage_lay_rafts(const stage *s, stage_spheres *foam, sp_error *err);
/// Single spheres in place of clusters, as many as the picture needs. Close `out` in either case.
sp_status stage_split_clusters(const stage *s, const stage_spheres *from, const double base[3],
                               const render_eye *eye, stage_spheres *out, sp_error *err);

/// The camera of the options, else that of the look, else one that frames the stage.
sp_look_camera camera_choose(const stage *s);

/// Adds floor, wall and lamps. `base` is the origin of the tracer's space in world coordinates.
sp_status studio_build(const stage *s, const sp_look_camera *camera, const double base[3],
                       sp_tracer *tracer, sp_error *err);

/// Adds everything to the tracer and commits it. Meshes on the stage are transformed in place.
sp_status stage_to_tracer(stage *s, const sp_look_camera *camera, const render_eye *eye,
                          const double base[3], double shutter, sp_tracer *tracer, sp_error *err);

/// The settings that follow from options, preset and look.
typedef struct render_plan {
    int width, height, samples, depth, split;
    float clamp;
    double shutter; ///< frames
    bool denoise;
} render_plan;
sp_status plan_make(const sp_render_options *options, render_plan *plan, sp_error *err);

/// Traces the stage. `camera` gets the camera that was used, in the tracer's space.
sp_status trace_stage(stage *s, const render_plan *plan, sp_trace_camera *camera,
                      sp_trace_film *film, sp_error *err);

/// Diagnostic pictures (diagnostic.c, slice.c). options->look must not be NULL.
#define DIAGRAM_DOME 0.55f ///< radiance of their dome
sp_status diagnostic_pixels(const sp_frame *frame, const sp_render_options *options,
                            unsigned char *pixels, const sp_host *host, sp_error *err);
sp_status slice_pixels(const sp_frame *frame, const sp_render_options *options,
                       unsigned char *pixels, const sp_host *host, sp_error *err);

#endif
