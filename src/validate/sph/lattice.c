// SPDX-License-Identifier: Apache-2.0
/// Densities of a lattice and neighbours of a crowd, as the solver's own lists and lanes give them.
#include "validate/sph/proofs.h"

/// ---- Densities --------------------------------------------------------------------------------

/// Density at the particle nearest to a point.
static double density_near(const sph *s, float x, float y, float z)
{
    const sph_phase *p = &s->liquid;
    size_t nearest = 0;
    float least = HUGE_VALF;
    for (size_t k = 0; k < p->cells.count; ++k) {
        const float *at = p->at + 4 * k;
        const float r2 =
            (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) + (at[2] - z) * (at[2] - z);
        if (r2 < least) nearest = k;
        least = fminf(least, r2);
    }
    return (double)p->rho[nearest];
}

/// A block of n^3 around the zero point, and one particle far from it.
static sp_status lay_block(sph *s, int n, sp_error *err)
{
    const float d = s->d, middle = 0.5f * (float)(n - 1);
    for (int k = 0; k < n * n * n; ++k)
        if (sph_case_add(s, &s->liquid, d * ((float)(k % n) - middle),
                         d * ((float)(k / n % n) - middle), d * ((float)(k / n / n) - middle),
                         err) == SIZE_MAX)
            return SP_NO_MEMORY;
    if (sph_case_add(s, &s->liquid, 1.0f, 0.0f, 0.0f, err) == SIZE_MAX) return SP_NO_MEMORY;
    return sph_arrange(s, err);
}

static sp_status look_at_densities(sp_check_report *report, sph *s, sp_error *err)
{
    enum { N = 9 };
    SP_TRY(lay_block(s, N, err));
    sp_within(report, "density inside a lattice, kg/m3", density_near(s, 0, 0, 0), 999.972, 0.01,
              "33 terms of W at h = 2d, known exactly; f32 costs 1e-4");
    sp_within(report, "density of its top layer, kg/m3", density_near(s, 0, 0.02f * (N / 2), 0),
              850.3, 0.1, "17 of the 32 are left");
    sp_within(report, "density of a lone particle, kg/m3", density_near(s, 1, 0, 0), 318.31, 0.1,
              "1000/pi");
    return SP_OK;
}

sp_status sph_prove_lattice(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_nothing(&c, 0.02f);
    return sph_case_prove(report, &c, look_at_densities, err);
}

/// ---- Neighbours -------------------------------------------------------------------------------

/// Neighbours that one place should have and those it has, both in order of places. Returns whether
/// they differ.
static bool differs(const float *x, const float *among, size_t count, size_t self, float h,
                    const uint32_t *index, size_t found)
{
    size_t n = 0;
    for (size_t j = 0; j < count; ++j) {
        if (j == self || !sph_near(among + 4 * j, x, h)) continue;
        if (n >= found || index[n] != j) return true;
        ++n;
    }
    return n != found;
}

static size_t wrong_lists(const sph *s, const sph_phase *p)
{
    size_t wrong = 0;
    for (size_t k = 0; k < p->cells.count; ++k) {
        const sp_neighbour_list list = p->lists.list[k];
        wrong += differs(p->at + 4 * k, p->at, p->cells.count, k, s->h, p->lists.index + list.start,
                         list.count);
    }
    return wrong;
}

static size_t wrong_rows(const sph *s, const sph_phase *p, const float *among, size_t count,
                         const sp_rows *rows)
{
    size_t wrong = 0, next = 0;
    for (size_t k = 0; k < p->cells.count; ++k) {
        const sp_row *row = sph_row_at(rows, &next, k);
        wrong += differs(p->at + 4 * k, among, count, SIZE_MAX, s->h,
                         rows->index + (row ? row->start : 0), row ? row->count : 0);
    }
    return wrong;
}

/// Particles at random in the tank, some of them beyond its walls.
static sp_status scatter(sph *s, sph_phase *p, uint64_t count, sp_error *err)
{
    for (uint64_t i = 0; i < count; ++i) {
        const sp_random4 r = sp_random(7, p == &s->air, i, 0, 0);
        if (sph_case_add(s, p, 0.4f * sp_unit(r.x[0]), 0.4f * sp_unit(r.x[1]),
                         0.25f * sp_unit(r.x[2]) - 0.02f, err) == SIZE_MAX)
            return SP_NO_MEMORY;
    }
    return SP_OK;
}

static sp_status compare_neighbours(sp_check_report *report, sph *s, sp_error *err)
{
    SP_TRY(scatter(s, &s->liquid, 5000, err));
    SP_TRY(scatter(s, &s->air, 1000, err));
    SP_TRY(sph_arrange(s, err));
    const char *why = "pair by pair, with the same sums in the same order";
    const sph_phase *water = &s->liquid, *air = &s->air;
    const size_t walls = s->walls.count;
    sp_exact(report, "wrong lists of 5000 particles of water", (double)wrong_lists(s, water), 0,
             why);
    sp_exact(report, "wrong lists of 1000 particles of air", (double)wrong_lists(s, air), 0, why);
    sp_exact(report, "wrong rows from water to walls",
             (double)wrong_rows(s, water, s->walls.at, walls, &water->walls), 0, why);
    sp_exact(report, "wrong rows from air to walls",
             (double)wrong_rows(s, air, s->walls.at, walls, &air->walls), 0, why);
    sp_exact(report, "wrong rows from air to water",
             (double)wrong_rows(s, air, water->at, water->cells.count, &s->air_data.liquid), 0,
             why);
    sp_exact(report, "wrong rows from water to air",
             (double)wrong_rows(s, water, air->at, air->cells.count, &s->air_data.reaction), 0,
             why);
    sp_at_least(report, "pairs compared, the rarest kind", (double)air->walls.pairs, 500,
                "so that there was something to find");
    return SP_OK;
}

sp_status sph_prove_neighbours(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_tank(&c, 0.4f, 0.4f, 0.2f, 0.02f);
    return sph_case_prove(report, &c, compare_neighbours, err);
}
