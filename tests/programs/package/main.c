// SPDX-License-Identifier: Apache-2.0
/// A stranger's first program: opens a built-in scene, takes a step, looks at a frame.
#include <spume/spume.h>

#include <stdio.h>

int main(void)
{
    sp_error err = {0};
    sp_sim *sim;
    if (sp_sim_open("pond/fig10", NULL, NULL, &sim, &err) != SP_OK ||
        sp_sim_step(sim, &err) != SP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const sp_frame *frame = sp_sim_frame(sim, &err);
    printf("Spume %s, frame %d\n", SPUME_VERSION, frame ? (int)frame->frame : -1);
    sp_sim_close(sim);
    return frame && frame->frame == 1 ? 0 : 1;
}
