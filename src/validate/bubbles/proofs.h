// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_BUBBLES_PROOFS_H
#define SP_VALIDATE_BUBBLES_PROOFS_H

/// The proofs of bubbles coupled to water, and what they share. Where a row's expectation is a number
/// without a formula, it is that of a prototype: the same equations in double precision, on a dense
/// grid in an open box ("prototype" in the row's reason).

#include "bubbles/internal.h"
#include "validate/scene.h"
#include "validate/validate.h"

sp_proof bubbles_prove_weights, bubbles_prove_exchange, bubbles_prove_power; // transfer.c
sp_proof bubbles_prove_terminal, bubbles_prove_rise, bubbles_prove_rise_paper,
    bubbles_prove_eight;                                                          // drag.c
sp_proof bubbles_prove_momentum, bubbles_prove_rest, bubbles_prove_drift;         // momentum.c
sp_proof bubbles_prove_settling, bubbles_prove_newton, bubbles_prove_newton_long; // newton.c
sp_proof bubbles_prove_schemes, bubbles_prove_bases;                        // schemes.c, bases.c
sp_proof bubbles_prove_vessels;                                             // vessels.c
sp_proof bubbles_prove_first_guess;                                         // first_guess.c
sp_proof bubbles_prove_forces, bubbles_prove_ball, bubbles_prove_ball_long; // tension.c
sp_proof bubbles_prove_lamb, bubbles_prove_cube;                            // swing.c
sp_proof bubbles_prove_divergence, bubbles_prove_divergence_exact;          // divergence.c
sp_proof bubbles_prove_same, bubbles_prove_resume;                          // same.c
sp_proof bubbles_prove_column, bubbles_prove_column_dense;                  // column.c
sp_proof bubbles_prove_ablation;                                            // ablation.c
sp_proof bubbles_prove_stress, bubbles_prove_stress_long;                   // stress.c
sp_proof bubbles_prove_in_liquid;                                           // in_liquid.c
sp_proof bubbles_prove_volume, bubbles_prove_breakup, bubbles_prove_cap;    // volume.c

/// ---- What they share (cases.c) -----------------------------------------------------------------

/// A scene in the making. Everything else is as sp_bubbles_keys says; change def before opening. It
/// must not be copied.
typedef struct bubbles_case {
    sp_bubbles_def def;
    sp_domain_def domain;
    sp_bubbles_emitter_def emitter;
    proof_shape shape; ///< of the emitter
    proof_scene scene; ///< gravity and solids
    double dt;         ///< s; of a substep: a frame is one
    uint64_t seed;
} bubbles_case;

/// A domain of these voxels, with its low corner at a place (voxels) and nothing in it. One substep of
/// dt a frame.
void bubbles_case_domain(bubbles_case *c, float voxel, double dt, const int low[3],
                         const int high[3]);
/// Densities, surface tension and substeps of large bubbles (WSB25 figure 7) at 1:10, or those of air
/// in water.
void bubbles_case_hero(bubbles_case *c, bool light);
/// As the papers: no `pic`, no tension, and a pressure solved to 1e-9.
void bubbles_case_plain(bubbles_case *c);
/// The only emitter: a lattice in a ball (radius in voxels), or a share of a box (m).
void bubbles_case_ball(bubbles_case *c, const double center[3], double radius);
void bubbles_case_cloud(bubbles_case *c, sp_box_def box, float radius, float fraction);

sp_setup bubbles_case_setup(const bubbles_case *c);
sp_status bubbles_case_open(bubbles_case *c, const sp_host *host, bubbles **out, sp_error *err);
/// Lets a particle in at the next substep, which does not move it: place in voxels from the zero point.
/// `stands_for`: m3; 0: the volume of its radius.
sp_status bubbles_case_add(bubbles *s, const double place[3], const float v[3], float radius,
                           float stands_for, sp_error *err);
/// As many substeps, each a frame.
sp_status bubbles_case_run(bubbles *s, double dt, int steps, sp_error *err);
/// Stages 1 to 4 of a substep, without the Newton iterations: for proofs that look at its parts. The
/// memory lasts until sp_scratch_rewind(&s->scratch, *mark).
sp_status bubbles_case_prepare(bubbles *s, double dt, sp_scratch_mark *mark, sp_error *err);

/// Scenes that run most code paths (busy_cases.c): their names, and the hash after some substeps, at once or
/// saved and restored half way.
enum { BUBBLES_BUSY_SCENES = 4 };
const char *bubbles_busy_name(size_t k);
sp_status bubbles_busy_hash(size_t k, int threads, int steps, uint64_t *hash, sp_error *err);
sp_status bubbles_busy_resumed(size_t k, const sp_host *host, int steps, uint64_t *hash,
                               sp_error *err);

/// All particles at one moment.
typedef struct bubbles_swarm {
    size_t count;
    double place[3];     ///< m; mean
    double velocity[3];  ///< m/s; mean
    double spread[3];    ///< m2; mean square distance to the mean place, by axis
    double farthest[3];  ///< m; half the extent, by axis
    double rms, fastest; ///< m/s; root mean square of the speed; largest component
} bubbles_swarm;
bubbles_swarm bubbles_swarm_of(const bubbles *s);
/// Velocity of the water at the particle in a solver that has only one, m/s.
sp_status bubbles_water_at(bubbles *s, double u[3], sp_error *err);
/// m3; sum of the shares of faces (V = sum phi_b h^3).
double bubbles_air(const bubbles *s);
/// m; radius of the ball with this volume.
double bubbles_ball_radius(double volume);
/// m/s; where drag of water of viscosity 1e-3 Pa s balances buoyancy, for these densities (kg/m3):
/// 6 pi mu r u + pi rho_w r^2 u^2/2 = V (rho_w - rho_b) g.
double bubbles_terminal_speed(double r, double water, double air);

/// Where particles are, by id.
typedef struct bubbles_track {
    const sp_host *host;
    size_t room;
    double (*x)[3]; ///< m; NAN: not there
    float *radius;  ///< m; of what they show
} bubbles_track;
/// Notes all particles; ids from `room` on are left out. Close it with bubbles_track_close().
sp_status bubbles_track_open(bubbles_track *track, const bubbles *s, size_t room, sp_error *err);
void bubbles_track_close(bubbles_track *track);

#endif
