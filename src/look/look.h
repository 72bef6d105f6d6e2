// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LOOK_H
#define SP_LOOK_H

/// The `look` of a scene: camera, light, water, foam, materials. `scene` reads these keys and
/// `render` draws from them; neither depends on the other.

#include "core/core.h"

typedef struct sp_look_camera { ///< frame space: y up
    float from[3], to[3];       ///< m
    float up[3];                ///< all 0: +y
    float fov;                  ///< degrees, vertical
    float aperture;             ///< f-number on film 36 mm wide; 0: everything is sharp
    float focus;                ///< m; 0: at `to`
    float shutter;              ///< frames; -1: the preset's
} sp_look_camera;

enum { SP_LIGHT_STUDIO, SP_LIGHT_SKY, SP_LIGHT_OVERCAST, SP_LIGHT_FURNACE };
typedef struct sp_look_sun {
    float elevation, azimuth; ///< degrees; azimuth from +z towards +x
    float strength;
} sp_look_sun;

enum { SP_MEDIUM_WATER, SP_MEDIUM_MURKY, SP_MEDIUM_BEER, SP_MEDIUM_CLEAR };
typedef struct sp_look_water {
    int medium;
    float ebc;       ///< colour of beer
    float tint;      ///< multiplies the absorption
    float ior;       ///< 0: the medium's
    float absorb[3]; ///< 1/m, red green blue; all 0: the medium's
} sp_look_water;

typedef struct sp_look_foam {
    float milk0, milk1, albedo;
    float film_nm; ///< 0: no interference colours
} sp_look_foam;

typedef struct sp_look_bubbles {
    bool mesh;      ///< touching bubbles as one surface; false: each is a sphere
    int32_t refine; ///< grid cells a voxel
} sp_look_bubbles;

enum {
    SP_LOOK_METHOD_AUTO,
    SP_LOOK_METHOD_SPHERES,
    SP_LOOK_METHOD_ZHU_BRIDSON,
    SP_LOOK_METHOD_ELLIPSOIDS
};
typedef struct sp_look_surface {
    int method;
    int32_t refine; ///< grid cells a voxel, of the liquid
    float search, smooth_centers, stretch, isolated_scale;
    int32_t min_neighbours, level_passes;
    int32_t mesh_passes; ///< -1: 0 for liquids, 2 for bubbles
    float offset;        ///< voxels; used if auto_offset is false
    float wet;           ///< spacings; liquid nearer to a solid is extended to it
    bool auto_offset;    ///< choose the offset that is right for a half-space of particles
} sp_look_surface;

typedef struct sp_look_material {
    const char *name;
    float color[3], rough, coat;
    bool metal, glass;
    float ior, absorb[3]; ///< of glass; 1/m
} sp_look_material;

enum { SP_LOOK_FILMIC, SP_LOOK_SRGB, SP_LOOK_LINEAR };
enum { SP_BACKGROUND_AUTO, SP_BACKGROUND_CYCLORAMA, SP_BACKGROUND_DOME, SP_BACKGROUND_GROUND };
enum { SP_DENOISE_AUTO, SP_DENOISE_ON, SP_DENOISE_OFF };
typedef struct sp_look_def {
    const sp_look_camera *camera; ///< NULL: chosen to show everything
    int light;
    sp_look_sun sun;
    float exposure; ///< stops
    int tone;
    float clamp;
    int background;
    sp_look_water water;
    sp_look_foam foam;
    sp_look_bubbles bubbles;
    sp_look_surface surface;
    const sp_look_material *materials; ///< the scene's own; they take precedence over built-in ones
    size_t material_count;
    int denoise; ///< SP_DENOISE_...
    uint64_t seed;
    int32_t samples, depth, split, width, height; ///< 0 (split -1): the preset's
} sp_look_def;

/// Names of the built-in materials, for messages.
#define SP_LOOK_MATERIALS "glass, clear_glass, stone, wood, sand, plastic, metal, white"
extern const sp_keys sp_look_keys;
sp_look_def sp_look_defaults(void);
/// The material of that name: the scene's own, else built-in, else NULL.
const sp_look_material *sp_look_find_material(const sp_look_def *look, const char *name);
/// Checks what the ranges of keys cannot express. `path` is "look".
sp_status sp_look_check(const sp_look_def *look, const char *path, sp_error *err);

#endif
