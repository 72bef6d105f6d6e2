// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_H
#define SPUME_H

/// Spume: bubbles, foam and whitewater for liquids. This header is all of the public interface.

#include <spume/api.h>
#include <spume/export.h> // frames and meshes as files of other programs
#include <spume/frame.h>  // what a simulation, a run and an import hand out
#include <spume/host.h>   // memory, threads, log: the program's or the default ones
#include <spume/import.h> // water of other programs
#include <spume/mesh.h>
#include <spume/pond.h>  // the pond by itself, for games
#include <spume/run.h>   // frames read from a run's directory
#include <spume/scene.h> // scenes, their keys, the list of solvers
#include <spume/sim.h>   // simulations
#include <spume/status.h>
#include <spume/surface.h> // frames to closed meshes
#include <spume/version.h>

#endif
