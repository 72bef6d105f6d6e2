// SPDX-License-Identifier: Apache-2.0
/// Runs a scene natively and prints the line that the page's own program prints under node: frames, hash, counts.
#include "pond/pond.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static sp_status run(const char *name, const char *frames, sp_error *err)
{
    const sp_host host = sp_host_default(0);
    sp_scene *scene;
    SP_TRY(sp_scene_open(name, &(sp_scene_options){.struct_size = sizeof(sp_scene_options)}, &host,
                         &scene, err));
    const uint64_t last = frames ? strtoull(frames, NULL, 10) : scene->common.frames;
    sp_pond_def def = *(const sp_pond_def *)scene->def;
    def.seed = scene->common.seed;
    def.struct_size = sizeof def;
    sp_pond *pond = NULL;
    sp_status status = sp_pond_open(&def, &host, &pond, err);
    for (uint64_t k = 1; k <= last && status == SP_OK; ++k)
        status = sp_pond_step(pond, (double)k / scene->common.fps, err);
    if (status == SP_OK) {
        const sp_pond_stats s = sp_pond_statistics(pond);
        printf("%" PRIu64 " %016" PRIx64 " bubbles %" PRIu32 " foam %" PRIu32 "\n", last,
               sp_pond_hash(pond), s.bubbles, s.foam);
    }
    sp_pond_close(pond);
    sp_scene_close(scene);
    return status;
}

int main(int argc, char **argv)
{
    sp_error err = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "Usage: page_hash SCENE [FRAMES]\n");
        return 2;
    }
    if (run(argv[1], argc == 3 ? argv[2] : NULL, &err) == SP_OK) return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}
