// SPDX-License-Identifier: Apache-2.0
/// Scattered foam that gathers, and how long substeps may be.
#include "core/numbers/union_find.h"
#include "validate/foam/proofs.h"

/// ---- Clusters ----------------------------------------------------------------------------------

typedef struct gathered {
    double contacts; ///< a particle, nearer than 1.25 diameters
    double clusters; ///< groups that contacts join
} gathered;

static bool touches(const foam_case *c, size_t i, size_t k)
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a)
        sum += (c->p.x[a][i] - c->p.x[a][k]) * (c->p.x[a][i] - c->p.x[a][k]);
    return sqrt(sum) < 1.25 * (double)(c->radius[i] + c->radius[k]);
}

static sp_status count_clusters(const foam_case *c, gathered *out, sp_error *err)
{
    const size_t n = c->p.count;
    uint32_t *parent = sp_allocate(c->host, n, sizeof *parent);
    *out = (gathered){0};
    if (!parent) return sp_fail(err, SP_NO_MEMORY, "foam: no memory for %zu clusters", n);
    for (size_t i = 0; i < n; ++i)
        parent[i] = (uint32_t)i;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < i; ++k)
            if (touches(c, i, k)) {
                out->contacts += 2.0 / (double)n;
                sp_unite(parent, (uint32_t)i, (uint32_t)k);
            }
    for (size_t i = 0; i < n; ++i)
        out->clusters += parent[i] == i;
    sp_release(c->host, parent);
    return SP_OK;
}

static sp_status gather(size_t n, float cohesion, float reach, double seconds, const sp_host *host,
                        gathered *out, sp_error *err)
{
    foam_case c;
    SP_TRY(foam_case_open(&c, n, 0.002f, host, err));
    foam_case_scatter(&c, 0.35, 3);
    c.def.cohesion = cohesion;
    c.def.cohesion_radius = reach;
    sp_status status = foam_case_again(&c, err);
    if (status == SP_OK) status = foam_case_run(&c, seconds, 1.0 / 24.0, err);
    if (status == SP_OK) status = count_clusters(&c, out, err);
    foam_case_close(&c);
    return status;
}

/// Stronger cohesion: more contacts, fewer clusters.
sp_status foam_prove_cohesion(sp_check_report *report, sp_error *err)
{
    static const float strengths[] = {0.0f, 10.0f, 30.0f, 100.0f};
    gathered last = {0.0, HUGE_VAL};
    for (size_t n = 0; n < sizeof strengths / sizeof *strengths; ++n) {
        gathered now;
        const double strength = (double)strengths[n];
        SP_TRY(gather(1500, strengths[n], 5.0f, 2.0, report->host, &now, err));
        const bool first = n == 0; // it has nothing to be compared with
        const char *label = sp_label(report, "contacts a particle, C = %g", strength);
        if (first)
            sp_reported(report, label, now.contacts, "without cohesion");
        else
            sp_at_least(report, label, now.contacts, last.contacts, "more than with less cohesion");
        label = sp_label(report, "clusters of 1,500 particles, C = %g", strength);
        if (first)
            sp_reported(report, label, now.clusters, "without cohesion");
        else
            sp_at_most(report, label, now.clusters, last.clusters, "fewer than with less cohesion");
        last = now;
    }
    return SP_OK;
}

/// Farther cohesion: larger clusters.
sp_status foam_prove_reach(sp_check_report *report, sp_error *err)
{
    enum { COUNT = 4000 };
    static const float reaches[] = {5.0f, 8.0f, 12.0f};
    double last = 0.0;
    for (size_t n = 0; n < sizeof reaches / sizeof *reaches; ++n) {
        gathered now;
        SP_TRY(gather(COUNT, 100.0f, reaches[n], 5.0, report->host, &now, err));
        const double size = COUNT / now.clusters;
        sp_at_least(report,
                    sp_label(report, "particles a cluster, reach %g radii", (double)reaches[n]),
                    size, last, "larger than with less reach");
        last = size;
    }
    return SP_OK;
}

/// ---- Substeps ----------------------------------------------------------------------------------

/// A squeezed patch for ten seconds: the largest speed of all.
static sp_status let_settle(float radius, float viscosity, const sp_host *host, double *fastest,
                            sp_error *err)
{
    enum { SIDE = 20 };
    foam_case c;
    SP_TRY(foam_case_open(&c, (size_t)SIDE * SIDE, radius, host, err));
    foam_case_layer(&c, SIDE, 0.85 * 2.0 * (double)radius);
    c.def.viscosity = viscosity;
    c.def.max_substeps = 1000;
    sp_status status = foam_case_again(&c, err);
    *fastest = 0.0;
    for (int n = 0; n < 240 && status == SP_OK; ++n) {
        status = foam_case_run(&c, 1.0 / 24.0, 1.0 / 24.0, err);
        *fastest = fmax(*fastest, c.figures.fastest);
    }
    foam_case_close(&c);
    return status;
}

sp_status foam_prove_stable(sp_check_report *report, sp_error *err)
{
    static const float radii[] = {0.0005f, 0.001f, 0.002f, 0.005f}, mus[] = {0.05f, 0.5f, 5.0f};
    for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r)
        for (size_t m = 0; m < sizeof mus / sizeof *mus; ++m) {
            double fastest;
            SP_TRY(let_settle(radii[r], mus[m], report->host, &fastest, err));
            sp_at_most(
                report,
                sp_label(report, "fastest in 10 s, radius %g mm, mu = %g, m/s",
                         1e3 * (double)radii[r], (double)mus[m]),
                fastest, sqrt(0.5),
                "the speed of sound: what a squeezed patch may throw; unstable foam passes it");
        }
    return SP_OK;
}
