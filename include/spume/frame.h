// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_FRAME_H
#define SPUME_FRAME_H

#include <spume/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A frame is what a solver publishes at the end of a step: named particle sets, named fields, poses
/// of bodies and statistics. Everything downstream (cache, export, pictures) reads frames and knows
/// no solver. Space is right-handed, y up, SI units.
///
/// How long a frame lives: it belongs to the object that handed it out, with everything it points to. It stays valid
/// and unchanged until the next call that may move this object on, also when that call fails: step, restore or close of
/// a simulation (sim.h), reading another frame or close of a run (run.h) or of an import (import.h). Copy what must
/// live longer.
/// Any number of threads may read a frame meanwhile. All headers that hand out frames mean this rule.

/// What an array holds. Numbers are stored in files: never renumber.
typedef enum sp_kind { SP_F32 = 1, SP_F64 = 2, SP_I32 = 3, SP_U32 = 4, SP_U64 = 5 } sp_kind;

/// One attribute of a particle set: count x components values, particle by particle.
typedef struct sp_column {
    const char *name; ///< "position", "velocity", "radius", "id", "age", ...
    sp_kind kind;
    int components; ///< 1 or 3
    const void *data;
} sp_column;

/// Particles of one kind, in ascending id. `position` (f32 x 3, from the frame's origin) and `id`
/// (u64) are always there.
typedef struct sp_set {
    const char *name; ///< "liquid", "bubbles", "foam", "spray" or "sand"
    size_t count;
    const sp_column *columns;
    size_t column_count;
} sp_set;

/// How a field's values are laid out in space.
typedef enum sp_field_layout {
    SP_FIELD_PLANE = 1, ///< a sheet of samples: value (i, j) sits at corner + i*du + j*dv
    SP_FIELD_TILES = 2, ///< sparse 8x8x8 tiles, x fastest; see docs/formats.md
} sp_field_layout;

/// A named field of f32 values.
typedef struct sp_field {
    const char *name; ///< "height", "depth", "surface", "velocity", "pressure", ...
    sp_field_layout layout;
    int components;
    const float *values;
    /// Plane: samples along du and dv; values[(j*nu + i)*components + c].
    size_t nu, nv;
    double corner[3], du[3], dv[3]; ///< m, from the world's zero
    /// Tiles: 3 coordinates a tile in Morton order, 512*components values a tile.
    const int32_t *tiles;
    size_t tile_count;
    /// Tiles of three components: false, all sit at the voxel's centre; true, component c sits in
    /// the middle of the voxel's low face along axis c.
    bool staggered;
} sp_field;

/// Where a rigid body is: a point p of the body sits at rotation*p + position.
typedef struct sp_body {
    const char *name;
    double position[3];
    double rotation[9]; ///< row by row
} sp_body;

/// One figure about the frame, for logs and stats.jsonl.
typedef struct sp_stat {
    const char *name; ///< with its unit where it has one: "water_m3"
    double value;
} sp_stat;

typedef struct sp_frame {
    uint64_t frame; ///< 0 is the start
    double time;    ///< s; frame / fps
    double fps;
    double voxel;     ///< m; the solver's own resolution
    double origin[3]; ///< m; particle positions count from here
    uint64_t hash;    ///< of the solver's whole state; equal states have equal hashes
    const sp_set *sets;
    size_t set_count;
    const sp_field *fields;
    size_t field_count;
    const sp_body *bodies;
    size_t body_count;
    const sp_stat *stats;
    size_t stat_count;
} sp_frame;

SP_API size_t sp_kind_size(sp_kind kind); ///< bytes of one value; 0 for a number that is no kind
/// NULL when there is none of that name.
SP_API const sp_set *sp_frame_set(const sp_frame *frame, const char *name);
SP_API const sp_field *sp_frame_field(const sp_frame *frame, const char *name);
SP_API double sp_frame_stat(const sp_frame *frame, const char *name); ///< NAN when there is none
SP_API const sp_column *sp_set_column(const sp_set *set, const char *name);

#ifdef __cplusplus
}
#endif
#endif
