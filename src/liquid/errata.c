// SPDX-License-Identifier: Apache-2.0
/// What papers and textbooks on bulk water print, what goes wrong when it is taken literally, and
/// what the solver does instead. Numbers under `measured` come from `spume validate liquid` or from
/// runs of the shipped scenes.
#include "liquid/errata.h"

const sp_erratum liquid_errata[LIQUID_ERRATA] = {
    {"Batty et al. 2007, weights", "volume shares of cut voxels in the kinetic energy",
     "an error of first order at sloping walls, and a moving wall does not push what it sweeps",
     "L4, L5: area shares of faces, in divergence and matrix alike, which stays symmetric",
     "still water on a floor that slopes by 20 degrees: 4e-7 m/s left after 10 s"},
    {"Wretborn et al. 2022, (16)", "D_* in the continuous equation",
     "D is the diagonal matrix of densities, which only the discrete equation has",
     "rho_* there; the solver takes a coefficient for each face and asks nothing more", NULL},
    {"Wretborn et al. 2022, (17)", "-G^T is the divergence",
     "only without solids, and for a unit of volume",
     "the divergence is G^T W with W the open shares; they are in it and not in the gradient",
     NULL},
    {"Zhu and Bridson 2005, FLIP ratio", "a constant of 0.95 to 0.99 a step",
     "halving the step doubles the damping", "L2: a rate, `pic_rate`, in 1/s", NULL},
    {"ghost fluid, theta", "phi_c/(phi_c - phi_n), in the matrix",
     "unbounded where the surface touches a centre, and divergence is left behind when the "
     "velocity's update uses another",
     "L6: at least 0.01, and the same in the velocity",
     "pressure at rest off by 2e-7 of the deepest, at eight heights of the surface in a voxel"},
    {"Zhu and Bridson 2005, radius", "half the diagonal of a particle's cube, 0.433 voxels",
     "a seeded ball loses 7 % of its volume", "L9: 0.553 voxels, calibrated by volume", NULL},
    {"time step", "cfl voxels of the water's own travel",
     "ripples of two voxels swing with w^2 = 8.9 g/dx; longer steps feed them until still water "
     "boils",
     "also at most 0.65 sqrt(dx/g)", NULL},
    {"Bridson 2015, solids", "phi is carried into solids as a constant",
     "a level surface bends to meet a sloping wall at a right angle, and still water creeps",
     "phi goes on as a straight line from a voxel away; a surface along a wall is none",
     "still water on the slope, as above"},
};
