// SPDX-License-Identifier: Apache-2.0
/// A scene and its solver, opened together: the public way to run a simulation.
#include "scene/scene.h"

struct sp_sim {
    sp_host host;
    sp_scene *scene;
    void *solver;
    uint64_t frame;
    bool failed;
    sp_frame view;
};

/// Takes a half-open simulation too.
void sp_sim_close(sp_sim *sim)
{
    if (!sim) return;
    const sp_host host = sim->host; // the simulation's memory came from it, its own copy included
    if (sim->solver) sim->scene->solver->close(sim->solver);
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

static sp_status open_solver(sp_sim *sim, sp_status scene_status, sp_sim **out, sp_error *err)
{
    sp_status st = scene_status;
    if (st == SP_OK) {
        const sp_setup setup = sp_scene_setup(sim->scene);
        st = sim->scene->solver->open(&setup, &sim->host, &sim->solver, err);
    }
    if (st != SP_OK) sp_sim_close(sim);
    *out = st == SP_OK ? sim : NULL;
    return st;
}

sp_status sp_sim_open(const char *scene, const sp_scene_options *options, const sp_host *host,
                      sp_sim **out, sp_error *err)
{
    *out = NULL;
    sp_sim *sim = create(host, err);
    if (!sim) return SP_NO_MEMORY;
    return open_solver(sim, sp_scene_open(scene, options, &sim->host, &sim->scene, err), out, err);
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
    const sp_status st = sp_scene_open_text(name, text, length, options, solvers, count, &sim->host,
                                            &sim->scene, err);
    return open_solver(sim, st, out, err);
}

sp_status sp_sim_step(sp_sim *sim, sp_error *err)
{
    if (sim->failed)
        return sp_fail(err, SP_DIVERGED, "the simulation failed at frame %llu and cannot go on",
                       (unsigned long long)sim->frame + 1);
    const double time = (double)(sim->frame + 1) / sim->scene->common.fps;
    const sp_status st = sim->scene->solver->step(sim->solver, time, err);
    sim->failed = st != SP_OK;
    sim->frame += st == SP_OK;
    return st;
}

const sp_frame *sp_sim_frame(sp_sim *sim, sp_error *err)
{
    sim->view = (sp_frame){0};
    if (sim->scene->solver->publish(sim->solver, &sim->view, err) != SP_OK) return NULL;
    sim->view.frame = sim->frame;
    sim->view.fps = sim->scene->common.fps;
    return &sim->view;
}

uint64_t sp_sim_frames(const sp_sim *sim)
{
    return sim->scene->common.frames;
}
