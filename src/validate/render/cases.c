// SPDX-License-Identifier: Apache-2.0
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

#include <string.h>

sp_status prove_with_tracer(sp_check_report *report, prove_traced *body, sp_error *err)
{
    sp_tracer *t;
    SP_TRY(sp_tracer_open(report->host, &t, err));
    const sp_status status = body(report, t, err);
    sp_tracer_close(t);
    return status;
}

sp_status prove_add_box(sp_tracer *t, const float low[3], const float high[3], sp_trace_class kind,
                        int material, sp_error *err)
{
    static const uint32_t faces[6][4] = {{0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2},
                                         {1, 3, 7, 5}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    sp_mesh m;
    SP_TRY(sp_mesh_open(&m, t->host, 8, 12, 0, err));
    for (int k = 0; k < 8; ++k)
        for (int a = 0; a < 3; ++a)
            m.x[k][a] = (k >> a & 1) ? high[a] : low[a];
    for (int f = 0; f < 6; ++f) {
        const uint32_t *c = faces[f], two[2][3] = {{c[0], c[1], c[2]}, {c[0], c[2], c[3]}};
        memcpy(m.tri[2 * f], two, sizeof two);
    }
    const sp_status status = sp_tracer_mesh(t, &m, NULL, kind, material, err);
    sp_mesh_close(&m);
    return status;
}

sp_status prove_add_sphere(sp_tracer *t, float x, float y, float z, float r, sp_trace_class kind,
                           int material, sp_error *err)
{
    const float sphere[1][4] = {{x, y, z, r}};
    return sp_tracer_spheres(t, 1, sphere, NULL, kind, material, NULL, NULL, err);
}

sp_status prove_add_crowd(sp_tracer *t, size_t count, const float low[3], const float high[3],
                          float small, float large, sp_trace_class kind, sp_error *err)
{
    float(*s)[4] = sp_allocate(t->host, count, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "validate: no memory for %zu spheres", count);
    for (size_t i = 0; i < count; ++i) {
        const sp_random4 r = sp_random(11, 3, i, 0, 0);
        for (int a = 0; a < 3; ++a)
            s[i][a] = sp_mix(low[a], high[a], sp_unit(r.x[a]));
        s[i][3] =
            1.0f / sqrtf(sp_mix(1.0f / (small * small), 1.0f / (large * large), sp_unit(r.x[3])));
    }
    const sp_status status =
        sp_tracer_spheres(t, count, (const float(*)[4])s, NULL, kind, 0, NULL, NULL, err);
    sp_release(t->host, s);
    return status;
}

sp_status prove_white(sp_tracer *t, sp_error *err)
{
    sp_tracer_water(t, &(sp_trace_medium){.ior = 1.333f});
    sp_tracer_glass(t, &(sp_trace_medium){.ior = 1.52f});
    sp_tracer_foam(t, &(sp_trace_foam){0.04f, 0.55f, 1.0f, 0.0f});
    SP_TRY(
        sp_tracer_lights(t, &(sp_trace_lights){.dome = SP_DOME_FURNACE, .dome_scale = 1.0f}, err));
    return sp_tracer_commit(t, err);
}

sp_status prove_render(const sp_tracer *t, sp_trace_camera camera, sp_trace_settings s,
                       prove_picture *out, sp_error *err)
{
    *out = (prove_picture){.host = t->host};
    SP_TRY(sp_trace_film_open(&out->film, t->host, s.width, s.height, err));
    const sp_status status = sp_tracer_render(t, &camera, &s, &out->film, &out->stats, err);
    if (status != SP_OK) {
        prove_picture_close(out);
        return status;
    }
    sp_trace_finish(&out->film, s.width, s.height, s.samples);
    return SP_OK;
}

void prove_picture_close(prove_picture *p)
{
    sp_trace_film_close(&p->film, p->host);
}

double prove_mean(const prove_picture *p, int width, int height, int channel)
{
    double sum = 0.0;
    for (int i = 0; i < width * height; ++i)
        sum += (double)p->film.color[i][channel];
    return sum / ((double)width * height);
}

sp_trace_camera prove_camera(float x, float y, float z, float tx, float ty, float tz, float fov)
{
    // An up vector that is not parallel to any view direction here.
    return (sp_trace_camera){
        .from = {x, y, z}, .to = {tx, ty, tz}, .up = {0.1f, 1.0f, 0.07f}, .fov = fov};
}

sp_status prove_rays(const sp_tracer *t, sp_trace_camera camera, int side, int samples,
                     sp_trace_record **out, sp_error *err)
{
    SP_TRY(sp_trace_record_open(t->host, out, err));
    const sp_trace_settings s = {
        .width = side, .height = side, .samples = samples, .depth = 16, .seed = 1, .record = *out};
    prove_picture p;
    const sp_status status = prove_render(t, camera, s, &p, err);
    if (status != SP_OK) {
        sp_trace_record_close(*out);
        *out = NULL;
        return status;
    }
    prove_picture_close(&p);
    return SP_OK;
}

#endif
