// SPDX-License-Identifier: Apache-2.0
/// A scene and its solver, opened together: the public way to run a simulation.
#include "scene/scene.h"

struct sp_sim {
    sp_host host;
    sp_scene *scene;
    sp_driver *driver;
};

/// Takes a half-open simulation too.
void sp_sim_close(sp_sim *sim)
{
    if (!sim) return;
    const sp_host host = sim->host; // the simulation's memory came from it, its own copy included
    sp_driver_close(sim->driver);
    sp_scene_close(sim->scene);
    sp_release(&host, sim);
}

/// An empty simulation that remembers its host.
static sp_sim *create(const sp_host *host, sp_error *err)
{
    const sp_host used = host ? *host : sp_host_default(0);
    sp_sim *sim = sp_allocate(&used, 1, sizeof *sim);
    if (!sim)
        sp_fail(err, SP_NO_MEMORY, "no memory for a simulation");
    else
        sim->host = used;
    return sim;
}

static sp_status start(sp_sim *sim, const sp_scene_options *options, sp_error *err)
{
    const double memory = sp_memory_limit(options ? options->memory_bytes : 0.0);
    SP_TRY(sp_scene_check_start(sim->scene, memory, err));
    return sp_scene_drive(sim->scene, memory, NULL, &sim->host, &sim->driver, err);
}

/// Goes on from a scene that was read, or was not.
static sp_status finish(sp_sim *sim, sp_status scene_status, const sp_scene_options *options,
                        sp_sim **out, sp_error *err)
{
    const sp_status status = scene_status == SP_OK ? start(sim, options, err) : scene_status;
    if (status != SP_OK) sp_sim_close(sim);
    *out = status == SP_OK ? sim : NULL;
    return status;
}

sp_status sp_sim_open(const char *scene, const sp_scene_options *options, const sp_host *host,
                      sp_sim **out, sp_error *err)
{
    *out = NULL;
    sp_sim *sim = create(host, err);
    if (!sim) return SP_NO_MEMORY;
    const sp_status status = sp_scene_open(scene, options, &sim->host, &sim->scene, err);
    return finish(sim, status, options, out, err);
}

sp_status sp_sim_open_text(const char *name, const char *text, size_t length,
                           const sp_scene_options *options, const sp_host *host, sp_sim **out,
                           sp_error *err)
{
    *out = NULL;
    sp_sim *sim = create(host, err);
    if (!sim) return SP_NO_MEMORY;
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    const sp_status status = sp_scene_open_text(name, text, length, options, solvers, count,
                                                &sim->host, &sim->scene, err);
    return finish(sim, status, options, out, err);
}

sp_status sp_sim_step(sp_sim *sim, sp_error *err)
{
    const sp_frame *frame;
    SP_TRY(sp_driver_step(sim->driver, err));
    return sp_driver_frame(sim->driver, &frame, err);
}

const sp_frame *sp_sim_frame(sp_sim *sim, sp_error *err)
{
    const sp_frame *frame;
    return sp_driver_frame(sim->driver, &frame, err) == SP_OK ? frame : NULL;
}

uint64_t sp_sim_frames(const sp_sim *sim)
{
    return sim->scene->common.frames;
}
