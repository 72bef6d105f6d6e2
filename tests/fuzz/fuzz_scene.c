// SPDX-License-Identifier: Apache-2.0
/// libFuzzer over the scene reader with the real solvers' tables. What follows a byte of value 1 is
/// an override, as from --set. A scene that opens must resolve to text that opens to the same
/// scene.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth)
{
    if (!truth) abort();
}

static void read_back(const sp_scene *scene, const sp_solver_type *const *solvers, size_t count)
{
    char *text;
    sp_error err = {0};
    sp_scene *again;
    require(sp_scene_resolved(scene, &text, &err) == SP_OK);
    require(sp_scene_read("again.json", text, strlen(text), NULL, solvers, count, scene->host,
                          &again, &err) == SP_OK);
    require(again->hash == scene->hash);
    sp_release(scene->host, text);
    sp_scene_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sp_host host = sp_host_default(1);
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    const uint8_t *mark = size ? memchr(data, 1, size) : NULL;
    const size_t length = mark ? (size_t)(mark - data) : size;
    const size_t rest = mark ? size - length - 1 : 0;
    char *set = calloc(rest + 1, 1);
    require(set != NULL);
    if (rest) memcpy(set, mark + 1, rest);
    const char *const sets[] = {set};
    const sp_scene_options options = {
        .struct_size = sizeof(sp_scene_options), .set = sets, .set_count = mark ? 1 : 0};
    sp_scene *scene;
    sp_error err = {0};
    const sp_status st = sp_scene_read("fuzz/scene.json", (const char *)data, length, &options,
                                       solvers, count, &host, &scene, &err);
    if (st == SP_OK)
        read_back(scene, solvers, count);
    else
        require(err.text[0] && !strpbrk(err.text, "\n\r") && !scene);
    sp_scene_close(scene);
    free(set);
    return 0;
}
