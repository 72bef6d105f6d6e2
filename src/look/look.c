// SPDX-License-Identifier: Apache-2.0
/// All keys of `look`. Scenes, defaults, checks, the schema and the docs read this table.
#include "look/look.h"

#include "core/keys/key_rows.h"

#include <string.h>

static const sp_key camera_rows[] = {
    {VEC3(sp_look_camera, from), .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6),
     .doc = "Position of the camera; y is up"},
    {VEC3(sp_look_camera, to), .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6),
     .doc = "Point that the camera looks at"},
    {VEC3(sp_look_camera, up), .unit = "", .value = 0, RANGE(-1, 1),
     .doc = "Up direction of the picture; all 0 is +y"},
    {F32(sp_look_camera, fov), .unit = "degrees", .value = 25, RANGE(1, 150),
     .doc = "Vertical field of view"},
    {F32(sp_look_camera, aperture), .unit = "f-number", .value = 0, RANGE(0, 64),
     .doc = "F-number of the lens, on film 36 mm wide; a small number blurs more, 0 is sharp "
            "everywhere"},
    {F32(sp_look_camera, focus), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Focus distance; 0 is the distance of `to`"},
    {F32(sp_look_camera, shutter), .unit = "frames", .value = -1, RANGE(-1, 2),
     .doc = "Exposure time: 0 freezes motion, -1 is the preset's (draft 0, final 0.5)"},
};
static const sp_keys camera_keys = TABLE("camera", camera_rows, sp_look_camera);

static const sp_key sun_rows[] = {
    {F32(sp_look_sun, elevation), .unit = "degrees", .value = 38, RANGE(-5, 90),
     .doc = "Angle above the horizon"},
    {F32(sp_look_sun, azimuth), .unit = "degrees", .value = 220, RANGE(-360, 360),
     .doc = "Angle from +z towards +x"},
    {F32(sp_look_sun, strength), .unit = "", .value = 1, RANGE(0, 100),
     .doc = "Brightness: 1 is the real sun, 0 removes it"},
};
static const sp_keys sun_keys = TABLE("sun", sun_rows, sp_look_sun);

static const char *const media[] = {"water", "murky", "beer", "clear", NULL};
static const sp_key water_rows[] = {
    {WORD(sp_look_water, medium, media), .value = SP_MEDIUM_WATER,
     .doc = "What absorbs light: pure water, pond or sea, beer, or nothing"},
    {F32(sp_look_water, ebc), .unit = "EBC", .value = 8, RANGE(0, 200),
     .doc = "Colour of beer: 8 a lager, 20 amber, 60 a stout"},
    {F32(sp_look_water, tint), .unit = "", .value = 1, RANGE(0, 1000),
     .doc = "Multiplies the absorption"},
    {F32(sp_look_water, ior), .unit = "", .value = 0, RANGE(0, 3),
     .doc = "Refractive index; 0 is that of the medium"},
    {VEC3(sp_look_water, absorb), .unit = "1/m", .value = 0, RANGE(0, 1e4),
     .doc = "Absorption of red, green and blue; all 0 is that of the medium"},
};
static const sp_keys water_keys = TABLE("water", water_rows, sp_look_water);

static const sp_key foam_rows[] = {
    {F32(sp_look_foam, milk0), .unit = "", .value = 0.04, RANGE(0, 1),
     .doc = "Fraction of light that a foam film scatters at normal incidence"},
    {F32(sp_look_foam, milk1), .unit = "", .value = 0.55, RANGE(0, 1),
     .doc = "Additional scattering at grazing angles, which makes rafts white"},
    {F32(sp_look_foam, albedo), .unit = "", .value = 0.995, RANGE(0, 1),
     .doc = "Albedo of the scattering"},
    {F32(sp_look_foam, film_nm), .unit = "nm", .value = 0, RANGE(0, 2000),
     .doc = "Thickness of the film for interference colours; 0 is none"},
};
static const sp_keys foam_keys = TABLE("foam", foam_rows, sp_look_foam);

static const sp_key bubble_rows[] = {
    {BOOL(sp_look_bubbles, mesh), .value = 1,
     .doc = "true: bubbles that touch become one surface; false: each is a sphere"},
    {I32(sp_look_bubbles, refine), .unit = "", .value = 2, RANGE(1, 4),
     .doc = "Grid cells per voxel edge when bubbles are meshed"},
};
static const sp_keys bubble_keys = TABLE("bubbles", bubble_rows, sp_look_bubbles);

