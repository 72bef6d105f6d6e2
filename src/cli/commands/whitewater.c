// SPDX-License-Identifier: Apache-2.0
/// Whitewater on somebody's water in one line: writes the scene and runs it.
#include "bulk/bulk.h"
#include "cli/commands.h"
#include "cli/options/solver_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What the scene is made from.
typedef struct plan {
    const char *path;
    char scene[4096]; ///< the scene of a liquid that made the water; "" if there is none
    double fps;
    uint64_t first, last; ///< frames
    long budget;          ///< particles; 0: the default
    bool preview;
} plan;

enum { PREVIEW_FRAMES = 4, PREVIEW_BUDGET = 40000 }; ///< one frame of so many; particles

static bool read_options(const cli_call *call, plan *p)
{
    const char *text = cli_value(call, "budget");
    p->preview = cli_given(call, "preview");
    if (p->preview) p->budget = PREVIEW_BUDGET;
    if (!text) return true;
    char *end;
    const double number = strtod(text, &end);
    const double unit = *end == 'k' || *end == 'K' ? 1e3 : *end == 'M' || *end == 'm' ? 1e6 : 1.0;
    if (unit > 1.0) ++end;
    if (end == text || *end || !(number * unit >= 1000.0 && number * unit <= 1e9))
        return cli_refuse(call, "--budget %s; expected 1000 to 1e9 points, such as 500k or 2M",
                          text);
    p->budget = (long)(number * unit);
    return true;
}

/// Times of the water, in frames. A cache with samples between frames is run at its frames.
static int look_at_water(const cli_call *call, cli_machine *machine, plan *p)
{
    sp_bulk_opened water;
    sp_error err = {0};
    cli_solver_files_open(machine, NULL);
    if (machine->files.open_bulk(machine, p->path, &machine->host, &water, &err) != SP_OK)
        return cli_machine_refused(machine, &err);
    double fps = water.bulk.interval > 0.0 ? 1.0 / water.bulk.interval : 24.0;
    while (fps > 60.5)
        fps *= 0.5;
    if (fabs(fps - nearbyint(fps)) < 1e-3) fps = nearbyint(fps);
    p->fps = p->preview ? fps / PREVIEW_FRAMES : fps;
    if (water.world) snprintf(p->scene, sizeof p->scene, "%s/scene.json", p->path);
    p->first = (uint64_t)ceil(fmax(water.bulk.first, 0.0) * p->fps - 1e-6);
    p->last = (uint64_t)floor(fmax(water.bulk.last, 0.0) * p->fps + 1e-6);
    sp_bulk_close(&water.bulk);
    if (p->last > p->first) return CLI_FINE;
    return cli_bad_input(call, "%s: holds one moment; expected at least two, so that water moves",
                         p->path);
}

static bool write_scene(const plan *p, sp_text *out)
{
    sp_text_format(
        out,
        "{ \"spume\": 1, \"solver\": \"whitewater\", \"fps\": %.17g, \"frames\": %" PRIu64 ",\n  ",
        p->fps, p->last);
    if (p->scene[0]) { // its solids and its look
        sp_text_add(out, "\"include\": ");
        sp_text_quote(out, p->scene);
        sp_text_add(out, ",\n  ");
    }
    sp_text_add(out, "\"whitewater\": { \"bulk\": ");
    sp_text_quote(out, p->path);
    if (p->budget) sp_text_format(out, ", \"emission\": { \"budget\": %ld }", p->budget);
    sp_text_add(out, " } }\n");
    return !out->failed;
}

static int open_water(const cli_call *call, cli_machine *machine, sp_scene **scene, uint64_t *first)
{
    plan p = {.path = call->operands[0]};
    if (!read_options(call, &p) || !cli_machine_open(machine, call)) return CLI_BAD_INPUT;
    int code = look_at_water(call, machine, &p);
    if (code != CLI_FINE) return code;
    sp_text text = {.host = &machine->host};
    if (write_scene(&p, &text))
        code = cli_open_scene_text(call, machine, p.path, text.bytes, scene);
    else
        code = cli_bad_input(call, "no memory for the scene");
    sp_text_close(&text);
    *first = p.first;
    return code;
}

static int run(const cli_call *call)
{
    if (!cli_given(call, "output"))
        return cli_bad_input(call, "whitewater needs a directory for its frames: -o DIR");
    return cli_run_scene(call, open_water);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "output directory; required"},
    {"budget", 0, "N",
     "particles at most, such as 500k; one may stand for many bubbles (default 400k)"},
    {"preview", 0, NULL, "every fourth frame, and a budget of 40k"},
    {"frames", 0, "N|A-B", "only up to frame N of the water, or frames A to B"},
    {"set", 0, "KEY=VALUE", "change a key of the scene: whitewater.aeration.min=2"},
    {"memory", 0, "GB", "refuse to need more (default 80 % of what there is)"},
    {"max-hours", 0, "N", "refuse or stop a run that takes longer (default: warn of a day)"},
    {"threads", 0, "N", "threads (default: all); the result is the same"},
    {"resume", 0, NULL, "continue from the newest good checkpoint, or start"},
    {"from", 0, "K", "continue from the checkpoint of frame K"},
    {"overwrite", 0, NULL, "remove the existing run and start again"},
    {"redo", 0, "WHAT", "only foam and spray, on the bubbles of the run in --keep"},
    {"keep", 0, "DIR", "the run whose bubbles are kept"},
    {0},
};

const cli_command cli_whitewater = {
    .name = "whitewater",
    .operands = "WATER",
    .least = 1,
    .most = 1,
    .about = "bubbles, foam and spray on water that is there already",
    .details = "WATER is the directory of a run or an import, or what `spume import` reads: "
               "OpenVDB files, a\n"
               "cache of Blender, meshes. Radii follow from its voxel; DIR/scene.json is the scene "
               "that was\n"
               "run, to be changed and run again with `spume run`.\n",
    .examples = "  spume whitewater out/dam_break -o out/white\n"
                "  spume whitewater cache/data -o out/white --budget 500k\n"
                "  spume whitewater sea/ -o out/look --preview\n"
                "  spume whitewater sea/ -o out/lace --set whitewater.foam.cohesion=40 --redo foam "
                "--keep out/white\n",
    .options = options,
    .run = run,
};
