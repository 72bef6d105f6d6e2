// SPDX-License-Identifier: Apache-2.0
/// A scene and its solver, opened together: the public way to run a simulation.
#include "scene/internal.h"

#include <string.h>

struct sp_sim {
    sp_host host;
    sp_scene *scene;
    sp_driver *driver;
    sp_watch watch;
    sp_blob saved; ///< the state saved last
};

/// Also closes a half-open simulation.
void sp_sim_close(sp_sim *sim)
{
    if (!sim) return;
    const sp_host host = sim->host; // the simulation's memory came from it, its own copy included
    sp_blob_close(&sim->saved);
    sp_driver_close(sim->driver);
    sp_scene_close(sim->scene);
    sp_release(&host, sim);
}

/// An empty simulation with its own copy of the host.
static sp_status create(const sp_host *host, sp_sim **out, sp_error *err)
{
    const sp_host used = host ? *host : sp_host_default(0);
    *out = NULL;
    SP_TRY(sp_struct_check(used.struct_size, sizeof used, "sp_host_default()", err));
    sp_sim *sim = sp_allocate(&used, 1, sizeof *sim);
    if (!sim) return sp_fail(err, SP_NO_MEMORY, "no memory for a simulation");
    sim->host = used;
    *out = sim;
    return SP_OK;
}

static bool call_watch(void *user, double time)
{
    return sp_watch_stops(&((sp_sim *)user)->watch, time);
}

static sp_status start(sp_sim *sim, const sp_scene_options *options, sp_error *err)
{
    const double memory = sp_memory_limit(options ? options->memory_bytes : 0.0);
    SP_TRY(sp_scene_check_start(sim->scene, memory, err));
    return sp_scene_drive(sim->scene, memory, (sp_watch){call_watch, sim}, &sim->watch, &sim->host,
                          &sim->driver, err);
}

/// Starts the solver if the scene was opened; otherwise returns the error and closes `sim`.
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
    sp_sim *sim;
    *out = NULL;
    SP_TRY(create(host, &sim, err));
    const sp_status status = sp_scene_open(scene, options, &sim->host, &sim->scene, err);
    return finish(sim, status, options, out, err);
}

sp_status sp_sim_open_text(const char *name, const char *text, size_t length,
                           const sp_scene_options *options, const sp_host *host, sp_sim **out,
                           sp_error *err)
{
    sp_sim *sim;
    *out = NULL;
    SP_TRY(create(host, &sim, err));
    const sp_status status =
        sp_scene_open_text(name, text, length, options, &sim->host, &sim->scene, err);
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

const sp_scene *sp_sim_scene(const sp_sim *sim)
{
    return sim->scene;
}

void sp_sim_watch(sp_sim *sim, sp_watch watch)
{
    sim->watch = watch;
}

/// ---- Keys --------------------------------------------------------------------------------------

sp_status sp_sim_set(sp_sim *sim, const char *key, double value, sp_error *err)
{
    const char *below = sp_scene_below_solver(sim->scene, key);
    if (below) return sp_driver_set(sim->driver, below, value, err);
    double now;
    SP_TRY(sp_scene_get(sim->scene, key, &now, err)); // names an unknown key
    return sp_fail(err, SP_BAD_INPUT, "%.120s: does not change while the simulation runs", key);
}

sp_status sp_sim_get(const sp_sim *sim, const char *key, double *value, sp_error *err)
{
    const char *below = sp_scene_below_solver(sim->scene, key);
    if (below && sp_driver_has_get(sim->driver))
        return sp_driver_get(sim->driver, below, value, err);
    return sp_scene_get(sim->scene, key, value, err);
}

/// ---- State -------------------------------------------------------------------------------------

/// Stands before the solver's bytes.
typedef struct state_head {
    char magic[8];
    uint64_t scene;  ///< its hash
    uint64_t frame;  ///< the number of the frame
    uint64_t digest; ///< of the fields above and the solver's bytes
} state_head;
static const char state_magic[8] = "SpState1";

static uint64_t state_digest(const state_head *head, const unsigned char *body, size_t count)
{
    return sp_hash(sp_hash(0, head, offsetof(state_head, digest)), body, count);
}

sp_status sp_sim_save(sp_sim *sim, const void **bytes, size_t *count, sp_error *err)
{
    state_head head = {.scene = sim->scene->hash, .frame = sp_driver_reached(sim->driver)};
    sp_blob *blob = &sim->saved;
    *bytes = NULL;
    *count = 0;
    sp_blob_close(blob);
    *blob = (sp_blob){.host = &sim->host};
    memcpy(head.magic, state_magic, sizeof head.magic);
    sp_blob_put(blob, &head, sizeof head);
    SP_TRY(sp_driver_save(sim->driver, blob, err));
    head.digest = state_digest(&head, blob->bytes + sizeof head, blob->size - sizeof head);
    memcpy(blob->bytes, &head, sizeof head);
    *bytes = blob->bytes;
    *count = blob->size;
    return SP_OK;
}

sp_status sp_sim_restore(sp_sim *sim, const void *bytes, size_t count, sp_error *err)
{
    state_head head;
    if (!bytes || count < sizeof head || memcmp(bytes, state_magic, sizeof state_magic) != 0)
        return sp_fail(err, SP_DAMAGED, "these bytes are not a saved state");
    memcpy(&head, bytes, sizeof head);
    const unsigned char *body = (const unsigned char *)bytes + sizeof head;
    if (head.digest != state_digest(&head, body, count - sizeof head))
        return sp_fail(err, SP_DAMAGED, "the saved state is damaged: its digest differs");
    if (head.scene != sim->scene->hash)
        return sp_fail(err, SP_BAD_INPUT, "the saved state is of another scene than %s",
                       sim->scene->name);
    sp_blob blob = {.host = &sim->host,
                    .bytes = (unsigned char *)(uintptr_t)body, // only read
                    .size = count - sizeof head};
    return sp_driver_restore(sim->driver, head.frame, &blob, err);
}
