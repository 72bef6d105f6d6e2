// SPDX-License-Identifier: Apache-2.0
/// Bubbles rise in the tank of scene sph/calm: whether they merge, larger ones are faster and lone
/// ones zigzag, as in the paper, and whether every particle is accounted for. docs/sph.md says why
/// some of these rows miss.
#include "validate/cases.h"
#include "validate/sph/bubbles.h"

enum {
    FRAMES = 144,
    FPS = 24,
    EVERY = 6,   // frames between two looks at all bubbles, in which they move by a few sizes
    MOST = 1024, // air particles
    CLASSES = 6, // of sizes: 1, 2-3, 4-7, 8-15, 16-31, more
    COLUMNS = 1 + CLASSES,
};

/// A particle in a frame.
typedef struct point {
    double x[3];
    bool rises; ///< it is there, and no foam
    bool alone; ///< it rises, and no air is nearer than h
} point;

typedef struct calm {
    sph *s;
    sph_ledger ledger;
    uint64_t first; ///< id of air
    point path[MOST][FRAMES];
    proof_sample samples[MOST * FRAMES / EVERY]; ///< particles; m/s, upwards
    size_t sample_count;
    double classes[FRAMES][COLUMNS];
} calm;

/// ---- Watching ---------------------------------------------------------------------------------

typedef struct bubble {
    size_t count;
    double height, speed;
} bubble;

static const float side = 0.82f, depth = 1.02f; // m; water stands a spacing below that

static void note_bubbles(calm *c, int frame, const int32_t *belongs, const bubble *all)
{
    const double floor = 0.1, surface = (double)depth - 4.0 * (double)c->s->d;
    for (size_t i = 0; i < c->s->air.set.count; ++i) {
        const bubble *b = &all[i];
        if (belongs[i] != (int32_t)i) continue;
        int k = 0;
        for (size_t n = b->count; n > 1 && k < CLASSES - 1; n /= 2)
            ++k;
        c->classes[frame][1 + k] += 1.0;
        const double n = (double)b->count, height = b->height / n;
        if (frame % EVERY == 0 && height > floor && height < surface)
            c->samples[c->sample_count++] = (proof_sample){.size = n, .speed = b->speed / n};
    }
}

static void note_frame(calm *c, int frame)
{
    const sph_phase *air = &c->s->air;
    int32_t belongs[MOST];
    bubble all[MOST] = {{0}};
    c->classes[frame][0] = (frame + 1.0) / FPS;
    sph_find_bubbles(c->s, false, belongs);
    for (size_t i = 0; i < air->set.count; ++i) {
        if (belongs[i] == SPH_NO_BUBBLE) continue;
        bubble *b = &all[belongs[i]];
        ++b->count;
        b->height += (double)air->x[1][i];
        b->speed += (double)air->v[1][i];
    }
    for (size_t i = 0; i < air->set.count; ++i) {
        point *p = &c->path[air->id[i] - c->first][frame];
        for (int k = 0; k < 3; ++k)
            p->x[k] = (double)air->x[k][i];
        p->rises = belongs[i] != SPH_NO_BUBBLE;
        p->alone = p->rises && all[belongs[i]].count == 1;
    }
    note_bubbles(c, frame, belongs, all);
}

/// ---- Sizes and speeds -------------------------------------------------------------------------

/// Of all pairs of samples with different sizes, the share in which the larger is the faster. Equal
/// sizes, which limit a rank correlation, do not count here.
static double larger_is_faster(const proof_sample *all, size_t n)
{
    double pairs = 0.0, faster = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const double size = all[i].size - all[j].size, speed = all[i].speed - all[j].speed;
            if (size == 0.0) continue;
            pairs += 1.0;
            faster += size * speed > 0.0 ? 1.0 : 0.0;
        }
    return faster / pairs;
}

/// ---- Paths ------------------------------------------------------------------------------------

/// Amplitude of a sine with the same mean square as a path's distance from the straight line
/// through it, along x or z, m.
static double sway(const point *path, int n, int axis)
{
    double t = 0.0, x = 0.0, tt = 0.0, tx = 0.0, rest = 0.0;
    for (int i = 0; i < n; ++i) {
        t += path[i].x[1] / n;
        x += path[i].x[axis] / n;
    }
    for (int i = 0; i < n; ++i) {
        tt += (path[i].x[1] - t) * (path[i].x[1] - t);
        tx += (path[i].x[1] - t) * (path[i].x[axis] - x);
    }
    for (int i = 0; i < n; ++i) {
        const double off = path[i].x[axis] - x - tx / tt * (path[i].x[1] - t);
        rest += off * off / n;
    }
    return sqrt(2.0 * rest);
}

