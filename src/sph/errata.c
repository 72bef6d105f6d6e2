// SPDX-License-Identifier: Apache-2.0
/// What IBAT prints, what is wrong with it, and what the solver does instead. Numbers under
/// `measured` come from prototypes at a spacing of 0.02 m or follow from the formulas on a lattice.
#include "sph/errata.h"

const sp_erratum sph_errata[SPH_ERRATA] = {
    {"section 5, mass", "rho0/(0.5 h)^3", "not a mass: 1.25e8 kg at h = 0.04 m",
     "(M): rho0 d^3 with d = h/2", NULL},
    {"equations 6 and 13, c_s", "a speed of sound that is never given a value",
     "PCISPH has none; 88.5 m/s, usual for compressible SPH, glues air to water",
     "omega_d for drag and the product mu c_s for viscosity are parameters",
     "drag rate 3e4 1/s at c_s = 88.5 m/s, 670 1/s with omega_d = 22.5 1/s"},
    {"equation 13, denominator", "v.x/||x + eps h^2||",
     "adds a number to a vector, and the square is in the wrong place; (6) has it right",
     "(13'): v.x/(|x|^2 + eps h^2), times h^2 omega_d, which keeps accelerations independent of h "
     "as section 5 promises",
     "rise of a lone bubble 0.19 m/s, as the printed form gives at c_s = 88.5 m/s"},
    {"equation 13, condition", "no drag where v.x <= 0",
     "the text and (6) say the opposite, and either side alone fails: approaching pairs do not "
     "hold "
     "a bubble that leaves the surface, separating ones do not push the water ahead",
     "both signs; `drag_pairs` has each side",
     "foam more than 3 spacings above the water after 1.2 to 1.3 s: 41 of 50 (approaching), 0 of "
     "47 "
     "(both)"},
    {"section 5, drag", "k_d = 8 for air and 3 for water",
     "momentum is lost: water gets 3/8 of what air loses, and at most 3.2 % of a real bubble's "
     "push",
     "the paper's by default; `coupling` \"symmetric\" keeps momentum, \"archimedes\" gives water "
     "the whole push",
     "tank moved at 0.13 m/s rms by 125 particles of air with \"archimedes\""},
    {"equation 11", "-k_c m_i sum rho_j x_ij",
     "pair forces do not cancel, grow with h, jump at r = h, and press pairs into one point, where "
     "two coincident particles still lack density",
     "(11'): the mean of both densities, times h_ref/h, fading within one spacing, a core that "
     "pushes, and the spiky gradient for air's pressure",
     "125 particles: net force on themselves 1.8 m/s2 as printed; smallest distance 0.003 d, with "
     "core and spiky gradient 0.62 d"},
    {"section 5, cohesion", "k_c = 12", "slow: clumps stay thin for seconds",
     "60; the paper's 12 is in range, and above 100 pressure does not keep up",
     "125 particles near rest density after 5 s with 12, 2 s with 60; 1200 collapses"},
    {"section 4.3, density", "foam where the air's own rho_i < t_rho",
     "a small bubble has a low density wherever it is, so it would be foam under water",
     "(F1): the fraction of water around, phi < t_phi, with some hysteresis",
     "rho of a lone particle is 0.3183 rho0 everywhere"},
    {"section 4.3, side", "foam where no liquid neighbour has (x_j - x_i).g > 0",
     "g points down: this asks for water below, and floating needs it there",
     "no liquid neighbour above, by a tenth of h; without gravity the test is off", NULL},
    {"equation 16", "buoyancy cancels the weight of foam",
     "foam that lost touch with the water drifts away for ever",
     "nothing is cancelled without a liquid neighbour, so it falls back", NULL},
    {"section 4.2, summary", "the condition \"at the surface\" is in the text and not in the list",
     "the inflows of figure 6 are under water: with the condition they would make no air",
     "`trapped.surface_only`: true for what is poured, false for submerged jets", NULL},
    {"section 4.2, place", "new air at x_i with v_i",
     "a parent makes more than one, and coincident particles have no gradient to part them",
     "at random within d/4 of the parent", NULL},
    {"equation 7", "a force, divided by the mass in (8)",
     "masses are equal and cancel, and the unit of k_s depends on how it is read",
     "(7'): an acceleration, -k_s sum x_ij W, with k_s in m3/s2",
     "a flat surface is pulled in with 0.1497 k_s/d^2"},
    {"equation 7, W", "W at any distance",
     "pairs attract each other the more the closer they are, while the slope of W, and with it the "
     "pressure between them, vanishes: strong tension draws them into one point",
     "(7'): W(d) within a spacing d; a lattice feels no difference",
     "a cube of 1000 with k_s = 25 d^2: half of the particles closer than 0.3 d, and the drop "
     "flies "
     "apart (longest over shortest extent 1.67 after 2 s); with W(d) 1.04"},
    {"equation 12", "v_i and v_air mixed, A_bub a surface",
     "the symbols do not fit each other, and the equation serves a comparison only", "not there",
     NULL},
    {"algorithm 2", "while max > eta or k < 3", "an impact may loop for ever",
     "max_iterations, compression only, momentum of the pressure, and shorter steps where that "
     "does not do",
     "jet of 9 m/s, 0.2 s: 2710 iterations as printed, 1589 with momentum"},
    {"section 5.2, time step", "0.002 s for a jet of 9 m/s",
     "particles travel 0.45 h a step, more than the usual 0.4", "adaptive steps",
     "fixed 2 ms: 24 % compression, 18 % of the steps above 1.5 %"},
    {"section 5, density", "the constant correction at the surface; volumes are not said",
     "with volumes m/rho0 the corrected density is rho0 always: compression disappears from sight",
     "(C): volumes m/rho_j; off by default", NULL},
    {"section 4.3, sharing", "foam takes the shortest life of its neighbours, without end",
     "the shortest spreads by a neighbour a step, and a raft of N lives some 2 t_f/(N + 1)",
     "`foam.share` \"group\": what surfaces together within 0.15 s shares one life",
     "150 bubbles/s, t_f 0.7 s, 105 expected: 12 to 29 as printed, 82 to 116 in groups"},
    {"equation 10", "n_i of the particle itself",
     "rim and core of one bubble differ by up to 105 m/s2 while cohesion holds 9: it falls apart",
     "(10'): the largest n around; `buoyancy_count: \"own\"` is the paper's",
     "30 particles over 0.3 m: radius of gyration 1.5 to 4.0 d with own n, 1.54 d with the "
     "largest"},
};
