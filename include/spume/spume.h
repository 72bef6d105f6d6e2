// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_H
#define SPUME_H

/// Spume: bubbles, foam and whitewater for liquids. This header is all of the public interface.

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/mesh.h>
#include <spume/pond.h>
#include <spume/sim.h>
#include <spume/status.h>
#include <spume/version.h>

#endif
