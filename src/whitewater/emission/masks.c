// SPDX-License-Identifier: Apache-2.0
/// Factors of the scene on aeration. What else multiplies it by place (fields of a user's files,
/// say) belongs into emission_mask_at().
#include "whitewater/emission/internal.h"

static float factor_of(const emission_mask *m, const double p[3])
{
    const double fade = (double)m->def.fade,
                 away = sp_shape_distance_within(m->shape, 0.0, p, fade, NULL);
    if (away <= 0.0) return m->def.inside;
    if (away >= fade) return m->def.outside;
    return sp_mix(m->def.inside, m->def.outside, (float)(away / fade));
}

float emission_mask_at(const whitewater_emission *e, const double p[3])
{
    float product = 1.0f;
    for (size_t i = 0; i < e->def.mask_count && product > 0.0f; ++i)
        product *= factor_of(&e->mask[i], p);
    return product;
}
