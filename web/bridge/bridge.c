// SPDX-License-Identifier: Apache-2.0
/// The pond's interface for a web page: functions over numbers and zero-terminated texts, exported
/// from the WebAssembly module. The page parses the scene's JSON itself and passes it key by key;
/// positions, levels and counts are read directly from memory. src/engine.ts is the other side.
#include "core/core.h"
#include "pond/pond.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { TEXT_BYTES = 1 << 16 };

typedef struct page {
    sp_host base, host;
    sp_budget budget;
    sp_pond_def def;
    sp_fill fill;
    sp_pond *pond;
    sp_error error;
    double statistics[16];
    char text[TEXT_BYTES]; ///< texts in and out: paths, words, the table of keys
} page;

page *EXPORT(page_new)(double memory_limit);
page *EXPORT(page_new)(double memory_limit)
{
    page *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->base = sp_host_default(1);
    p->host = sp_budget_host(&p->budget, &p->base, (size_t)memory_limit);
    return p;
}

/// Buffer for texts: the page writes one before a call that takes a text, and reads one after a
/// call that gives one.
char *EXPORT(page_text)(page *p);
char *EXPORT(page_text)(page *p)
{
    return p->text;
}

/// The message of the last status that was not 0.
const char *EXPORT(page_error)(page *p);
const char *EXPORT(page_error)(page *p)
{
    return p->error.text;
}

/// ---- The table of keys, as JSON ------------------------------------------------------------------

typedef struct writer {
    char *at, *end;
} writer;

static void put(writer *w, const char *format, ...) SP_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    const int n = vsnprintf(w->at, (size_t)(w->end - w->at), format, words);
    va_end(words);
    w->at += n < w->end - w->at ? n : w->end - w->at - 1;
}

static const char *type_word(sp_key_type type)
{
    static const char *const words[] = {"number", "number", "whole", "whole",   "bool",
                                        "choice", "text",   "vec3",  "choices", "heights",
                                        "object", "option", "list"};
    return words[type];
}

static void put_number(writer *w, const char *name, double value)
{
    if (isfinite(value))
        put(w, ",\"%s\":%.9g", name, value);
    else
        put(w, ",\"%s\":null", name);
}

static void put_keys(writer *w, const sp_keys *keys)
{
    put(w, "[");
    for (size_t k = 0; k < keys->count; ++k) {
        const sp_key *key = &keys->keys[k];
        put(w, "%s{\"name\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",\"live\":%s,\"doc\":\"%s\"",
            k ? "," : "", key->name, type_word(key->type), key->unit ? key->unit : "",
            key->live ? "true" : "false", key->doc);
        put_number(w, "value", key->value);
        put_number(w, "min", key->min);
        put_number(w, "max", key->max);
        for (size_t i = 0; key->choices && key->choices[i]; ++i)
            put(w, "%s\"%s\"", i ? "," : ",\"choices\":[", key->choices[i]);
        put(w, "%s", key->choices ? "]" : "");
        if (key->items) {
            put(w, ",\"items\":");
            put_keys(w, key->items);
        }
        put(w, "}");
    }
    put(w, "]");
}

/// Writes into page_text().
void EXPORT(page_keys)(page *p);
void EXPORT(page_keys)(page *p)
{
    writer w = {p->text, p->text + TEXT_BYTES};
    put_keys(&w, &sp_pond_keys);
}

/// ---- Opening -------------------------------------------------------------------------------------

static void shut(page *p)
{
    sp_pond_close(p->pond);
    p->pond = NULL;
    sp_fill_close(&p->fill);
}

/// Begins a new def; closes an open pond.
void EXPORT(page_begin)(page *p);
void EXPORT(page_begin)(page *p)
{
    shut(p);
    p->def = sp_pond_defaults();
    p->fill = (sp_fill){.host = &p->host, .keys = &sp_pond_keys, .def = &p->def};
}

/// page_text() holds the key's path and, after its end, the word.
int EXPORT(page_fill_number)(page *p, double value);
int EXPORT(page_fill_number)(page *p, double value)
{
    return sp_fill_number(&p->fill, p->text, value, &p->error);
}
int EXPORT(page_fill_word)(page *p);
int EXPORT(page_fill_word)(page *p)
{
    return sp_fill_word(&p->fill, p->text, p->text + strlen(p->text) + 1, &p->error);
}
int EXPORT(page_fill_list)(page *p, uint32_t count);
int EXPORT(page_fill_list)(page *p, uint32_t count)
{
    return sp_fill_list(&p->fill, p->text, count, &p->error);
}
int EXPORT(page_fill_option)(page *p);
int EXPORT(page_fill_option)(page *p)
{
    return sp_fill_option(&p->fill, p->text, &p->error);
}
/// The buffer for the heights; 0 on failure.
float *EXPORT(page_fill_heights)(page *p, uint32_t width, uint32_t height);
float *EXPORT(page_fill_heights)(page *p, uint32_t width, uint32_t height)
{
    return sp_fill_heights(&p->fill, p->text, width, height, &p->error);
}

/// Estimate of the longest time for a frame, s: its steps, each with the largest number of water
/// sub-steps and particles. A step cannot be interrupted, and an untrusted link decides how long it
/// is.
static double worst_frame(const sp_pond_def *def, double fps)
{
    const double cell_s = 6e-9, particle_s = 5e-7; // measured: a sub-step of one each
    const double steps = ceil(1.0 / (fps * (double)def->dt_frame) - 1e-3);
    const double cells = (double)def->nx * (double)def->ny * (double)def->sw_max_substeps;
    const double particles =
        ((double)def->max_bubbles + (double)def->max_foam + (double)def->tracers) *
        (double)def->particle_substeps;
    return steps * (cells * cell_s + particles * particle_s);
}

