// SPDX-License-Identifier: Apache-2.0
/// The first guess of the pressure decides how far two Newton iterations come at 1:1000.
///
/// The velocity of particles follows from the gradient of the iteration before, divided by their density: with
/// that of still water the first velocities of air are (1000 - 1) g dt, 6.8 m/s in a substep of 1/1440 s. In
/// the same iteration the drag on the water at the bubble's rim is taken at those velocities. So the second
/// pressure answers to a drag that is far too large, and the particles that follow from it are off the other
/// way; the third answers to them. The sign of the error changes from one iteration to the next, and its size
/// falls in pairs. The last pressure has no such start.
#include "core/memory/blob.h"
#include "validate/bubbles/proofs.h"

static const double dt = 1.0 / 1440.0; // s
enum { BEFORE = 12, MOST = 8, LIMIT = 40, GUESSES = 2 };

static const int guesses[GUESSES] = {SP_BUBBLES_PRESSURE_HYDROSTATIC, SP_BUBBLES_PRESSURE_PREVIOUS};
static const char *const guess_names[GUESSES] = {"of still water", "of the substep before"};

/// Velocities of all particles, m/s, in the order of the particles.
typedef struct velocities {
    float *v[3];
    size_t count;
} velocities;

static void close_velocities(const bubbles *s, velocities *v)
{
    for (int a = 0; a < 3; ++a)
        sp_release(s->host, v->v[a]);
    *v = (velocities){0};
}

static sp_status note_velocities(const bubbles *s, velocities *out, sp_error *err)
{
    *out = (velocities){.count = s->particles.set.count};
    for (int a = 0; a < 3; ++a) {
        out->v[a] = sp_allocate(s->host, out->count, sizeof(float));
        if (!out->v[a]) {
            close_velocities(s, out);
            return sp_fail(err, SP_NO_MEMORY, "validate: no memory");
        }
        memcpy(out->v[a], s->particles.v[a], out->count * sizeof(float));
    }
    return SP_OK;
}

/// Root mean square distance of the present velocities, and the mean of the upward ones, to others, m/s.
static void compare(const bubbles *s, const velocities *to, double *rms, double *upward)
{
    double square = 0.0, up = 0.0;
    for (size_t i = 0; i < to->count; ++i)
        for (int a = 0; a < 3; ++a) {
            const double d = (double)(s->particles.v[a][i] - to->v[a][i]);
            square += d * d;
            up += a == 1 ? d : 0.0;
        }
    *rms = sqrt(square / (double)to->count);
    *upward = up / (double)to->count;
}

/// One substep from the saved state with n iterations.
static sp_status step_with(bubbles *s, sp_blob *from, int guess, int n, sp_error *err)
{
    from->at = 0;
    SP_TRY(bubbles_restore(s, from, err));
    s->def.pressure.init = guess;
    s->def.newton = n;
    s->frame_seconds = dt;
    return bubbles_substep(s, dt, err);
}

typedef double curve[MOST][1 + 2 * GUESSES]; ///< iterations; by guess: rms, mean upward

static sp_status measure(bubbles *s, sp_blob *from, curve out, sp_error *err)
{
    velocities limit;
    SP_TRY(step_with(s, from, SP_BUBBLES_PRESSURE_PREVIOUS, LIMIT, err));
    SP_TRY(note_velocities(s, &limit, err));
    sp_status status = SP_OK;
    for (int g = 0; g < GUESSES; ++g)
        for (int n = 1; n <= MOST && status == SP_OK; ++n) {
            status = step_with(s, from, guesses[g], n, err);
            out[n - 1][0] = n;
            if (status == SP_OK) compare(s, &limit, &out[n - 1][1 + 2 * g], &out[n - 1][2 + 2 * g]);
        }
    close_velocities(s, &limit);
    return status;
}

static sp_status rise_and_measure(bubbles *s, curve out, sp_error *err)
{
    sp_blob blob = {.host = s->host};
    SP_TRY(bubbles_case_run(s, dt, BEFORE, err));
    sp_status status = bubbles_save(s, &blob, err);
    if (status == SP_OK) status = measure(s, &blob, out, err);
    sp_blob_close(&blob);
    return status;
}

/// A mean error of g dt in a substep is a false acceleration of the whole bubble as large as gravity's.
static void judge(sp_check_report *report, curve errors)
{
    const double fall = 9.81 * dt;
    for (int g = 0; g < GUESSES; ++g)
        for (int n = 2; n <= 4; ++n) {
            const double up = fabs(errors[n - 1][2 + 2 * g]) / fall;
            const char *what =
                sp_label(report, "mean error after %d iterations over g dt, first pressure %s", n,
                         guess_names[g]);
            if (n == 2 && guesses[g] == SP_BUBBLES_PRESSURE_HYDROSTATIC)
                sp_reported(report, what, up, "why two iterations tear a bubble apart from there");
            else
                sp_at_most(report, what, up, 1.0,
                           "more is a false acceleration larger than gravity's");
        }
    sp_at_most(report, "share of the first pressure that three iterations leave, still water's",
               errors[2][1] / errors[0][1], 0.01, "each iteration must gain a digit");
}

sp_status bubbles_prove_first_guess(sp_check_report *report, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    curve errors = {{0}};
    bubbles_case_domain(&c, 0.00125f, dt, (const int[3]){-24, 0, -24}, (const int[3]){24, 64, 24});
    bubbles_case_hero(&c, true);
    c.def.newton = 5;
    c.def.newton_tolerance = 0.0f;
    bubbles_case_ball(&c, (const double[3]){0.0, 16.0, 0.0}, 5.0);
    SP_TRY(bubbles_case_open(&c, report->host, &s, err));
    const sp_status status = rise_and_measure(s, errors, err);
    bubbles_close(s);
    SP_TRY(status);
    judge(report, errors);
    sp_check_curve(report, "first_guess",
                   "iterations,still_rms_m/s,still_up_m/s,before_rms_m/s,before_up_m/s", errors[0],
                   MOST);
    return SP_OK;
}
