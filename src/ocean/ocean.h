// SPDX-License-Identifier: Apache-2.0
#ifndef SP_OCEAN_H
#define SP_OCEAN_H

/// A procedural ocean: waves of a measured spectrum (JONSWAP, TMA in shallow water) that travel in measured
/// directions, summed by fast Fourier transforms and served as bulk water (Horvath 2015; docs/ocean.md). It is
/// known at every time and place, for a patch of it repeats without seams.

#include "bulk/bulk.h"

enum { SP_OCEAN_HASSELMANN, SP_OCEAN_MITSUYASU, SP_OCEAN_DONELAN_BANNER }; ///< spreading
enum { SP_OCEAN_CASCADES = 4 };

typedef struct sp_ocean_def {
    double wind;           ///< m/s, 10 m above the sea
    double fetch;          ///< m; how far the wind has blown over water
    double depth;          ///< m
    double direction;      ///< degrees; 0: waves travel along x, 90: along z
    int spreading;         ///< how they spread around it
    double swell;          ///< 0 to 1; lengthens crests
    double patch;          ///< m; edge of the square that repeats
    int32_t grid;          ///< samples along an edge, a power of two
    int32_t cascades;      ///< patches of different size that are added
    int32_t cascade_ratio; ///< each is smaller by this factor
    double choppiness;     ///< of horizontal motion (lambda); 1: as the water moves
    bool capillary;        ///< surface tension speeds up the shortest waves
    double whitecap;       ///< where the Jacobian is below it crests break
    double level;          ///< m; y of the water at rest
    float low[3], high[3]; ///< m; bounds of the water that is served; equal: the patch
    double voxel;          ///< m, for those who sample it on a grid; 0: that of the finest grid
} sp_ocean_def;
extern const sp_keys sp_ocean_keys;
/// What ranges of single keys cannot express; `path` is that of the object.
sp_status sp_ocean_check(const sp_ocean_def *def, const char *path, sp_error *err);

/// The message of a build without FFTW, before anything is opened; NULL when this build has it.
const char *sp_ocean_missing(void);
/// Memory that the ocean of a checked def takes, bytes, without what FFTW takes for its plans (some kilobytes).
size_t sp_ocean_bytes(const sp_ocean_def *def);

/// Serves a checked def, on the threads of the host. Two moments are kept, so asking at t and t + dt in turns
/// computes each once. A surface that would fold gets less choppiness, and a patch that is short for its waves is
/// named, both as warnings to the host's log. SP_UNSUPPORTED without FFTW.
sp_status sp_ocean_bulk(const sp_ocean_def *def, uint64_t seed, const sp_host *host, sp_bulk *out,
                        sp_error *err);

/// ---- What only an ocean knows; `bulk` is one of sp_ocean_bulk() --------------------------------

typedef struct sp_ocean_figures {
    double height;      ///< m; significant wave height that the spectrum asks for
    double grid_height; ///< m; what the waves of the grids have of it, in the mean over seeds
    double period;      ///< s; of the peak
    double wavelength;  ///< m; of the peak
    double choppiness;  ///< in use
    double folded;      ///< share of the patch that folds with the choppiness asked for
} sp_ocean_figures;
sp_ocean_figures sp_ocean_figures_of(const sp_bulk *bulk);

/// Jacobian of the surface above points begin ... end - 1, at the time that the bulk was last asked for: how much
/// area remains of an area of water at rest. Small in crests that are about to break, below 0 where the surface
/// folds. May run on any thread.
void sp_ocean_jacobian(const sp_bulk *bulk, const double *x, const double *z, float *jacobian,
                       size_t begin, size_t end);
/// Share of the patch whose Jacobian is below a bound, at that time; as many samples as a grid has.
double sp_ocean_share_below(const sp_bulk *bulk, float bound);

#endif