static const char *const methods[] = {"auto", "spheres", "zhu_bridson", "ellipsoids", NULL};
static const sp_key surface_rows[] = {
    {WORD(sp_look_surface, method, methods), .value = SP_LOOK_METHOD_AUTO,
     .doc = "How particles become a surface"},
    {I32(sp_look_surface, refine), .unit = "", .value = 1, RANGE(1, 4),
     .doc = "Grid cells per voxel edge when particles of a liquid are meshed"},
    {F32(sp_look_surface, search), .unit = "spacings", .value = 2.5, RANGE(1.5, 6),
     .doc = "Neighbourhood radius of a particle; 2.5 keeps the volume, 4 is smoother"},
    {F32(sp_look_surface, smooth_centers), .unit = "", .value = 0.9, RANGE(0, 1),
     .doc = "How far particles are moved towards the centre of their neighbours"},
    {F32(sp_look_surface, stretch), .unit = "", .value = 4, RANGE(1, 10),
     .doc = "Largest ratio of an ellipsoid's variances"},
    {F32(sp_look_surface, isolated_scale), .unit = "", .value = 0.5, RANGE(0.1, 1),
     .doc = "Size of the ball of an isolated particle"},
    {I32(sp_look_surface, min_neighbours), .unit = "", .value = 0, RANGE(0, 200),
     .doc = "With fewer neighbours a particle is isolated; 0 is a tenth of the bulk's"},
    {I32(sp_look_surface, level_passes), .unit = "", .value = 1, RANGE(0, 10),
     .doc = "Smoothing passes on the grid"},
    {I32(sp_look_surface, mesh_passes), .unit = "", .value = -1, RANGE(-1, 50),
     .doc = "Smoothing passes on the mesh; -1 is 0 for liquids and 2 for bubbles"},
    {F32(sp_look_surface, offset), .unit = "voxels", .value = 0, RANGE(-1, 1),
     .doc = "Moves the surface outward; used when auto_offset is off"},
    {F32(sp_look_surface, wet), .unit = "spacings", .value = 0, RANGE(0, 4),
     .doc = "Particles of a liquid closer than this to a solid wet it; 0 leaves a gap"},
    {BOOL(sp_look_surface, auto_offset), .value = 1,
     .doc = "Offset for which a half-space of particles has the right surface (ellipsoids)"},
};
static const sp_keys surface_keys = TABLE("surface", surface_rows, sp_look_surface);

static const sp_key material_rows[] = {
    {TEXT(sp_look_material, name), .doc = "Name that colliders use; a built-in name is replaced"},
    {VEC3(sp_look_material, color), .unit = "", .value = 0.5, RANGE(0, 1),
     .doc = "Reflected red, green and blue, linear"},
    {F32(sp_look_material, rough), .unit = "", .value = 0.5, RANGE(0.05, 1),
     .doc = "Roughness of metal and coats: 0.05 is nearly a mirror"},
    {F32(sp_look_material, coat), .unit = "", .value = 0, RANGE(0, 1),
     .doc = "Strength of a clear coat"},
    {BOOL(sp_look_material, metal), .value = 0, .doc = "Metal: reflects with its own colour"},
    {BOOL(sp_look_material, glass), .value = 0,
     .doc = "Glass: light passes through and is refracted"},
    {F32(sp_look_material, ior), .unit = "", .value = 1.52, RANGE(1, 3),
     .doc = "Refractive index of glass; one value for the whole picture"},
    {VEC3(sp_look_material, absorb), .unit = "1/m", .value = 0, RANGE(0, 1e4),
     .doc = "Absorption of red, green and blue in glass"},
};
static const sp_keys material_keys = TABLE("material", material_rows, sp_look_material);

static const char *const lights[] = {"studio", "sky", "overcast", "furnace", NULL};
static const char *const tones[] = {"filmic", "srgb", "linear", NULL};
static const char *const backgrounds[] = {"auto", "cyclorama", "dome", "ground", NULL};
static const char *const denoisers[] = {"auto", "on", "off", NULL};
static const sp_key look_rows[] = {
    {OPTION(sp_look_def, camera, camera_keys), .doc = "The camera; the default shows everything"},
    {WORD(sp_look_def, light, lights), .value = SP_LIGHT_STUDIO,
     .doc = "Lighting: softboxes in front of a dark wall, sun and sky, an overcast sky, or white "
            "everywhere (for tests)"},
    {OBJECT(sp_look_def, sun, sun_keys), .doc = "The sun of the sky"},
    {F32(sp_look_def, exposure), .unit = "stops", .value = 0, RANGE(-20, 20),
     .doc = "Exposure in stops: one more is twice as bright"},
    {WORD(sp_look_def, tone, tones), .value = SP_LOOK_FILMIC,
     .doc = "Tone mapping; filmic compresses highlights"},
    {F32(sp_look_def, clamp), .unit = "", .value = 6, RANGE(0, 1e6),
     .doc = "Largest value of an indirect sample, against fireflies; 0 is off"},
    {WORD(sp_look_def, background, backgrounds), .value = SP_BACKGROUND_AUTO,
     .doc = "Background: a studio's curved wall, only the sky, or a floor under the sky"},
    {OBJECT(sp_look_def, water, water_keys), .doc = "The liquid"},
    {OBJECT(sp_look_def, foam, foam_keys), .doc = "Foam"},
    {OBJECT(sp_look_def, bubbles, bubble_keys), .doc = "Bubbles under water"},
    {OBJECT(sp_look_def, surface, surface_keys), .doc = "How particles become a surface"},
    {LIST(sp_look_def, materials, material_count, material_keys), RANGE(0, 64),
     .doc = "Materials in addition to glass, clear_glass, stone, wood, sand, plastic, metal and "
            "white"},
    {WORD(sp_look_def, denoise, denoisers), .value = SP_DENOISE_AUTO,
     .doc = "Whether noise is removed; auto does so in drafts"},
    {U64(sp_look_def, seed), .unit = "", .value = 1, RANGE(0, 9007199254740991.0),
     .doc = "Seed of the noise"},
    {I32(sp_look_def, samples), .unit = "", .value = 0, RANGE(0, 65536),
     .doc = "Paths per pixel; 0 is the preset's (draft 4, final 64)"},
    {I32(sp_look_def, depth), .unit = "", .value = 0, RANGE(0, 1024),
     .doc = "Largest number of bounces of a path; 0 is the preset's (draft 24, final 64)"},
    {I32(sp_look_def, split), .unit = "", .value = -1, RANGE(-1, 3),
     .doc = "Number of surfaces at which both reflected and refracted rays are traced; -1 is the "
            "preset's"},
    {I32(sp_look_def, width), .unit = "pixels", .value = 0, RANGE(0, 16384),
     .doc = "Size of the picture; 0 is the preset's"},
    {I32(sp_look_def, height), .unit = "pixels", .value = 0, RANGE(0, 16384),
     .doc = "Size of the picture; 0 is the preset's"},
};
const sp_keys sp_look_keys = TABLE("look", look_rows, sp_look_def);

