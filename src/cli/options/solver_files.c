// SPDX-License-Identifier: Apache-2.0
/// Files for solvers, which read none themselves.
#include "cli/options/solver_files.h"

#include "cache/cache.h"
#include "cli/options/import_files.h"
#include "exchange/import.h"
#include "liquid/liquid.h"

#include <string.h>

/// ---- Water -------------------------------------------------------------------------------------

/// The scene that made water.
typedef struct cli_water {
    struct cli_water *next;
    sp_scene *scene;
} cli_water;

static sp_status keep_scene(cli_machine *m, sp_scene *scene, cli_water **out, sp_error *err)
{
    cli_water *water = *out = sp_allocate(&m->host, 1, sizeof *water);
    if (!water) {
        sp_scene_close(scene);
        return sp_fail(err, SP_NO_MEMORY, "no memory for the scene of the water");
    }
    *water = (cli_water){.next = m->waters, .scene = scene};
    m->waters = water;
    return SP_OK;
}

/// Solids and domain of the water's scene.
static void describe(const sp_scene *scene, sp_bulk_opened *water)
{
    const sp_liquid_def *d = scene->solver == &sp_liquid_solver ? scene->def : NULL;
    if (!d) return;
    water->world = &scene->common.world;
    const int kinds[6] = {d->sides.left, d->sides.right, d->sides.bottom,
                          d->sides.top,  d->sides.back,  d->sides.front};
    for (int i = 0; i < 6; ++i)
        if (kinds[i] == SP_LIQUID_WALL) water->walls |= (uint8_t)(1 << i);
}

static sp_status open_run(cli_machine *m, const char *path, const sp_host *host,
                          sp_bulk_opened *water, sp_error *err)
{
    char file[4096], *text = NULL;
    size_t size;
    sp_scene *scene;
    cli_water *kept;
    snprintf(file, sizeof file, "%s/scene.json", path);
    SP_TRY(sp_run_bulk_open(path, host, &water->bulk, err));
    if (sp_file_read(file, 0, &m->host, &text, &size, NULL) != SP_OK) return SP_OK;
    if (sp_scene_open_text(file, text, size, NULL, &m->host, &scene, NULL) ==
            SP_OK && // not of an import
        keep_scene(m, scene, &kept, err) == SP_OK)
        describe(scene, water);
    sp_release(&m->host, text);
    return SP_OK;
}

static sp_status open_import(const char *path, const sp_host *host, sp_bulk *bulk, sp_error *err)
{
    import_paths files = {0};
    sp_import *import = NULL;
    const sp_import_options options = sp_import_defaults();
    sp_status status = import_paths_add(&files, path, err);
    if (status == SP_OK)
        status = sp_import_open((const char *const *)files.paths, files.count, &options, host,
                                &import, err);
    import_paths_close(&files);
    SP_TRY(status);
    return sp_import_bulk(import, bulk, err);
}

static sp_status open_bulk(void *user, const char *path, const sp_host *host, sp_bulk_opened *water,
                           sp_error *err)
{
    *water = (sp_bulk_opened){0};
    if (sp_run_is_here(path)) return open_run(user, path, host, water, err);
    return open_import(path, host, &water->bulk, err);
}

/// ---- Frames of a run that is kept --------------------------------------------------------------

static sp_status past_frame(void *user, uint64_t frame, const sp_frame **out, sp_error *err)
{
    cli_machine *m = user;
    char path[4096];
    sp_frame_file_close(m->past);
    m->past = NULL;
    sp_cache_frame_path(m->kept, frame, path, sizeof path);
    SP_TRY(sp_frame_file_open(path, &m->host, &m->past, err));
    *out = sp_frame_file_frame(m->past);
    return SP_OK;
}

void cli_solver_files_open(cli_machine *machine, const char *kept)
{
    machine->kept = kept;
    machine->files = (sp_setup_files){
        .user = machine, .open_bulk = open_bulk, .past_frame = kept ? past_frame : NULL};
}

void cli_solver_files_close(cli_machine *machine)
{
    sp_frame_file_close(machine->past);
    machine->past = NULL;
    while (machine->waters) {
        cli_water *water = machine->waters;
        machine->waters = water->next;
        sp_scene_close(water->scene);
        sp_release(&machine->host, water);
    }
}
