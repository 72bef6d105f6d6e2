// SPDX-License-Identifier: Apache-2.0
/// From a frame and the scene's colliders to meshes and spheres in the world.
#include "render/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static render_box box_empty(void)
{
    const double far = (double)INFINITY;
    return (render_box){{far, far, far}, {-far, -far, -far}};
}

static void box_add(render_box *box, const double p[3], double r)
{
    for (int c = 0; c < 3; ++c) {
        box->low[c] = fmin(box->low[c], p[c] - r);
        box->high[c] = fmax(box->high[c], p[c] + r);
    }
}

static void box_join(render_box *box, const render_box *other)
{
    if (!render_box_some(other)) return;
    box_add(box, other->low, 0.0);
    box_add(box, other->high, 0.0);
}

bool render_box_some(const render_box *box)
{
    return box->low[0] <= box->high[0];
}

stage_mesh *stage_add_mesh(stage *s)
{
    return s->mesh_count < STAGE_MESHES ? &s->meshes[s->mesh_count++] : NULL;
}

/// ---- Colliders ---------------------------------------------------------------------------------

/// Meshes that change their shape take that of the frame.
static sp_status deform(sp_shape *shape, double t, sp_error *err)
{
    sp_error why = {0};
    const sp_status status = sp_shape_deform(shape, t, &why);
    const char *name = sp_shape_def_of(shape)->name;
    return status == SP_OK
               ? SP_OK
               : sp_fail(err, status, "collider \"%s\": %s", name ? name : "", why.text);
}

static sp_status put_collider(stage *s, sp_shape *shape, sp_error *err)
{
    SP_TRY(deform(shape, s->frame->time, err));
    const sp_collider_def *def = sp_shape_def_of(shape);
    const char *name = def->material ? def->material : "stone";
    const sp_look_material *material = sp_look_find_material(s->look, name);
    if (!material)
        return sp_fail(err, SP_BAD_INPUT,
                       "collider \"%s\": material \"%s\" is unknown; expected " SP_LOOK_MATERIALS
                       " or one of look.materials",
                       def->name ? def->name : "", name);
    if (material->glass && sp_shape_open_edges(shape) > 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "collider \"%s\" is glass but its mesh has %zu open edges: rays would leak; "
                       "close it or give it "
                       "thickness",
                       def->name ? def->name : "", sp_shape_open_edges(shape));
    stage_mesh *out = stage_add_mesh(s);
    if (!out) return sp_fail(err, SP_BAD_INPUT, "render: more than %d colliders", STAGE_MESHES);
    render_box box;
    const double zero[3] = {0.0, 0.0, 0.0};
    sp_shape_bounds(shape, s->frame->time, box.low, box.high);
    const bool endless = def->shape.plane || (def->inside_out && !(def->thickness > 0.0f));
    if (endless && def->inside_out) { // solid all around: there is nothing to see from inside
        --s->mesh_count;
        return SP_OK;
    }
    const double size =
        endless ? 10.0
                : sqrt(pow(box.high[0] - box.low[0], 2.0) + pow(box.high[1] - box.low[1], 2.0) +
                       pow(box.high[2] - box.low[2], 2.0));
    SP_TRY(sp_shape_mesh(shape, (float)(0.004 * size), zero, 100.0 * size, &out->mesh, err));
    out->kind = material->glass ? SP_TRACE_GLASS : SP_TRACE_OPAQUE;
    out->material = material;
    out->shape = shape;
    if (material->glass) s->glass = material;
    if (strcmp(name, "stone") == 0 || strcmp(name, "sand") == 0) {
        out->pattern = 2;
        out->pattern_size = (float)(0.02 * size);
    }
    if (!endless) box_join(&s->bounds, &box);
    return SP_OK;
}

/// ---- All ---------------------------------------------------------------------------------------

static void measure(stage *s)
{
    for (size_t m = 0; m < s->mesh_count; ++m) {
        const stage_mesh *mesh = &s->meshes[m];
        if (mesh->shape) continue; // measured by its own bounds
        render_box box = box_empty();
        for (size_t i = 0; i < mesh->mesh.vertex_count; ++i) {
            const float *x = mesh->mesh.x[i];
            const double p[3] = {mesh->mesh.origin[0] + (double)x[0],
                                 mesh->mesh.origin[1] + (double)x[1],
                                 mesh->mesh.origin[2] + (double)x[2]};
            box_add(&box, p, 0.0);
        }
        box_join(&s->bounds, &box);
        if (mesh->kind == SP_TRACE_WATER) box_join(&s->liquid, &box);
    }
    for (size_t g = 0; g < s->sphere_count; ++g)
        for (size_t i = 0; i < s->spheres[g].count; ++i) {
            const float *x = s->spheres[g].at[i];
            const double p[3] = {s->frame->origin[0] + (double)x[0],
                                 s->frame->origin[1] + (double)x[1],
                                 s->frame->origin[2] + (double)x[2]};
            box_add(&s->bounds, p, (double)x[3]);
        }
}

/// What a frame without anything to see holds, for the sentence that says so.
static sp_status nothing(const sp_frame *frame, sp_error *err)
{
    char list[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < frame->set_count && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%zu)", i ? ", " : "",
                                 frame->sets[i].name, frame->sets[i].count);
    return sp_fail(err, SP_BAD_INPUT, "no set or field to draw in frame %llu: it holds %s",
                   (unsigned long long)frame->frame, list[0] ? list : "no sets");
}

sp_status stage_begin(stage *s, const sp_frame *frame, const sp_render_options *options,
                      const sp_host *host, sp_error *err)
{
    *s = (stage){.host = host,
                 .frame = frame,
                 .options = options,
                 .look = options->look,
                 .bounds = box_empty(),
                 .liquid = box_empty()};
    s->meshes = sp_allocate(host, STAGE_MESHES, sizeof *s->meshes);
    return s->meshes ? SP_OK : sp_fail(err, SP_NO_MEMORY, "render: no memory for the scene");
}

sp_status stage_finish(stage *s, sp_error *err)
{
    const bool picture = s->options->kind == SP_RENDER_PICTURE;
    for (size_t i = 0; picture && i < s->options->collider_count; ++i)
        SP_TRY(put_collider(s, s->options->colliders[i], err));
    measure(s);
    // a scene may begin dry: then there are only solids to see, or nothing but where it will be
    if (s->mesh_count + s->sphere_count > 0) return SP_OK;
    const sp_domain_def *domain = s->options->domain;
    if (!domain) return nothing(s->frame, err);
    for (int k = 0; k < 3; ++k) {
        s->bounds.low[k] = (double)domain->min[k];
        s->bounds.high[k] = (double)domain->max[k];
    }
    return SP_OK;
}

sp_status stage_open(stage *s, const sp_frame *frame, const sp_render_options *options,
                     const sp_host *host, sp_error *err)
{
    SP_TRY(stage_begin(s, frame, options, host, err));
    SP_TRY(stage_water(s, err));
    SP_TRY(stage_bubbles(s, err));
    SP_TRY(stage_foam_spray_sand(s, err));
    return stage_finish(s, err);
}

void stage_close(stage *s)
{
    for (size_t m = 0; m < s->mesh_count; ++m)
        sp_mesh_close(&s->meshes[m].mesh);
    sp_release(s->host, s->meshes);
    for (size_t g = 0; g < s->sphere_count; ++g)
        stage_spheres_close(&s->spheres[g], s->host);
    *s = (stage){.host = s->host};
}
