// SPDX-License-Identifier: Apache-2.0
/// Table of the solvers that scenes may name. There is no registration: a new solver is a line
/// here.
#include "bubbles/bubbles.h"
#include "liquid/liquid.h"
#include "pond/pond.h"
#include "scene/scene.h"
#include "sph/sph.h"
#include "still/still.h"
#include "whitewater/whitewater.h"

#include <string.h>

static const sp_solver_type *const solvers[] = {
    &sp_bubbles_solver, &sp_liquid_solver, &sp_pond_solver,
    &sp_sph_solver,     &sp_still_solver,  &sp_whitewater_solver,
};

const sp_solver_type *const *sp_scene_solvers(size_t *count)
{
    *count = sizeof solvers / sizeof *solvers;
    return solvers;
}

const sp_solver_type *sp_scene_solver(const char *name)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i)
        if (strcmp(solvers[i]->name, name) == 0) return solvers[i];
    return NULL;
}
