// SPDX-License-Identifier: Apache-2.0
/// Stores every ray of a picture, to trace it again with Embree alone: the difference in time is
/// the cost of the integrator.
#include "render/trace/tracing.h"

#if defined(SPUME_WITH_EMBREE)

sp_status sp_trace_record_open(const sp_host *host, sp_trace_record **out, sp_error *err)
{
    *out = sp_allocate(host, 1, sizeof **out);
    if (!*out) return sp_fail(err, SP_NO_MEMORY, "render: no memory for a record of rays");
    (*out)->host = host;
    return SP_OK;
}

static void release_logs(sp_trace_record *r)
{
    for (size_t i = 0; i < r->log_count; ++i)
        sp_release(r->host, r->logs[i].rays);
    sp_release(r->host, r->logs);
    r->logs = NULL;
    r->log_count = 0;
}

void sp_trace_record_close(sp_trace_record *r)
{
    if (!r) return;
    release_logs(r);
    sp_release(r->host, r);
}

sp_status trace_record_size(sp_trace_record *r, size_t logs, sp_error *err)
{
    release_logs(r);
    r->logs = sp_allocate(r->host, logs, sizeof *r->logs);
    if (!r->logs) return sp_fail(err, SP_NO_MEMORY, "render: no memory for a record of rays");
    r->log_count = logs;
    return SP_OK;
}

void trace_log_ray(const sp_host *host, trace_log *log, const trace_ray *ray, float length,
                   bool shadow)
{
    log->failed = log->failed || !sp_make_room(host, (void **)&log->rays, log->count, &log->room,
                                               sizeof *log->rays);
    if (!log->failed) log->rays[log->count++] = (trace_logged){*ray, length, shadow};
}

/// Filters that skip the same surfaces as in the picture and record nothing: a path ray skips
/// hidden surfaces, a shadow ray transparent ones.
typedef struct replayed {
    trace_context context; ///< first
    int left;
} replayed;

static inline sp_trace_class kind_of(const struct RTCFilterFunctionNArguments *a)
{
    const replayed *p = (const replayed *)(const void *)a->context;
    return p->context.pieces[((const unsigned *)(const void *)a->hit)[6]].kind;
}

static void pass_clear(const struct RTCFilterFunctionNArguments *a)
{
    replayed *p = (replayed *)(void *)a->context;
    if (kind_of(a) != SP_TRACE_OPAQUE && --p->left >= 0) a->valid[0] = 0;
}

static void pass_hidden_again(const struct RTCFilterFunctionNArguments *a)
{
    trace_skip_origin(a);
    replayed *p = (replayed *)(void *)a->context;
    if (a->valid[0] && (p->context.hide >> kind_of(a) & 1u) && --p->left >= 0) a->valid[0] = 0;
}

typedef struct replay {
    const sp_tracer *tracer;
    const sp_trace_record *record;
    atomic_ullong met;
} replay;

static bool replay_ray(const sp_tracer *t, const trace_logged *l)
{
    replayed p = {.left = l->shadow ? 48 : 16};
    trace_context_open(&p.context, t, &l->ray,
                       l->shadow     ? pass_clear
                       : l->ray.hide ? pass_hidden_again
                                     : trace_skip_origin);
    struct RTCRayHit r;
    trace_fill_ray(&r.ray, &l->ray, l->length);
    if (l->shadow) {
        rtcOccluded1(t->scene, &p.context.embree, &r.ray);
        return r.ray.tfar < 0.0f;
    }
    r.hit.geomID = r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(t->scene, &p.context.embree, &r);
    return r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

static void replay_log(void *arg, size_t i)
{
    replay *r = arg;
    const trace_log *log = &r->record->logs[i];
    unsigned long long met = 0;
    for (size_t k = 0; k < log->count; ++k)
        met += replay_ray(r->tracer, &log->rays[k]);
    atomic_fetch_add(&r->met, met);
}

uint64_t sp_tracer_replay(const sp_tracer *t, const sp_trace_record *record, uint64_t *rays)
{
    replay r = {.tracer = t, .record = record};
    t->host->parallel_for(t->host->user, record->log_count, replay_log, &r);
    *rays = 0;
    for (size_t i = 0; i < record->log_count; ++i)
        *rays += record->logs[i].count;
    return r.met;
}

#endif
