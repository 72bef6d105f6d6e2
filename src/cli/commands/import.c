// SPDX-License-Identifier: Apache-2.0
#include "exchange/import.h"

#include "cache/cache.h"
#include "cli/options/import_files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Everything an import holds, so that there is one way out.
typedef struct job {
    const cli_call *call;
    cli_machine machine;
    const char *dir;
    sp_import_options how;
    import_paths files;
    sp_import *import;
    sp_writer *run;
    sp_text scene, about; ///< scene.json, and what run.json says of the import
} job;

/// ---- Options -----------------------------------------------------------------------------------

/// One of two words, 1 or 2, or "auto", 0.
static bool read_choice(const cli_call *call, const char *option, const char *const *words,
                        int *choice)
{
    const char *text = cli_value(call, option);
    int place = -1;
    if (text && strcmp(text, "auto") != 0 && !cli_word(call, option, words, &place)) return false;
    *choice = place + 1;
    return true;
}

static bool read_options(job *j)
{
    static const char *const styles[] = {"auto", "houdini", "blender", "plain", NULL};
    static const char *const units[] = {"m/s", "cells/unit", NULL}, *const ups[] = {"y", "z", NULL};
    const cli_call *call = j->call;
    long gap = (long)j->how.max_gap;
    int style = SP_IMPORT_AUTO, unit, up;
    bool is_range;
    if (!cli_word(call, "as", styles, &style) ||
        !read_choice(call, "velocity-unit", units, &unit) || !read_choice(call, "up", ups, &up) ||
        !cli_real(call, "scale", 1e-9, 1e9, &j->how.scale) ||
        !cli_real(call, "voxel", 1e-6, 1e6, &j->how.voxel) ||
        !cli_real(call, "fps", 1e-3, 1e6, &j->how.fps) ||
        !cli_number(call, "max-gap", 0, 999999, &gap) ||
        !cli_range(call, "frames", &j->how.first, &j->how.last, &is_range))
        return false;
    j->how.style = (sp_import_style)style;
    j->how.unit = (sp_import_unit)unit;
    j->how.up = (sp_import_up)up;
    j->how.max_gap = (uint64_t)gap;
    j->how.surface = cli_value(call, "surface");
    j->how.velocity = cli_value(call, "velocity");
    j->how.fog = cli_given(call, "fog");
    return true;
}

/// ---- The run -----------------------------------------------------------------------------------

/// scene.json of an import: the options that give the same result again.
static bool describe(job *j, uint64_t *hash)
{
    static const char *const styles[] = {"auto", "houdini", "blender", "plain", "flip fluids"};
    const sp_import_plan *p = sp_import_get_plan(j->import);
    char origin[512];
    sp_import_describe(j->import, origin, sizeof origin);
    sp_text *out = &j->scene;
    j->scene.host = j->about.host = &j->machine.host;
    sp_text_format(out, "{ \"spume\": 1, \"solver\": \"import\", \"fps\": %.17g,\n  \"import\": {",
                   p->fps);
    sp_text_format(out, " \"as\": \"%s\", \"surface\": ", styles[p->style]);
    sp_text_quote(out, p->surface[0] ? p->surface : p->points);
    sp_text_add(out, ", \"velocity\": [");
    for (int c = 0; c < 3 && p->velocity[c][0]; ++c) {
        if (c) sp_text_add(out, ", ");
        sp_text_quote(out, p->velocity[c]);
    }
    sp_text_format(
        out,
        "], \"staggered\": %s, \"velocity_unit\": \"%s\", \"up\": \"%s\", \"scale\": %.17g, "
        "\"fog\": %s, \"samples_per_frame\": %" PRIu64 ",\n    ",
        p->staggered ? "true" : "false", p->cells ? "cells/unit" : "m/s", p->z_up ? "z" : "y",
        p->scale, p->fog ? "true" : "false", p->per_frame);
    if (p->mesh) sp_text_format(out, "\"voxel\": %.17g, ", p->voxel);
    sp_text_add(out, "\"files\": [");
    for (size_t k = 0; k < p->count; ++k) {
        sp_text_add(out, k ? ",\n      " : "\n      ");
        sp_text_quote(out, sp_import_path(j->import, k));
    }
    sp_text_add(out, " ] } }\n");
    if (out->failed) return false;
    *hash = sp_hash(0, out->bytes, out->size);
    sp_text_add(&j->about, "{\"origin\":");
    sp_text_quote(&j->about, origin);
    sp_text_add(&j->about, ",\"build\":");
    cli_build_json(&j->about);
    sp_text_add(&j->about, "}");
    return !j->about.failed;
}

static sp_status open_run(job *j, sp_error *err)
{
    sp_writer_options how = sp_writer_defaults();
    if (!describe(j, &how.scene_hash))
        return sp_fail(err, SP_NO_MEMORY, "no memory for scene.json");
    how.dir = j->dir;
    how.mode = cli_given(j->call, "overwrite") ? SP_RUN_OVERWRITE : SP_RUN_NEW;
    how.fps = sp_import_get_plan(j->import)->fps;
    how.scene_text = j->scene.bytes;
    how.solver = "import";
    how.about = j->about.bytes;
    return sp_writer_open(&how, &j->machine.host, &j->run, err);
}

