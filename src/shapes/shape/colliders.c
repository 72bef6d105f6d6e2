// SPDX-License-Identifier: Apache-2.0
#include "shapes/world.h"

sp_status sp_colliders_open(sp_colliders *out, const sp_world_def *world, const sp_host *host,
                            sp_collider_skip *skip, void *user, sp_error *err)
{
    const size_t count = world ? world->collider_count : 0;
    *out = (sp_colliders){.host = host};
    out->shapes = sp_allocate(host, count, sizeof *out->shapes);
    sp_status status =
        out->shapes ? SP_OK : sp_fail(err, SP_NO_MEMORY, "no memory for %zu colliders", count);
    for (size_t i = 0; status == SP_OK && i < count; ++i) {
        sp_error why = {0};
        status = sp_shape_open(&world->colliders[i], NULL, host, &out->shapes[out->count], &why);
        if (status == SP_OK)
            ++out->count;
        else if (skip && status != SP_NO_MEMORY && skip(user, &why))
            status = SP_OK;
        else if (err)
            *err = why;
    }
    return status;
}

void sp_colliders_close(sp_colliders *colliders)
{
    for (size_t i = 0; i < colliders->count; ++i)
        sp_shape_close(colliders->shapes[i]);
    if (colliders->host) sp_release(colliders->host, colliders->shapes);
    *colliders = (sp_colliders){0};
}
