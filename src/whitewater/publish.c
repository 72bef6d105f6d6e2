// SPDX-License-Identifier: Apache-2.0
/// Makes frames: bubbles, foam, spray, the water, and figures.
#include "whitewater/publish.h"

#include <string.h>

enum { STATS = 64 };

typedef struct published {
    shown_set shown[SHOWN_SETS];
    sp_set sets[SHOWN_SETS];
    shown_fields water, guided;
    sp_field fields[SHOWN_FIELDS];
    size_t field_count;
    sp_stat stats[STATS];
    size_t stat_count;
    sp_body *bodies;
} published;

void whitewater_publish_close(whitewater *s)
{
    published *p = s->published;
    if (!p) return;
    for (int k = 0; k < SHOWN_SETS; ++k)
        whitewater_close_set(s->host, &p->shown[k]);
    whitewater_close_fields(s->host, &p->water);
    whitewater_close_fields(s->host, &p->guided);
    sp_release(s->host, p->bodies);
    sp_release(s->host, p);
    s->published = NULL;
}

/// ---- Particles and fields ----------------------------------------------------------------------

static sp_status show_sets(const whitewater *s, published *p, sp_error *err)
{
    const whitewater_set *second = s->second;
    const whitewater_set *const below[2] = {&s->bubbles, &second[WHITEWATER_BUBBLES]},
                                *const foam[2] = {&second[WHITEWATER_FOAM], NULL},
                                *const spray[2] = {&second[WHITEWATER_SPRAY], NULL};
    SP_TRY(whitewater_show_set(s, below, "bubbles", &p->shown[SHOWN_BUBBLES],
                               &p->sets[SHOWN_BUBBLES], err));
    SP_TRY(whitewater_show_set(s, foam, "foam", &p->shown[SHOWN_FOAM], &p->sets[SHOWN_FOAM], err));
    SP_TRY(
        whitewater_show_set(s, spray, "spray", &p->shown[SHOWN_SPRAY], &p->sets[SHOWN_SPRAY], err));
    return whitewater_show_arrivals(s, &p->shown[SHOWN_ARRIVALS], &p->sets[SHOWN_ARRIVALS], err);
}

static void put_field(published *p, const shown_fields *f, const char *name, const float *values,
                      int components)
{
    p->fields[p->field_count++] = (sp_field){.name = name,
                                             .layout = SP_FIELD_TILES,
                                             .components = components,
                                             .values = values,
                                             .tiles = &f->at[0][0],
                                             .tile_count = f->tiles,
                                             .staggered = components == 3};
}

static sp_status show_fields(whitewater *s, published *p, sp_error *err)
{
    p->field_count = 0;
    if (s->def.cache.water) {
        SP_TRY(whitewater_show_water(s, &p->water, err));
        put_field(p, &p->water, "surface", p->water.surface, 1);
        put_field(p, &p->water, "velocity", p->water.velocity, 3);
    }
    if (!s->def.cache.guided || !s->guided) return SP_OK;
    SP_TRY(whitewater_show_guided(s, &p->guided, err));
    put_field(p, &p->guided, "guided_velocity", p->guided.velocity, 3);
    put_field(p, &p->guided, "bubble_fraction", p->guided.surface, 1);
    return SP_OK;
}

/// ---- Figures -----------------------------------------------------------------------------------

static void put(published *p, const char *name, double value)
{
    SP_ASSERT(p->stat_count < STATS);
    p->stats[p->stat_count++] = (sp_stat){name, value};
}

/// Two floats of exact integers hold the 64 bits of a hash.
static void put_hash(published *p, uint64_t hash)
{
    put(p, "first_hash_high", (double)(hash >> 32));
    put(p, "first_hash_low", (double)(hash & 0xffffffffu));
}