/// Mean amplitude over all paths of 0.75 s, of lone particles or of all that rise, m. `paths`
/// becomes how many there were.
static double mean_sway(const calm *c, bool alone, int *paths)
{
    enum { LENGTH = 3 * FPS / 4 };
    double sum = 0.0;
    *paths = 0;
    for (int i = 0; i < MOST; ++i)
        for (int k = 0, run = 0; k < FRAMES; ++k) {
            const point *now = &c->path[i][k];
            run = (alone ? now->alone : now->rises) ? run + 1 : 0;
            if (run < LENGTH) continue;
            const point *path = now + 1 - LENGTH;
            sum += hypot(sway(path, LENGTH, 0), sway(path, LENGTH, 2));
            ++*paths;
            run = 0;
        }
    return *paths > 0 ? sum / *paths : 0.0;
}

/// ---- The proof --------------------------------------------------------------------------------

static void judge(calm *c, sp_check_report *report)
{
    int lone_paths, paths;
    const double d = (double)c->s->d, lone = mean_sway(c, true, &lone_paths) / d,
                 any = mean_sway(c, false, &paths) / d;
    double largest = 0.0, lone_bubbles = 0.0;
    for (size_t i = 0; i < c->sample_count; ++i) {
        largest = fmax(largest, c->samples[i].size);
        lone_bubbles += c->samples[i].size == 1.0 ? 1.0 : 0.0;
    }
    sp_at_least(report, "pairs of different size in which the larger is faster, share",
                larger_is_faster(c->samples, c->sample_count), 0.9,
                "1 if size alone decided; bubbles also carry each other");
    sp_at_least(
        report, "rank correlation of size and rise speed",
        proof_rank_correlation(c->samples, c->sample_count), 0.8,
        "Spearman's, over all bubbles; where a share p has one size, at most sqrt(1 - p^3)");
    sp_at_most(report, "share of bubbles that are one particle",
               lone_bubbles / (double)c->sample_count, 0.71,
               "more leave no rank correlation of 0.8, see above");
    sp_at_least(report, "particles of the largest bubble", largest, 5.0,
                "bubbles of one size would prove nothing");
    sp_at_least(report, "lone bubbles followed for 0.75 s", lone_paths, 20.0, "for a mean");
    sp_at_least(report, "amplitude of their sway, spacings", lone, 0.5,
                "a zigzag by less than the radius of a bubble is not seen");
    sp_at_least(report, "the same of all that rises, spacings", any, 0.5, "as above");
    sph_ledger_put(&c->ledger, report);
    sp_check_curve(report, "calm_sizes", "time_s,1,2-3,4-7,8-15,16-31,32", c->classes[0], FRAMES);
}

static sp_status watch(calm *c, const sp_box_def *tank, sp_error *err)
{
    c->first = c->s->next_id;
    SP_TRY(sph_ledger_open(&c->ledger, c->s, tank, err));
    for (int k = 0; k < FRAMES; ++k) {
        SP_TRY(sph_case_run(c->s, (k + 1.0) / FPS, err));
        SP_TRY(sph_ledger_look(&c->ledger, c->s, err));
        note_frame(c, k);
    }
    return SP_OK;
}

sp_status sph_prove_calm(sp_check_report *report, sp_error *err)
{
    sph_case tank;
    calm *c = sp_allocate(report->host, 1, sizeof *c);
    if (!c) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for paths of bubbles");
    sph_case_tank(&tank, side, 1.3f, side, 0.02f);
    proof_fill(&tank.scene, (sp_box_def){.max = {side, depth, side}});
    sp_sph_seeder_def *seeder =
        sph_case_seed(&tank, (sp_box_def){{0.1f, 0.03f, 0.1f}, {0.72f, 0.05f, 0.72f}}, 120.0f);
    seeder->start = 0.5f;
    seeder->stop = 4.5f;
    tank.def.dt_mode = SP_SPH_FIXED;
    tank.def.dt = 1.5e-3;
    tank.def.trapped.enabled = false;
    sp_status status = sph_case_open(&tank, report->host, &c->s, err);
    if (status == SP_OK) status = watch(c, &tank.tank, err);
    if (status == SP_OK) judge(c, report);
    sph_ledger_close(&c->ledger);
    sph_close(c->s);
    sp_release(report->host, c);
    return status;
}
