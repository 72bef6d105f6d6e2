// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_POND_H
#define TEST_POND_H

/// Helpers for the pond's tests. Defs come from validate/pond/proofs.h, so that the busy scene is
/// written once.
#include "testing.h"
#include "validate/pond/proofs.h"

static inline sp_pond *open_pond(const sp_pond_def *def, const sp_host *host)
{
    sp_pond *pond;
    if (sp_pond_open(def, host, &pond, ERR) != SP_OK) fail_msg("open: %s", ERR->text);
    return pond;
}

static inline void step_frames(sp_pond *pond, int frames)
{
    for (int k = 0; k < frames; ++k)
        if (sp_pond_step(pond, pond->time + 1.0 / 60.0, ERR) != SP_OK)
            fail_msg("step: %s", ERR->text);
}

/// A busy pond that is small and shallow, so that bubbles soon reach the surface.
static inline sp_pond_def small_busy(void)
{
    sp_pond_def def = pond_proof_busy(50, 60);
    def.rest_level = 0.05f;
    def.foam_life = 0.3f;
    def.max_bubbles = def.max_foam = 512;
    def.max_ghosts = 128;
    def.tracers = 32;
    return def;
}

#endif
