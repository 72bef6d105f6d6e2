// SPDX-License-Identifier: Apache-2.0
/// Writes the water of a run's last frame as a triangle mesh: run_to_mesh RUN DIRECTORY. Valid C and C++.
#include <spume/spume.h>

#include <stdio.h>
#include <string.h>

static sp_status write_mesh(sp_run *run, const sp_clip_solids *solids, const char *dir,
                            const sp_host *host, sp_error *err)
{
    const sp_surface_def def = sp_surface_defaults();
    const sp_frame *frame;
    sp_mesh mesh;
    sp_status status = sp_run_read(run, sp_run_get_info(run).frame_count - 1, &frame, err);
    if (status != SP_OK) return status;
    status = sp_surface_frame(&def, frame, NULL, SP_ISOLATED_MESH, solids, host, &mesh, err);
    if (status != SP_OK) return status;
    printf("frame %d: %.1f litres\n", (int)frame->frame, 1e3 * sp_mesh_volume(&mesh));
    const sp_export_moment when = {frame->frame, frame->time};
    status = sp_export_mesh_ply(dir, "water", &when, &mesh, NULL, err);
    sp_mesh_close(&mesh);
    return status;
}

int main(int argc, char **argv)
{
    const sp_host host = sp_host_default(0); // all cores; must outlive what is opened with it
    sp_error err = {SP_OK, "usage: run_to_mesh RUN DIRECTORY"};
    sp_run *run = NULL;
    sp_scene *scene = NULL;
    sp_clip_solids *solids = NULL; // the surface ends at the domain and the colliders of the scene
    bool good = argc == 3 && sp_run_open(argv[1], &host, &run, &err) == SP_OK;
    const char *text = good ? sp_run_get_info(run).scene : NULL;
    if (text && !sp_run_get_info(run).origin) // imported water has no scene of its own
        good = !sp_scene_open_text("scene.json", text, strlen(text), NULL, &host, &scene, &err) &&
               !sp_clip_solids_open(sp_scene_world(scene), true, &host, &solids, &err);
    good = good && write_mesh(run, solids, argv[2], &host, &err) == SP_OK;
    if (!good) fprintf(stderr, "%s\n", err.text);
    sp_clip_solids_close(solids);
    sp_scene_close(scene);
    sp_run_close(run);
    return good ? 0 : 1;
}
