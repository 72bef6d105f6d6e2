// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_SCENE_H
#define SP_TEST_SCENE_H

/// Helpers for the tests of scenes: a solver with the pond's keys and no simulation, so that
/// reading scenes is tested without running one.

#include "pond/pond.h"
#include "scene/scene.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Tests run inside tests/data, so that file names in messages are short and do not depend on the
/// path of the source.
static inline int enter_data(void **state)
{
    (void)state;
    return chdir(SPUME_SOURCE_DIR "/tests/data");
}

/// A rule between two keys, which ranges cannot express.
static inline sp_status refuse_dam_beyond_pond(const sp_setup *setup, sp_error *err)
{
    const sp_pond_def *pond = setup->def;
    if (pond->dam > (float)pond->nx * pond->dx)
        return sp_fail(err, SP_BAD_INPUT, "pond.dam: %g m; expected inside the pond",
                       (double)pond->dam);
    return SP_OK;
}

static inline double sixteen_bytes_a_cell(const sp_setup *setup)
{
    const sp_pond_def *pond = setup->def;
    return 16.0 * (double)pond->nx * (double)pond->ny;
}

static const sp_solver_type scene_solver = {
    .name = "pond",
    .about = "A pond on paper",
    .paper = "none",
    .keys = &sp_pond_keys,
    .grain = "pond.nx",
    .uses = SP_USES_COLLIDERS,
    .check = refuse_dam_beyond_pond,
    .estimate = sixteen_bytes_a_cell,
};

/// A solver that uses all world keys except sinks and flowing emitters.
static const sp_solver_type worldly_solver = {
    .name = "sph",
    .about = "Water on paper",
    .paper = "none",
    .keys = &sp_pond_keys,
    .uses = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS | SP_USES_FILL | SP_USES_JET,
};
static const sp_solver_type *const scene_solvers[] = {&scene_solver, &worldly_solver};
enum { SCENE_SOLVERS = sizeof scene_solvers / sizeof *scene_solvers };

/// The bytes of a file; the caller frees them.
static inline char *load_data(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static inline sp_status open_text(const char *text, const sp_scene_options *options,
                                  const sp_host *host, sp_scene **out, sp_error *err)
{
    return sp_scene_read("scenes/test.json", text, strlen(text), options, scene_solvers,
                         SCENE_SOLVERS, host, out, err);
}

static inline const sp_pond_def *pond_of(const sp_scene *scene)
{
    return scene->def;
}

#endif
