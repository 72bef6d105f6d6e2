// SPDX-License-Identifier: Apache-2.0
/// The divergence of the velocity that frames publish, measured from the frame alone: its surface,
/// its velocity, and the open shares of faces. Whoever reads a frame relies on it.
#include "validate/liquid/proofs.h"

typedef struct measuring {
    float *phi, *u[3], *size; ///< on the solver's tiles
    double p99, most, slits;  ///< |div| voxel/speed, the worst of all frames; see collect()
} measuring;

static bool take_memory(measuring *m, const sp_tiles *tiles)
{
    m->phi = sp_tiles_field(tiles, 0.0f);
    m->size = sp_tiles_field(tiles, 0.0f);
    bool enough = m->phi && m->size;
    for (int a = 0; a < 3; ++a) {
        m->u[a] = sp_tiles_field(tiles, 0.0f);
        enough &= m->u[a] != NULL;
    }
    return enough;
}

static void give_memory_back(measuring *m, const sp_host *host)
{
    sp_release(host, m->phi);
    sp_release(host, m->size);
    for (int a = 0; a < 3; ++a)
        sp_release(host, m->u[a]);
}

/// Copies a frame's field to the solver's tiles: open shares are known by those.
static sp_status read_field(const liquid *s, const sp_frame *frame, const char *name,
                            float background, float *const to[3], sp_error *err)
{
    const sp_field *field = sp_frame_field(frame, name);
    float *values[3] = {NULL};
    sp_tiles tiles;
    SP_TRY(sp_tiles_from_field(&tiles, s->host, s->grid.voxel, field, values, err));
    for (int c = 0; c < field->components; ++c) {
        sp_tiles_carry(&tiles, values[c], &s->grid.tiles, to[c], background);
        sp_release(s->host, values[c]);
    }
    sp_tiles_close(&tiles);
    return SP_OK;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// Marks voxels with a face that is a slit: its velocity is limited after the projection.
static void mark_slits(const liquid *s, uint32_t t, bool slit[SP_TILE_VOXELS])
{
    memset(slit, 0, SP_TILE_VOXELS * sizeof *slit);
    for (int axis = 0; axis < 3; ++axis) {
        float open[2][SP_TILE_VOXELS];
        if (!sp_flow_open_fractions(&s->solids, &s->grid.tiles, t, axis, open[0], open[1]))
            continue;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            for (int side = 0; side < 2; ++side)
                slit[n] |= open[side][n] > 0.0f && open[side][n] < SP_FLOW_SLIT;
    }
}

/// What a frame shows: |div| voxel of all water within the domain in m->size, m/s.
typedef struct seen {
    size_t count;
    double most, slits; ///< largest in voxels without and with slits, m/s
    double speed;       ///< of the fastest face beside water, m/s
} seen;

static seen collect(const liquid *s, const measuring *m)
{
    const sp_tiles *tiles = &s->grid.tiles;
    const sp_flow_equation e = {.tiles = tiles,
                                .solids = &s->solids,
                                .level = m->phi,
                                .level_outside = s->grid.band,
                                .flux = {m->u[0], m->u[1], m->u[2]}};
    seen out = {0};
    for (uint32_t t = 0; t < tiles->count; ++t) {
        float div[SP_TILE_VOXELS];
        bool slit[SP_TILE_VOXELS];
        sp_flow_divergence(&e, t, div);
        mark_slits(s, t, slit);
        int first[3], last[3];
        const bool side = liquid_inside_span(&s->grid, &s->def, t, first, last);
        for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
            const size_t i = (size_t)t * SP_TILE_VOXELS + n;
            if (!(m->phi[i] < 0.0f) || (side && liquid_is_beyond((int)n, first, last))) continue;
            double *largest = slit[n] ? &out.slits : &out.most;
            m->size[out.count++] = fabsf(div[n]);
            *largest = fmax(*largest, (double)fabsf(div[n]));
            for (int a = 0; a < 3; ++a)
                out.speed = fmax(out.speed, (double)fabsf(m->u[a][i]));
        }
    }
    return out;
}

static sp_status measure_frame(liquid *s, measuring *m, sp_error *err)
{
    sp_frame frame = {0};
    SP_TRY(liquid_publish(s, &frame, err));
    SP_TRY(read_field(s, &frame, "surface", s->grid.band, (float *[3]){m->phi}, err));
    SP_TRY(read_field(s, &frame, "velocity", 0.0f, m->u, err));
    const seen f = collect(s, m);
    if (f.count == 0 || f.speed <= 0.0) return SP_OK;
    qsort(m->size, f.count, sizeof *m->size, by_size);
    m->p99 = fmax(m->p99, (double)m->size[(f.count * 99) / 100] / f.speed);
    m->most = fmax(m->most, f.most / f.speed);
    m->slits = fmax(m->slits, f.slits / f.speed);
    return SP_OK;
}

