// SPDX-License-Identifier: Apache-2.0
/// W20  Density over that of a perfect layer, and the pressure term:
///
///     sigma_p = 1/eta sum over q of V_q W_pq,   Pi_p = max(sigma_p - 1, 0)/sigma_p^2
///
/// with the particle itself. As printed, pressure is of rho - rho_0 with rho_0 = rho/eta and masses of rho_0 V: a
/// perfect layer then has less than rho_0, and foam may be squashed to 2.4 times its density before anything
/// pushes it apart.
#include "foam/internal.h"
#include "foam/kernel.h"

/// Volumes of SP_PART neighbours from k on. With SCALE_FREE a neighbour counts with that of the pair's mean
/// radius: touching pairs of any sizes then count alike.
SP_INLINE sp_part volumes(const foam_sorted *s, size_t p, size_t k, bool scale_free)
{
    const sp_part r = 0.5f * (s->radius[p] + sp_part_load(s->radius + k));
    return scale_free ? 4.0f / 3.0f * SP_PI * r * r * r : sp_part_load(s->volume + k);
}

/// V W, as `volumes`.
SP_INLINE sp_part weights(const foam_sorted *s, size_t p, size_t k, bool scale_free)
{
    const sp_part dx = s->x[0][p] - sp_part_load(s->x[0] + k),
                  dy = s->x[1][p] - sp_part_load(s->x[1] + k),
                  dz = s->x[2][p] - sp_part_load(s->x[2] + k),
                  h = 0.5f * (s->support[p] + sp_part_load(s->support + k));
    const sp_part d = sp_part_sqrt(dx * dx + dy * dy + dz * dz);
    return 8.0f * volumes(s, p, k, scale_free) * foam_omega(2.0f * d / h) / (h * h * h);
}

SP_INLINE float sum_weights(const foam_sorted *s, size_t p, const sp_around *around,
                            bool scale_free)
{
    sp_lanes sum = {0};
    for (int r = 0; r < around->runs; ++r) {
        const size_t end = around->run[r].end;
        for (size_t k = around->run[r].begin, lane = 0; k < end; k += SP_PART, lane += SP_PART)
            sp_lanes_add(&sum, lane,
                         sp_part_keep(foam_lanes_before(k, end), weights(s, p, k, scale_free)));
    }
    return sp_lanes_sum(sum);
}

static void find_sigma(sp_foam *f, const void *arg, size_t p, const sp_around *around)
{
    const float per_layer = *(const float *)arg;
    const foam_sorted *s = &f->sorted;
    const bool scale_free = f->def.summation == SP_FOAM_SCALE_FREE;
    const float sigma = per_layer * (scale_free ? sum_weights(s, p, around, true)
                                                : sum_weights(s, p, around, false));
    s->sigma[p] = sigma;
    s->push[p] = fmaxf(sigma - 1.0f, 0.0f) / (sigma * sigma);
}

void foam_find_density(sp_foam *f)
{
    const float per_layer = (float)(1.0 / f->layer);
    foam_around_all(f, find_sigma, &per_layer);
}