size_t whitewater_list_first(const whitewater *s, whitewater_figure list[WHITEWATER_FIRST_FIGURES])
{
    const whitewater_ledger *l = &s->ledger[FIRST];
    const whitewater_figure all[] = {
        {"bubbles_emitted", (double)l->count[WHITEWATER_EMITTED_BUBBLES]},
        {"bubbles_emitted_m3", l->volume[WHITEWATER_EMITTED_BUBBLES]},
        {"bubbles_arrived", (double)l->count[WHITEWATER_SURFACED]},
        {"bubbles_arrived_m3", l->volume[WHITEWATER_SURFACED]},
        {"bubbles_left", (double)l->count[WHITEWATER_LEFT]},
        {"bubbles_left_m3", l->volume[WHITEWATER_LEFT]},
        {"bubbles_inside", (double)l->count[WHITEWATER_INSIDE]},
        {"bubbles_inside_m3", l->volume[WHITEWATER_INSIDE]},
        {"bubbles_stranded", (double)l->count[WHITEWATER_STRANDED]},
        {"bubbles_stranded_m3", l->volume[WHITEWATER_STRANDED]},
        {"aeration_max", s->emitted.aeration_max},
        {"air_asked_m3", s->emitted.target_volume},
        {"air_lost_m3", s->emitted.lost_volume},
        {"bubbles_a_point", (double)s->emitted.number},
        {"tiles", (double)s->guide.tiles},
        {"substeps", (double)s->guide.substeps},
        {"iterations", (double)s->guide.iterations},
        {"residual", s->guide.residual},
        {"failures", (double)s->guide.failures},
        {"newton_change_m_s", s->guide.newton_change},
        {"speed_m_s", s->guide.fastest},
        {"bulk_divergence_1_s", s->guide.bulk_divergence},
    };
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

void whitewater_read_first(whitewater *s, const sp_frame *frame)
{
    whitewater_ledger *l = &s->ledger[FIRST];
    const struct {
        int event;
        const char *count, *volume;
    } events[] = {{WHITEWATER_EMITTED_BUBBLES, "bubbles_emitted", "bubbles_emitted_m3"},
                  {WHITEWATER_SURFACED, "bubbles_arrived", "bubbles_arrived_m3"},
                  {WHITEWATER_LEFT, "bubbles_left", "bubbles_left_m3"},
                  {WHITEWATER_INSIDE, "bubbles_inside", "bubbles_inside_m3"},
                  {WHITEWATER_STRANDED, "bubbles_stranded", "bubbles_stranded_m3"}};
    for (size_t k = 0; k < sizeof events / sizeof *events; ++k) {
        l->count[events[k].event] = (uint64_t)sp_frame_stat(frame, events[k].count);
        l->volume[events[k].event] = sp_frame_stat(frame, events[k].volume);
    }
    s->emitted.aeration_max = sp_frame_stat(frame, "aeration_max");
    s->emitted.target_volume = sp_frame_stat(frame, "air_asked_m3");
    s->emitted.lost_volume = sp_frame_stat(frame, "air_lost_m3");
    s->emitted.number = (float)sp_frame_stat(frame, "bubbles_a_point");
    s->guide.tiles = (size_t)sp_frame_stat(frame, "tiles");
    s->guide.substeps = (int)sp_frame_stat(frame, "substeps");
    s->guide.iterations = (int)sp_frame_stat(frame, "iterations");
    s->guide.residual = sp_frame_stat(frame, "residual");
    s->guide.failures = (uint64_t)sp_frame_stat(frame, "failures");
    s->guide.newton_change = sp_frame_stat(frame, "newton_change_m_s");
    s->guide.fastest = sp_frame_stat(frame, "speed_m_s");
    s->guide.bulk_divergence = sp_frame_stat(frame, "bulk_divergence_1_s");
    s->first_hash = (uint64_t)sp_frame_stat(frame, "first_hash_high") << 32 |
                    (uint64_t)sp_frame_stat(frame, "first_hash_low");
}

static double sum_volume(const whitewater_set *set)
{
    double sum = 0.0;
    for (size_t i = 0; i < set->set.count; ++i)
        sum += whitewater_volume(set, i);
    return sum;
}

static void put_second(const whitewater *s, published *p)
{
    static const struct {
        int event;
        const char *count, *volume;
    } events[] = {
        {WHITEWATER_EMITTED_FOAM, "foam_emitted", "foam_emitted_m3"},
        {WHITEWATER_EMITTED_SPRAY, "spray_emitted", "spray_emitted_m3"},
        {WHITEWATER_SURFACED, "surfaced", "surfaced_m3"},
        {WHITEWATER_SUNK, "sunk", "sunk_m3"},
        {WHITEWATER_LEAPT, "leapt", "leapt_m3"},
        {WHITEWATER_LANDED, "landed", "landed_m3"},
        {WHITEWATER_PLUNGED, "plunged", "plunged_m3"},
        {WHITEWATER_BURST, "burst", "burst_m3"},
        {WHITEWATER_PRUNED, "pruned", "pruned_m3"},
        {WHITEWATER_LEFT, "left", "left_m3"},
        {WHITEWATER_INSIDE, "inside", "inside_m3"},
        {WHITEWATER_STRANDED, "stranded", "stranded_m3"},
    };
    for (size_t k = 0; k < sizeof events / sizeof *events; ++k) {
        put(p, events[k].count, (double)s->ledger[SECOND].count[events[k].event]);
        put(p, events[k].volume, s->ledger[SECOND].volume[events[k].event]);
    }
}

static void show_figures(const whitewater *s, published *p)
{
    whitewater_figure first[WHITEWATER_FIRST_FIGURES];
    const size_t n = whitewater_list_first(s, first);
    p->stat_count = 0;
    put(p, "bubbles", (double)p->sets[SHOWN_BUBBLES].count);
    put(p, "foam", (double)p->sets[SHOWN_FOAM].count);
    put(p, "spray", (double)p->sets[SHOWN_SPRAY].count);
    put(p, "bubbles_m3", sum_volume(&s->bubbles) + sum_volume(&s->second[WHITEWATER_BUBBLES]));
    put(p, "foam_m3", sum_volume(&s->second[WHITEWATER_FOAM]));
    put(p, "spray_m3", sum_volume(&s->second[WHITEWATER_SPRAY]));
    for (size_t k = 0; k < n; ++k)
        put(p, first[k].name, first[k].value);
    put_hash(p, whitewater_hash_first(s));
    put_second(s, p);
    put(p, "foam_substeps", (double)s->floating.foam.substeps);
    put(p, "off_surface", (double)(s->floating.sunk + s->floating.parted));
}

/// ---- The frame ---------------------------------------------------------------------------------

sp_status whitewater_publish(void *solver, sp_frame *frame, sp_error *err)
{
    whitewater *s = solver;
    const size_t bodies = s->solids ? sp_solids_count(s->solids) : 0;
    if (!s->published) s->published = sp_allocate(s->host, 1, sizeof(published));
    published *p = s->published;
    if (p && !p->bodies) p->bodies = sp_allocate(s->host, bodies + 1, sizeof *p->bodies);
    if (!p || !p->bodies) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for frames");
    SP_TRY(show_fields(s, p, err));
    SP_TRY(show_sets(s, p, err));
    for (size_t i = 0; i < bodies; ++i)
        p->bodies[i] = sp_shape_pose(sp_solids_shape(s->solids, i), s->time);
    show_figures(s, p);
    frame->time = s->time;
    frame->voxel = (double)s->water.bulk.voxel;
    memcpy(frame->origin, s->origin, sizeof frame->origin);
    frame->hash = whitewater_hash_first(s) ^ sp_hash(0, (uint64_t[]){whitewater_hash_second(s)}, 8);
    frame->sets = p->sets;
    frame->set_count = SHOWN_SETS;
    frame->fields = p->fields;
    frame->field_count = p->field_count;
    frame->bodies = p->bodies;
    frame->body_count = bodies;
    frame->stats = p->stats;
    frame->stat_count = p->stat_count;
    return SP_OK;
}
