// SPDX-License-Identifier: Apache-2.0
/// Steps a solver from frame to frame, checks what it publishes, saves and restores its state.
#include "solver/driver.h"

#include <stdio.h>

struct sp_driver {
    const sp_host *host;
    const sp_solver_type *type;
    void *solver;
    sp_watch watch;
    double fps;
    uint64_t reached;   ///< last frame that was computed
    uint64_t failed_at; ///< the frame that failed
    bool failed;        ///< only sp_driver_look() and close are allowed
    sp_status why;      ///< the status of the failure
    bool published;     ///< `frame` shows the present state
    bool checked;       ///< `frame` has passed the checks
    sp_frame frame;
};

/// ---- Opening -----------------------------------------------------------------------------------

void sp_driver_close(sp_driver *driver)
{
    if (!driver) return;
    if (driver->solver && driver->type->close) driver->type->close(driver->solver);
    sp_release(driver->host, driver);
}

sp_status sp_driver_open(const sp_driver_def *def, const sp_host *host, sp_driver **out,
                         sp_error *err)
{
    const sp_solver_type *type = def->type;
    *out = NULL;
    if (type->estimate && def->memory > 0.0)
        SP_TRY(sp_memory_check(type, type->estimate(&def->setup), def->memory, err));
    sp_driver *driver = sp_allocate(host, 1, sizeof *driver);
    if (!driver) return sp_fail(err, SP_NO_MEMORY, "%s: no memory for a driver", type->name);
    *driver = (sp_driver){.host = host, .type = type, .watch = def->watch, .fps = def->fps};
    const sp_status status = type->open(&def->setup, host, &driver->solver, err);
    if (status == SP_OK)
        *out = driver;
    else
        sp_driver_close(driver);
    return status;
}

/// ---- Stepping ----------------------------------------------------------------------------------

/// Records the failure and returns its status.
static sp_status fail_at(sp_driver *driver, uint64_t frame, sp_status status)
{
    driver->failed = true;
    driver->why = status;
    driver->failed_at = frame;
    return status;
}

static sp_status refuse_failed(const sp_driver *driver, sp_error *err)
{
    if (!driver->failed) return SP_OK;
    return sp_fail(err, driver->why, "the simulation failed at frame %llu and cannot go on",
                   (unsigned long long)driver->failed_at);
}

sp_status sp_driver_step(sp_driver *driver, sp_error *err)
{
    SP_TRY(refuse_failed(driver, err));
    if (sp_watch_stops(&driver->watch, sp_driver_time(driver)))
        return sp_fail(err, SP_CANCELLED, "stopped after frame %llu",
                       (unsigned long long)driver->reached);
    const uint64_t next = driver->reached + 1;
    driver->published = driver->checked = false;
    const sp_status status = driver->type->step(driver->solver, (double)next / driver->fps, err);
    if (status != SP_OK) return fail_at(driver, next, status); // also if cancelled within the step
    driver->reached = next;
    return SP_OK;
}

uint64_t sp_driver_reached(const sp_driver *driver)
{
    return driver->reached;
}

double sp_driver_time(const sp_driver *driver)
{
    return (double)driver->reached / driver->fps;
}

bool sp_driver_failed(const sp_driver *driver)
{
    return driver->failed;
}

/// ---- Reading the state -------------------------------------------------------------------------

static sp_status publish(sp_driver *driver, sp_error *err)
{
    if (driver->published) return SP_OK;
    driver->frame = (sp_frame){0};
    SP_TRY(driver->type->publish(driver->solver, &driver->frame, err));
    driver->published = true;
    return SP_OK;
}

static void number(sp_driver *driver, uint64_t k)
{
    driver->frame.frame = k;
    driver->frame.fps = driver->fps;
    driver->frame.time = (double)k / driver->fps;
}

static sp_status publish_and_check(sp_driver *driver, sp_error *err)
{
    SP_TRY(publish(driver, err));
    number(driver, driver->reached);
    if (driver->checked) return SP_OK;
    SP_TRY(sp_frame_check(&driver->frame, err));
    SP_TRY(sp_frame_check_finite(&driver->frame, err));
    driver->checked = true;
    return SP_OK;
}

sp_status sp_driver_frame(sp_driver *driver, const sp_frame **frame, sp_error *err)
{
    *frame = NULL;
    const sp_status status = publish_and_check(driver, err);
    if (status == SP_OK) *frame = &driver->frame;
    if (status == SP_OK || driver->failed) return status;
    return fail_at(driver, driver->reached, status);
}

sp_status sp_driver_look(sp_driver *driver, const sp_frame **frame, sp_error *err)
{
    *frame = NULL;
    SP_TRY(publish(driver, err));
    number(driver, driver->failed ? driver->failed_at : driver->reached);
    *frame = &driver->frame;
    return SP_OK;
}

bool sp_driver_has_moment(const sp_driver *driver)
{
    return driver->type->moment != NULL;
}

sp_status sp_driver_moment(sp_driver *driver, struct sp_bulk_moment *moment, sp_error *err)
{
    SP_TRY(refuse_failed(driver, err));
    return driver->type->moment(driver->solver, moment, err);
}

/// "30 bubbles, 12 foam"
static void note_sets(const sp_frame *frame, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < frame->set_count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%zu %s", i ? ", " : "",
                                 frame->sets[i].count, frame->sets[i].name);
}

void sp_driver_note(const sp_driver *driver, char *text, size_t size)
{
    if (driver->type->note)
        driver->type->note(driver->solver, text, size);
    else
        note_sets(&driver->frame, text, size);
}

/// ---- Live numbers ------------------------------------------------------------------------------

sp_status sp_driver_set(sp_driver *driver, const char *key, double value, sp_error *err)
{
    SP_TRY(refuse_failed(driver, err));
    if (driver->type->set) return driver->type->set(driver->solver, key, value, err);
    return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: does not change while the simulation runs",
                   driver->type->name, key);
}

bool sp_driver_has_get(const sp_driver *driver)
{
    return driver->type->get != NULL;
}

sp_status sp_driver_get(const sp_driver *driver, const char *key, double *value, sp_error *err)
{
    return driver->type->get(driver->solver, key, value, err);
}

/// ---- State -------------------------------------------------------------------------------------

sp_status sp_driver_save(const sp_driver *driver, sp_blob *blob, sp_error *err)
{
    SP_TRY(refuse_failed(driver, err));
    SP_TRY(driver->type->save(driver->solver, blob, err));
    if (!blob->failed) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "%s: no memory for the state of frame %llu",
                   driver->type->name, (unsigned long long)driver->reached);
}

sp_status sp_driver_restore(sp_driver *driver, uint64_t frame, sp_blob *blob, sp_error *err)
{
    SP_TRY(refuse_failed(driver, err));
    driver->published = driver->checked = false;
    driver->reached = frame;
    sp_status status = driver->type->restore(driver->solver, blob, err);
    if (status == SP_OK && (blob->failed || blob->at != blob->size))
        status = sp_fail(err, SP_DAMAGED, "its length does not suit this solver");
    return status == SP_OK ? SP_OK : fail_at(driver, frame, status);
}
