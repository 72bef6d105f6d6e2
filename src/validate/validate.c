// SPDX-License-Identifier: Apache-2.0
#include "validate/validate.h"

const sp_subject *const sp_subjects[SP_SUBJECTS] = {
    &sp_validate_bubbles, &sp_validate_liquid,  &sp_validate_pond,   &sp_validate_sph,
    &sp_validate_still,   &sp_validate_foam,    &sp_validate_bulk,   &sp_validate_poisson,
    &sp_validate_shapes,  &sp_validate_surface, &sp_validate_render, &sp_validate_whitewater,
};