static sp_status check_worst(page *p, double fps)
{
    enum { LONGEST = 4 }; // s
    const double worst = worst_frame(&p->def, fps);
    if (worst <= LONGEST) return SP_OK;
    return sp_fail(&p->error, SP_BAD_INPUT,
                   "pond: a frame of this scene may take %.0f s; expected at most %d in a page "
                   "(spume run has time)",
                   worst, (int)LONGEST);
}

static sp_status check_bytes(page *p) ///< before allocating: WebAssembly memory never shrinks
{
    const double wanted = (double)sp_pond_bytes(&p->def), limit = (double)p->budget.limit;
    if (wanted <= limit) return SP_OK;
    return sp_fail(&p->error, SP_NO_MEMORY,
                   "pond: %dx%d with %d bubbles needs %.0f MB; a page has %.0f MB", (int)p->def.nx,
                   (int)p->def.ny, (int)p->def.max_bubbles, 1e-6 * wanted, 1e-6 * limit);
}

int EXPORT(page_open)(page *p, double seed, double fps);
int EXPORT(page_open)(page *p, double seed, double fps)
{
    p->def.seed = (uint64_t)seed;
    sp_status status = check_bytes(p);
    if (status == SP_OK) status = check_worst(p, fps);
    if (status == SP_OK) status = sp_pond_open(&p->def, &p->host, &p->pond, &p->error);
    sp_fill_close(&p->fill);
    return status;
}

void EXPORT(page_close)(page *p);
void EXPORT(page_close)(page *p)
{
    if (!p) return;
    shut(p);
    free(p);
}

/// ---- Running -------------------------------------------------------------------------------------

int EXPORT(page_step)(page *p, double t_end);
int EXPORT(page_step)(page *p, double t_end)
{
    return sp_pond_step(p->pond, t_end, &p->error);
}

/// page_text() holds the key.
int EXPORT(page_set)(page *p, double value);
int EXPORT(page_set)(page *p, double value)
{
    return sp_pond_set(p->pond, p->text, value, &p->error);
}
double EXPORT(page_get)(page *p);
double EXPORT(page_get)(page *p)
{
    double value = (double)NAN;
    sp_pond_get(p->pond, p->text, &value, &p->error);
    return value;
}
int EXPORT(page_move)(page *p, int thing, uint32_t index, float x, float y);
int EXPORT(page_move)(page *p, int thing, uint32_t index, float x, float y)
{
    return sp_pond_move(p->pond, (sp_pond_thing)thing, index, x, y, &p->error);
}
int EXPORT(page_add_nozzle)(page *p, float x, float y, float z, float rate, float radius,
                            float spread, float jitter, float speed, int on);
int EXPORT(page_add_nozzle)(page *p, float x, float y, float z, float rate, float radius,
                            float spread, float jitter, float speed, int on)
{
    const sp_pond_nozzle nozzle = {x, y, z, rate, radius, spread, jitter, speed, on != 0};
    return sp_pond_add_nozzle(p->pond, &nozzle, &p->error);
}
int EXPORT(page_remove_nozzle)(page *p, uint32_t index);
int EXPORT(page_remove_nozzle)(page *p, uint32_t index)
{
    return sp_pond_remove_nozzle(p->pond, index, &p->error);
}
int EXPORT(page_tap)(page *p, float x, float y, float radius);
int EXPORT(page_tap)(page *p, float x, float y, float radius)
{
    return sp_pond_tap(p->pond, x, y, radius, &p->error);
}

/// ---- Output
/// --------------------------------------------------------------------------------------

enum { WANT_VORTICES = 1, WANT_THINGS = 2 };
const sp_pond_view *EXPORT(page_view)(page *p, int want);
const sp_pond_view *EXPORT(page_view)(page *p, int want)
{
    if (want & WANT_VORTICES) sp_pond_draw_vortices(p->pond);
    return want & WANT_THINGS ? sp_pond_draw_things(p->pond) : sp_pond_draw(p->pond);
}

/// The number of events; page_event_list() gives their address, five 32-bit words each: kind, x, y,
/// z, radius.
uint32_t EXPORT(page_events)(page *p);
uint32_t EXPORT(page_events)(page *p)
{
    size_t count;
    sp_pond_events(p->pond, &count);
    return (uint32_t)count;
}
const sp_pond_event *EXPORT(page_event_list)(page *p);
const sp_pond_event *EXPORT(page_event_list)(page *p)
{
    size_t count;
    return sp_pond_events(p->pond, &count);
}

/// In the order of the fields of Statistics in src/pond.ts.
const double *EXPORT(page_statistics)(page *p);
const double *EXPORT(page_statistics)(page *p)
{
    const sp_pond_stats s = sp_pond_statistics(p->pond);
    const double row[] = {(double)s.frame, s.time,       s.bubbles, s.foam, s.ghosts,
                          s.nozzles,       s.substeps,   s.limited, s.held, s.water_m3,
                          s.gas_in_m3,     s.gas_out_m3, s.gas_m3};
    memcpy(p->statistics, row, sizeof row);
    return p->statistics;
}

/// A stage's name, 0 after the last one; its seconds go to page_seconds().
const char *EXPORT(page_stage)(page *p, int stage);
const char *EXPORT(page_stage)(page *p, int stage)
{
    return sp_pond_stage(p->pond, stage, &p->statistics[15]);
}
double EXPORT(page_seconds)(page *p);
double EXPORT(page_seconds)(page *p)
{
    return p->statistics[15];
}

/// Writes sixteen digits into page_text().
void EXPORT(page_hash)(page *p);
void EXPORT(page_hash)(page *p)
{
    snprintf(p->text, TEXT_BYTES, "%016" PRIx64, sp_pond_hash(p->pond));
}