static sp_status put_frame(job *j, size_t k, double *speed, sp_error *err)
{
    const sp_frame *frame;
    const double begun = sp_now(&j->machine.host);
    SP_TRY(sp_import_read(j->import, k, &frame, err));
    SP_TRY(sp_writer_put(j->run, frame, sp_now(&j->machine.host) - begun, err));
    *speed = fmax(*speed, sp_frame_stat(frame, "speed_m_s"));
    return SP_OK;
}

static sp_status put_all(job *j, sp_error *err)
{
    const size_t count = sp_import_get_plan(j->import)->count;
    sp_progress progress;
    double speed = 0.0;
    sp_status status = SP_OK;
    cli_catch_interrupts();
    cli_progress_begin(&progress, &j->machine, count - 1);
    for (size_t k = 0; status == SP_OK && k < count; ++k) {
        status = cli_was_interrupted(NULL)
                     ? sp_fail(err, SP_CANCELLED, "interrupted; start over with --overwrite")
                     : put_frame(j, k, &speed, err);
        if (status == SP_OK)
            sp_progress_frame(&progress, k, atomic_load(&j->machine.budget.used), "");
    }
    if (status == SP_OK) status = sp_writer_put_end(j->run, err);
    sp_progress_end(&progress);
    if (status == SP_OK && !j->call->quiet)
        printf("%s: %zu frame%s, %" PRIu64 " to %" PRIu64 ", largest speed %.4g m/s\n", j->dir,
               count, count == 1 ? "" : "s", sp_import_number(j->import, 0),
               sp_import_number(j->import, count - 1), speed);
    return status;
}

static int import_files(job *j)
{
    sp_error err = {0};
    // Checked before anything is read: an import cannot be resumed.
    if (!cli_given(j->call, "overwrite") && sp_run_is_here(j->dir))
        return cli_bad_input(
            j->call,
            "%s: already holds a run; choose another directory or start over with --overwrite",
            j->dir);
    const int code = import_paths_find(&j->files, j->call);
    if (code != CLI_FINE) return code;
    if (sp_import_open((const char *const *)j->files.paths, j->files.count, &j->how,
                       &j->machine.host, &j->import, &err) != SP_OK)
        return cli_machine_refused(&j->machine, &err);
    if (open_run(j, &err) != SP_OK) return cli_failed(j->call, &err);
    const sp_status status = put_all(j, &err);
    if (status == SP_DAMAGED || status == SP_NO_MEMORY) // a damaged input file, or --memory
        return cli_machine_refused(&j->machine, &err);
    return status == SP_OK ? CLI_FINE : cli_failed(j->call, &err);
}

static int run(const cli_call *call)
{
    job j = {.call = call, .how = sp_import_defaults(), .dir = cli_value(call, "output")};
    if (!j.dir) return cli_bad_input(call, "import needs a directory for its frames: -o DIR");
    if (!read_options(&j) || !cli_machine_open(&j.machine, call)) return CLI_BAD_INPUT;
    j.how.threads = j.machine.threads;
    const int code = import_files(&j);
    sp_writer_close(j.run);
    sp_import_close(j.import);
    import_paths_close(&j.files);
    sp_text_close(&j.scene);
    sp_text_close(&j.about);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "output directory; required"},
    {"as", 0, "STYLE", "auto (default), houdini, blender or plain: conventions of the files"},
    {"surface", 0, "NAME", "the grid of the surface, or of points to build it from"},
    {"velocity", 0, "NAME", "the grid of the velocity, the stem of three, or none"},
    {"velocity-unit", 0, "UNIT", "m/s or cells/unit (of 0.4 s, as in Blender)"},
    {"scale", 0, "S", "metres in one unit of the files (default 1)"},
    {"voxel", 0, "H", "voxel of water from meshes, m, if the files do not say"},
    {"up", 0, "AXIS", "y or z (default: by style)"},
    {"fps", 0, "F", "frames a second (default: from the files, else 24)"},
    {"frames", 0, "N|A-B", "only these frames"},
    {"max-gap", 0, "N", "frames in a row that may be missing (default 3)"},
    {"fog", 0, NULL, "a grid of densities may give the surface, where it is one half"},
    {"overwrite", 0, NULL, "remove the existing run and start again"},
    {"memory", 0, "GB", "refuse to need more (default 80 % of what there is)"},
    {"threads", 0, "N", "threads (default: all); the result is the same"},
    {0},
};

const cli_command cli_import = {
    .name = "import",
    .operands = "FILE|DIR...",
    .least = 1,
    .most = 1 << 30,
    .about = "turn water of other programs (OpenVDB files, meshes) into frames",
    .details =
        "Reads OpenVDB caches of Houdini, of Blender (its default settings suffice) and of others\n"
        "whose grids have plain names; caches of the FLIP Fluids add-on (tick Generate Velocity\n"
        "Attributes for the surface); and .ply meshes with velocities at their vertices. Frames\n"
        "are numbered by the files' names. If files do not fit, the error lists what was\n"
        "found. docs/bulk.md has the rules.\n",
    .examples = "  spume import cache/data/fluid_data_*.vdb -o out/bulk\n"
                "  spume import geo/flip.*.vdb --as houdini --fps 25 -o out/bulk\n"
                "  spume import my_scene_flip_fluid_cache -o out/bulk\n"
                "  spume import sea.*.ply --voxel 0.05 --up z -o out/bulk\n"
                "  spume import water.*.vdb --surface sdf --velocity v --up z -o out/bulk\n",
    .options = options,
    .run = run,
};
