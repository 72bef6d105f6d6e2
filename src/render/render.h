// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_H
#define SP_RENDER_H

/// Pictures of frames. A frame's surface, its particles and the scene's colliders become meshes and
/// spheres (stage_to_tracer.c). A path tracer on Embree renders them (trace.h). The result is tone
/// mapped and written as PNG with its provenance. This module reads frames and knows no solver. The
/// pixels depend on the frame and the options alone, not on the number of threads.

#include "frame/frame.h"
#include "look/look.h"
#include "shapes/shapes.h"
#include "shapes/world.h"

typedef enum sp_render_preset { SP_PRESET_DRAFT, SP_PRESET_FINAL } sp_render_preset;

/// What is drawn.
typedef enum sp_render_kind {
    SP_RENDER_PICTURE,   ///< water, glass, bubbles, foam
    SP_RENDER_PARTICLES, ///< opaque balls coloured by an attribute
    SP_RENDER_SLICE,     ///< a cut through a field
    SP_RENDER_TILES,     ///< active tiles as boxes over faint particles
    SP_RENDER_WIRE,      ///< the surfaces' triangles
    SP_RENDER_NORMALS,   ///< the surfaces' normals as colours
} sp_render_kind;
typedef enum sp_render_color {
    SP_COLOR_SET,
    SP_COLOR_SPEED,
    SP_COLOR_SIZE,
    SP_COLOR_AGE,
    SP_COLOR_ID
} sp_render_color;

/// May be zeroed: zero stands for the default of every field.
typedef struct sp_render_options {
    const sp_look_def *look; ///< NULL: sp_look_defaults()
    sp_render_preset preset;
    sp_render_kind kind;
    sp_render_color color;        ///< SP_RENDER_PARTICLES
    const char *field;            ///< SP_RENDER_SLICE; NULL: the first field on tiles
    int axis;                     ///< SP_RENDER_SLICE: 0, 1 or 2
    double at;                    ///< SP_RENDER_SLICE: 0 to 1 of the extent along the axis
    int width, height;            ///< pixels, 16 to 16384; 0: the look's, or the preset's
    int samples;                  ///< rays a pixel; 0: the look's, or the preset's
    const sp_look_camera *camera; ///< NULL: the look's; a movie passes its first frame's camera
    bool has_shutter;             ///< `shutter` replaces the camera's and the preset's
    float shutter;                ///< frames; 0: motion is frozen
    sp_shape *const *colliders;
    size_t collider_count;
    const sp_domain_def *domain;   ///< level sets are clipped to it; NULL: not clipped
    bool still_noise;              ///< the noise pattern is the same in all frames
    bool (*cancelled)(void *user); ///< may be NULL
    void *user;
} sp_render_options;

/// Gives width and height from options, look and preset, and in `layers` the peak memory in floats
/// per pixel: film, denoiser and the pixels themselves. Fails if the size is out of range.
sp_status sp_render_size(const sp_render_options *options, int *width, int *height, int *layers,
                         sp_error *err);
/// The camera of a frame: that of the options, that of the look, or one that frames the content.
/// For a movie call it once, with the first frame.
sp_status sp_render_camera(const sp_frame *frame, const sp_render_options *options,
                           sp_look_camera *camera, sp_error *err);
/// Renders width*height*3 bytes, sRGB, row by row from the top left. Without Embree it fails with
/// SP_UNSUPPORTED and the error says what to install.
sp_status sp_render_pixels(const sp_frame *frame, const sp_render_options *options,
                           unsigned char *pixels, const sp_host *host, sp_error *err);

#endif
