// SPDX-License-Identifier: Apache-2.0
/// Simulations share nothing: two of the same scene, stepped in turns, stay equal to the last bit. A
/// third one with another seed differs.
#include <spume/spume.h>

#include <stdio.h>

enum { PONDS = 3, FRAMES = 30 };

static uint64_t hash_of(sp_sim *sim, sp_error *err)
{
    const sp_frame *frame = sp_sim_frame(sim, err);
    return frame ? frame->hash : 0;
}

int main(void)
{
    const char *const other[] = {"seed=2"}; // any key of the scene: "pond.foam_life=5"
    sp_scene_options third = sp_scene_options_defaults();
    third.set = other;
    third.set_count = 1;
    const sp_scene_options *const options[PONDS] = {NULL, NULL, &third};
    sp_error err = {0};
    sp_sim *sims[PONDS] = {NULL};
    sp_status status = SP_OK;
    for (int i = 0; i < PONDS && status == SP_OK; ++i)
        status = sp_sim_open("pond/fig7", options[i], NULL, &sims[i], &err);
    for (int k = 0; k < FRAMES && status == SP_OK; ++k)
        for (int i = 0; i < PONDS && status == SP_OK; ++i)
            status = sp_sim_step(sims[i], &err);
    if (status == SP_OK) {
        uint64_t hash[PONDS];
        for (int i = 0; i < PONDS; ++i) {
            hash[i] = hash_of(sims[i], &err);
            printf("pond %d after %d frames: %016llx\n", i + 1, FRAMES,
                   (unsigned long long)hash[i]);
        }
        printf("the first two are %s, the third is %s\n",
               hash[0] == hash[1] ? "equal" : "not equal",
               hash[2] == hash[0] ? "the same" : "another");
    } else {
        fprintf(stderr, "%s: %s\n", sp_status_name(status), err.text);
    }
    for (int i = 0; i < PONDS; ++i)
        sp_sim_close(sims[i]); // NULL is allowed
    return status == SP_OK ? 0 : 1;
}
