// SPDX-License-Identifier: Apache-2.0
/// Bubbles that reach the surface pass from the first half of a step to the second. Frames hold them, so that a later
/// run can do the second half alone (`--redo`).
#include "whitewater/internal.h"

#include <string.h>

static sp_status no_memory(size_t n, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu arrivals", n);
}

static sp_status reserve(whitewater *s, size_t n, sp_error *err)
{
    whitewater_arrivals *a = &s->arrivals;
    SP_TRY(whitewater_set_reserve(&a->set, n, err));
    if (n <= a->room) return SP_OK;
    const size_t room = n + n / 2;
    if (!sp_regrow(s->host, (void **)&a->step, a->room, room, sizeof *a->step))
        return no_memory(n, err);
    a->room = room;
    return SP_OK;
}

/// ---- From the first half -----------------------------------------------------------------------

static void count_event(whitewater *s, int event, size_t i)
{
    ++s->ledger[FIRST].count[event];
    s->ledger[FIRST].volume[event] += whitewater_volume(&s->bubbles, i);
}

/// Those that are above the water for good (2) become nothing.
sp_status whitewater_take_arrivals(whitewater *s, const uint8_t *arrives, uint32_t step,
                                   whitewater_set *batch, sp_error *err)
{
    whitewater_arrivals *a = &s->arrivals;
    const size_t all = s->bubbles.set.count;
    size_t n = 0, gone = 0;
    for (size_t i = sp_next_marked(arrives, 0, all); i < all;
         i = sp_next_marked(arrives, i + 1, all), ++gone)
        n += arrives[i] == 1;
    SP_TRY(reserve(s, a->set.set.count + n, err));
    SP_TRY(whitewater_set_reserve(batch, n, err));
    for (size_t i = sp_next_marked(arrives, 0, all); i < all;
         i = sp_next_marked(arrives, i + 1, all)) {
        count_event(s, arrives[i] == 1 ? WHITEWATER_SURFACED : WHITEWATER_STRANDED, i);
        if (arrives[i] != 1) continue;
        a->step[a->set.set.count] = step;
        whitewater_set_copy(&a->set, &s->bubbles, i);
        whitewater_set_copy(batch, &s->bubbles, i);
    }
    if (gone > 0) whitewater_set_remove(&s->bubbles, arrives);
    return SP_OK;
}

/// ---- From the frame of an earlier run ----------------------------------------------------------

sp_status whitewater_replay_arrivals(whitewater *s, uint32_t step, whitewater_set *batch,
                                     sp_error *err)
{
    const whitewater_arrivals *a = &s->arrivals;
    size_t n = 0;
    for (size_t i = 0; i < a->set.set.count; ++i)
        n += a->step[i] == step;
    SP_TRY(whitewater_set_reserve(batch, n, err));
    for (size_t i = 0; i < a->set.set.count; ++i)
        if (a->step[i] == step) whitewater_set_copy(batch, &a->set, i);
    return whitewater_set_sort(batch, 0, err);
}

/// Values of a column, or NULL.
static const void *column(const sp_set *set, const char *name, sp_kind kind, int components)
{
    const sp_column *c = sp_set_column(set, name);
    return c && c->kind == kind && c->components == components ? c->data : NULL;
}

/// Columns of floats that both kinds of set have, and where they go.
static bool copy_floats(const sp_set *from, whitewater_set *to)
{
    float *const columns[] = {to->radius, to->number, to->age, to->floated, to->life, to->speed};
    static const char *const names[] = {"radius", "count", "age", "floated", "life", "speed"};
    const float *v = column(from, "velocity", SP_F32, 3);
    const uint64_t *id = column(from, "id", SP_U64, 1);
    if (!v || !id) return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const float *values = column(from, names[k], SP_F32, 1);
        if (values) memcpy(columns[k], values, from->count * sizeof *values);
        if (!values && k < 2) return false;
    }
    for (size_t i = 0; i < from->count; ++i) {
        for (int a = 0; a < 3; ++a)
            to->v[a][i] = v[3 * i + (size_t)a];
        to->id[i] = id[i];
    }
    return true;
}

static sp_status load_arrivals(whitewater *s, const sp_set *from, sp_error *err)
{
    whitewater_arrivals *a = &s->arrivals;
    SP_TRY(reserve(s, from->count, err));
    a->set.set.count = 0;
    sp_particles_append(&a->set.set, from->count);
    const double *place = column(from, "place", SP_F64, 3);
    const uint32_t *step = column(from, "step", SP_U32, 1),
                   *state = column(from, "state", SP_U32, 1);
    if (!place || !step || !state || !copy_floats(from, &a->set))
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: frame %llu of the earlier run lacks what is to be kept of it",
                       (unsigned long long)s->frame);
    for (size_t i = 0; i < from->count; ++i) {
        for (int c = 0; c < 3; ++c)
            a->set.x[c][i] = place[3 * i + (size_t)c];
        a->set.state[i] = state[i];
        a->step[i] = step[i];
    }
    return SP_OK;
}

/// Bubbles of the first half: those that have not come back. Their places are as exact as frames are, which is enough
/// to publish them again.
static sp_status load_bubbles(whitewater *s, const sp_frame *frame, const sp_set *from,
                              sp_error *err)
{
    whitewater_set *b = &s->bubbles;
    const float *x = column(from, "position", SP_F32, 3);
    const uint32_t *state = column(from, "state", SP_U32, 1);
    uint8_t *gone = sp_allocate(s->host, from->count + 1, 1);
    sp_status status =
        gone ? whitewater_set_reserve(b, from->count, err) : no_memory(from->count, err);
    if (status == SP_OK) {
        b->set.count = 0;
        sp_particles_append(&b->set, from->count);
        if (!x || !state || !copy_floats(from, b))
            status = sp_fail(err, SP_BAD_INPUT,
                             "whitewater: frame %llu of the earlier run has no bubbles",
                             (unsigned long long)s->frame);
    }
    for (size_t i = 0; status == SP_OK && i < from->count; ++i) {
        for (size_t a = 0; a < 3; ++a)
            b->x[a][i] = frame->origin[a] + (double)x[3 * i + a];
        b->state[i] = state[i];
        gone[i] = (state[i] & WHITEWATER_RETURNED) != 0;
    }
    if (status == SP_OK) whitewater_set_remove(b, gone);
    sp_release(s->host, gone);
    return status;
}

sp_status whitewater_load_frame(whitewater *s, sp_error *err)
{
    const sp_frame *frame;
    SP_TRY(s->files->past_frame(s->files->user, s->frame, &frame, err));
    const sp_set *present = sp_frame_set(frame, "bubbles"),
                 *arrivals = sp_frame_set(frame, "arrivals");
    if (!present || !arrivals)
        return sp_fail(
            err, SP_BAD_INPUT,
            "whitewater: frame %llu of the earlier run has no %s; expected a run of the same scene",
            (unsigned long long)s->frame, present ? "arrivals" : "bubbles");
    whitewater_read_first(s, frame);
    SP_TRY(load_bubbles(s, frame, present, err));
    return load_arrivals(s, arrivals, err);
}