sp_look_def sp_look_defaults(void)
{
    sp_look_def look;
    sp_keys_defaults(&sp_look_keys, &look);
    return look;
}

/// Glass after what window panes show at their edges; the others by eye.
static const sp_look_material built_in[] = {
    {.name = "glass", .glass = true, .ior = 1.52f, .absorb = {3.0f, 1.0f, 2.0f}},
    {.name = "clear_glass", .glass = true, .ior = 1.52f, .absorb = {0.6f, 0.2f, 0.4f}},
    {.name = "stone", .color = {0.35f, 0.33f, 0.31f}, .rough = 0.8f},
    {.name = "wood", .color = {0.36f, 0.22f, 0.12f}, .rough = 0.5f, .coat = 0.5f},
    {.name = "sand", .color = {0.55f, 0.45f, 0.32f}, .rough = 1.0f},
    {.name = "plastic", .color = {0.75f, 0.12f, 0.08f}, .rough = 0.15f, .coat = 1.0f},
    {.name = "metal", .color = {0.78f, 0.77f, 0.75f}, .rough = 0.2f, .metal = true},
    {.name = "white", .color = {0.8f, 0.8f, 0.8f}, .rough = 1.0f},
};

const sp_look_material *sp_look_find_material(const sp_look_def *look, const char *name)
{
    if (!name) return NULL;
    for (size_t i = 0; i < look->material_count; ++i)
        if (look->materials[i].name && strcmp(look->materials[i].name, name) == 0)
            return &look->materials[i];
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; ++i)
        if (strcmp(built_in[i].name, name) == 0) return &built_in[i];
    return NULL;
}

sp_status sp_look_check(const sp_look_def *look, const char *path, sp_error *err)
{
    const sp_look_camera *c = look->camera;
    if (c && memcmp(c->from, c->to, sizeof c->from) == 0)
        return sp_fail(err, SP_BAD_INPUT, "%s.camera: from and to are the same point (%g, %g, %g)",
                       path, (double)c->from[0], (double)c->from[1], (double)c->from[2]);
    if (c && c->aperture > 0.0f && c->aperture < 0.5f)
        return sp_fail(err, SP_BAD_INPUT, "%s.camera.aperture: %g; expected 0, or 0.5 to 64", path,
                       (double)c->aperture);
    if (look->foam.milk0 + look->foam.milk1 > 1.0f)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.foam: milk0 and milk1 are %g together; expected at most 1", path,
                       (double)(look->foam.milk0 + look->foam.milk1));
    if ((look->width > 0 && look->width < 16) || (look->height > 0 && look->height < 16))
        return sp_fail(err, SP_BAD_INPUT, "%s: %d x %d pixels; expected 16 to 16384 each", path,
                       (int)look->width, (int)look->height);
    for (size_t i = 0; i < look->material_count; ++i)
        if (!look->materials[i].name)
            return sp_fail(err, SP_BAD_INPUT, "%s.materials[%zu].name: missing; expected a name",
                           path, i);
    for (size_t i = 0; i < look->material_count; ++i)
        for (size_t j = 0; j < i; ++j)
            if (strcmp(look->materials[i].name, look->materials[j].name) == 0)
                return sp_fail(
                    err, SP_BAD_INPUT,
                    "%s.materials[%zu].name: the same as materials[%zu]; expected another", path, i,
                    j);
    return SP_OK;
}
