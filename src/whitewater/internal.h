// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_INTERNAL_H
#define SP_WHITEWATER_INTERNAL_H

/// Data of the solver, and the functions that its files share.
///
/// A step has two halves. In the first, bubbles move with the water that they change, and those that reach the surface
/// leave it as arrivals. The second is all that floats or flies, and bubbles that have come back from there. It reads
/// arrivals and never touches the first half: so it can be run again, with other keys, on the arrivals that frames
/// hold (`--redo`), and gives the same bits.

#include "whitewater/whitewater.h"

enum { FIRST, SECOND }; ///< halves

/// Ids of particles that begin in the second half (sources of foam, drops of crests) follow this one.
#define WHITEWATER_SECOND_IDS ((uint64_t)1 << 40)

/// The water, and what it is read from.
typedef struct whitewater_water {
    sp_bulk bulk;
    sp_driver *driver;         ///< of a solver that runs along; else NULL
    bool own_driver;           ///< it was opened here
    const sp_world_def *world; ///< of the scene that makes the water; valid while the solver opens
    uint8_t walls;             ///< as in sp_bulk_opened
} whitewater_water;

/// Bubbles that left the first half in the steps of a frame, in order; frames hold them.
typedef struct whitewater_arrivals {
    whitewater_set set;
    uint32_t *step; ///< of the frame, by particle
    size_t room;    ///< entries of step
} whitewater_arrivals;

struct whitewater {
    const sp_host *host;
    const sp_watch *watch;
    const sp_setup_files *files;
    sp_whitewater_def def;
    uint64_t seed;
    float gravity[3];
    double domain[2][3]; ///< m
    double origin[3];    ///< m; places in frames count from here: the origin of the bulk's grid
    whitewater_water water;
    sp_solids *solids; ///< NULL: none
    whitewater_emission *emission;
    sp_guided *guided; ///< NULL in other modes
    whitewater_surface *surface;

    /// First half.
    whitewater_set bubbles;
    whitewater_arrivals arrivals;
    uint64_t next_id;    ///< of bubbles
    double afloat;       ///< particles; about how many of its bubbles float now
    uint64_t first_hash; ///< of the first half's state, in a frame that is read from an earlier run
    /// Second half: bubbles that came back, foam, spray.
    whitewater_set second[WHITEWATER_KINDS];
    uint64_t next_second_id;

    bool redo; ///< the first half is read from the frames of an earlier run
    double time;
    uint64_t step;                       ///< number of the next step
    uint64_t frame;                      ///< number of the next frame
    whitewater_ledger ledger[2];         ///< of the two halves
    whitewater_emission_figures emitted; ///< of the last step
    sp_guided_figures guide;
    whitewater_surface_figures floating;
    sp_profile profile;
    double clock;
    bool warned_dry;
    void *published;
};

/// ---- Start and end -----------------------------------------------------------------------------

sp_status whitewater_check(const sp_setup *setup, sp_error *err);
/// Whether the water of files, which ends at `last`, s, lasts as long as the scene.
sp_status whitewater_check_end(const sp_setup *setup, double last, sp_error *err);
double whitewater_estimate(const sp_setup *setup); ///< bytes
double whitewater_seconds(const sp_setup *setup);
sp_status whitewater_open(const sp_setup *setup, const sp_host *host, whitewater **out,
                          sp_error *err);
void whitewater_close(whitewater *s);

/// ---- water.c -----------------------------------------------------------------------------------

/// Opens the bulk that the scene names.
sp_status whitewater_open_water(whitewater_water *w, const sp_setup *setup, const sp_host *host,
                                sp_error *err);
/// When the water of files ends, s.
sp_status whitewater_peek(const sp_setup *setup, double *last, sp_error *err);
void whitewater_close_water(whitewater_water *w);
/// The bulk begins again at the present moment of its solver, after that was restored.
sp_status whitewater_reopen_water(whitewater *s, sp_error *err);
/// Whether the bulk can be asked from t to t + dt.
bool whitewater_has_water(const whitewater *s, double t, double dt);

/// ---- step.c ------------------------------------------------------------------------------------

sp_status whitewater_frame(whitewater *s, double t_end, sp_error *err);

/// ---- arrivals.c --------------------------------------------------------------------------------

/// Moves bubbles with arrives[i] != 0 to `batch`, and notes them as those of step `step` of the frame.
sp_status whitewater_take_arrivals(whitewater *s, const uint8_t *arrives, uint32_t step,
                                   whitewater_set *batch, sp_error *err);
/// The same from the frame of an earlier run, which has been loaded.
sp_status whitewater_replay_arrivals(whitewater *s, uint32_t step, whitewater_set *batch,
                                     sp_error *err);
/// Loads bubbles and arrivals of the next frame from an earlier run.
sp_status whitewater_load_frame(whitewater *s, sp_error *err);

/// ---- Out and in --------------------------------------------------------------------------------

/// Figures of the first half that frames show, so that a later run can read them there.
enum { WHITEWATER_FIRST_FIGURES = 24 };
typedef struct whitewater_figure {
    const char *name;
    double value;
} whitewater_figure;
size_t whitewater_list_first(const whitewater *s, whitewater_figure list[WHITEWATER_FIRST_FIGURES]);
void whitewater_read_first(whitewater *s, const sp_frame *frame);

sp_status whitewater_publish(void *solver, sp_frame *frame, sp_error *err);
void whitewater_publish_close(whitewater *s);
sp_status whitewater_save(const void *solver, sp_blob *blob, sp_error *err);
sp_status whitewater_restore(void *solver, sp_blob *blob, sp_error *err);
uint64_t whitewater_hash_first(const whitewater *s);
uint64_t whitewater_hash_second(const whitewater *s);

#endif