static sp_status measure(liquid *s, measuring *m, sp_error *err)
{
    if (!take_memory(m, &s->grid.tiles)) {
        give_memory_back(m, s->host);
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to measure a frame");
    }
    const sp_status status = measure_frame(s, m, err);
    give_memory_back(m, s->host);
    return status;
}

/// Runs a case for some frames of 1/24 s and measures each.
static sp_status follow(const sp_host *host, liquid_case *c, int frames, measuring *m,
                        sp_error *err)
{
    liquid *s;
    SP_TRY(liquid_case_open(c, host, &s, err));
    sp_status status = SP_OK;
    for (int frame = 1; frame <= frames && status == SP_OK; ++frame) {
        status = liquid_case_run(s, frame / 24.0, err);
        if (status == SP_OK) status = measure(s, m, err);
    }
    liquid_close(s);
    return status;
}

static const char slits[] = "faces open by less than a quarter: their velocity is limited, else "
                            "water would seem to leave as a jet";

/// ---- The proofs --------------------------------------------------------------------------------

/// A box turns in water over a sloping floor while another box moves through it.
static void make_stirred(liquid_case *c, sp_spin_def *spin)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 0.48f, 0.4f, 0.16f, 0.01f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.48f, 0.21f, 0.16f}});
    proof_plane(&c->scene, (sp_plane_def){{0.0f, 0.02f, 0.0f}, {-0.17364818f, 0.98480775f, 0.0f}});
    *spin =
        (sp_spin_def){.center = {0.15f, 0.15f, 0.08f}, .axis = {0.0f, 0.3f, 1.0f}, .rpm = 60.0f};
    proof_box(&c->scene, (sp_box_def){{0.07f, 0.13f, 0.04f}, {0.23f, 0.17f, 0.12f}})->motion.spin =
        spin;
    sp_collider_def *drawn =
        proof_box(&c->scene, (sp_box_def){{0.33f, 0.15f, 0.05f}, {0.38f, 0.3f, 0.11f}});
    proof_move(&c->scene, drawn, (const float[3]){0.1f, 0.02f, 0.0f});
}

sp_status liquid_prove_divergence(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    sp_spin_def spin;
    measuring m = {0};
    make_stirred(&c, &spin);
    c.def.pressure.tolerance = 1e-6;
    SP_TRY(follow(report->host, &c, 12, &m, err));
    sp_at_most(report, "frames: |div| dx/|u| in 99 % of the water, solved to 1e-6", m.p99, 1e-5,
               "cut voxels, bodies that move: fluxes through solids count at their own velocity");
    sp_at_most(report, "the largest in voxels without slits", m.most, 1e-5, "the same");
    sp_reported(report, "the largest in voxels with slits", m.slits, slits);
    return SP_OK;
}

static sp_status prove_scene(sp_check_report *report, const char *name,
                             void (*make)(liquid_case *c, float voxel), float voxel, int frames,
                             sp_error *err)
{
    liquid_case c;
    measuring m = {0};
    make(&c, voxel);
    SP_TRY(follow(report->host, &c, frames, &m, err));
    sp_at_most(report,
               sp_label(report, "%s, %d frames: |div| dx/|u| in 99 %% of the water", name, frames),
               m.p99, 1e-4, "ten times the solver's tolerance: nothing else may be in it");
    sp_at_most(report, sp_label(report, "%s: the largest in voxels without slits", name), m.most,
               1e-4, "the same");
    sp_reported(report, sp_label(report, "%s: the largest in voxels with slits", name), m.slits,
                slits);
    return SP_OK;
}

sp_status liquid_prove_divergence_scenes(sp_check_report *report, sp_error *err)
{
    SP_TRY(prove_scene(report, "dam_break", liquid_make_dam_break, 1.0f / 30.0f, 24, err));
    return prove_scene(report, "drop", liquid_make_drop, 1.0f / 32.0f, 24, err);
}

sp_status liquid_prove_divergence_long(sp_check_report *report, sp_error *err)
{
    SP_TRY(prove_scene(report, "dam_break", liquid_make_dam_break, 1.0f / 60.0f, 96, err));
    return prove_scene(report, "drop", liquid_make_drop, 1.0f / 64.0f, 72, err);
}
