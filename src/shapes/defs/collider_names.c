// SPDX-License-Identifier: Apache-2.0
/// Names for colliders that the scene does not name.
#include "shapes/internal.h"

#include <stdio.h>
#include <string.h>

const char *const shape_kind_names[SHAPE_KINDS] = {"box",   "sphere", "cylinder", "capsule",
                                                   "torus", "plane",  "mesh",     "heightfield"};

shape_kind shape_kind_of(const sp_shape_def *def)
{
    const void *const given[SHAPE_KINDS] = {def->box,     def->sphere,     def->cylinder,
                                            def->capsule, def->torus,      def->plane,
                                            def->mesh,    def->heightfield};
    int kind = 0;
    while (kind < SHAPE_KINDS - 1 && !given[kind])
        ++kind;
    return (shape_kind)kind;
}

static bool is_given(const sp_collider_namer *namer, const char *name)
{
    for (size_t i = 0; i < namer->count; ++i) {
        const char *other = namer->colliders[i].name;
        if (other && strcmp(other, name) == 0) return true;
    }
    return false;
}

sp_collider_def sp_collider_named(sp_collider_namer *namer, size_t i)
{
    _Static_assert(sizeof namer->used / sizeof *namer->used == SHAPE_KINDS, "one for each kind");
    sp_collider_def def = namer->colliders[i];
    const shape_kind kind = shape_kind_of(&def.shape);
    if (def.name) return def;
    do {
        char number[12] = "";
        if (++namer->used[kind] > 1) snprintf(number, sizeof number, "_%u", namer->used[kind]);
        snprintf(namer->text, sizeof namer->text, "%s%s", shape_kind_names[kind], number);
    } while (is_given(namer, namer->text));
    def.name = namer->text;
    return def;
}
