// SPDX-License-Identifier: Apache-2.0
/// Shared by all shaders: the uniforms of a frame, the environment that is reflected, and tone mapping. Colours were
/// chosen by eye.

/// Uniforms of a frame, 4 floats a row; frame.ts writes them in this order.
export const FRAME = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
layout(std140) uniform Frame {
    mat4 uClip;         // from the pond's space to clip space
    vec4 uEye;          // position; time, s
    vec4 uAcross;       // half the window's width at distance 1; radians per pixel
    vec4 uUpward;       // half its height at distance 1; width over height
    vec4 uForward;      // direction of view; height of the window, pixels
    vec4 uSize;         // of the pond along x and y; the rest level; the floor's lowest height
    vec4 uTank;         // glass; height of the rim; height of the table; edge of a tile
    vec4 uWater;        // absorption of red, green and blue, 1/m; haze, 1/m
    vec4 uSun;          // direction to the sun in air; the pond's scale, m
    vec4 uSunBelow;     // the same in water; 0 for a flat floor, 1 for uneven ground
    vec4 uSurfaceGrid;  // from metres to the surface's texture: scale, offset
    vec4 uGroundGrid;   // the same for the ground's texture
    vec4 uCounts;       // obstacles, heaters, largest foam radius, a nozzle's radius
    vec4 uCursor;       // x, y, radius (0: none), line spacing of the wire frame (0: none)
    vec4 uMark;         // the highlighted thing's kind (-1: none), index, glow
    vec4 uMarkAt;       // its position
    vec4 uObstacles[16]; // two rows each: x, y, top, corner radius; core half length, half width, cosine, sine
    vec4 uHeaters[16];   // two rows each: x, y, z, radius; 1 when on, pulse
};
const float WATER = 1.333;
// Without a graphics card both branches of an "if" are executed; only loops can be left early.
#ifdef MODEST
#define WHEN(condition) for (bool once = (condition); once; once = false)
#else
#define WHEN(condition) if (condition)
#endif
float square(float x) { return x * x; }

/// Smooth step from 0 at a to 1 at b; unlike smoothstep, a may be larger than b.
float ramp(float a, float b, float x)
{
    float t = clamp((x - a) / (b - a), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}
`;

export const LIGHT = `
const vec3 SUNLIGHT = vec3(2.9, 2.65, 2.3), SKYLIGHT = vec3(0.62, 0.70, 0.80);

/// Tone mapping: a shoulder that never clips, a little more contrast in the middle, and sRGB encoding.
vec3 develop(vec3 light)
{
    vec3 y = 1.0 - exp(-1.35 * clamp(light, 0.0, 4.0));
    y = mix(y, y * y * (3.0 - 2.0 * y), 0.5);
    vec3 root = sqrt(y);
    return max(1.2547 * root - 0.0598 * sqrt(root) - 0.1949 * y, 0.0); // sRGB within 0.02, using only roots
}

/// The environment, a studio: pale at the horizon, blue above, a broad soft lamp around the sun, and a wall of three
/// tall windows below it. Their edges make the shape of ripples visible.
vec3 sky(vec3 d)
{
    vec3 c = mix(vec3(0.46, 0.58, 0.68), vec3(0.08, 0.21, 0.42), sqrt(clamp(d.z, 0.0, 1.0)));
    c += vec3(0.90, 0.84, 0.74) * ramp(0.80, 0.985, dot(d, uSun.xyz));
    vec2 ahead = normalize(uSun.xy);
    float towards = dot(d.xy, ahead);
    WHEN(towards > 0.05) {
        vec2 at = vec2(dot(d.xy, vec2(-ahead.y, ahead.x)), d.z) / towards;
        float pane = abs(fract(at.x * 1.25 + 0.5) - 0.5);
        float frame = ramp(0.46, 0.34, pane) * ramp(1.35, 1.05, abs(at.x));
        frame *= ramp(0.08, 0.2, at.y) * ramp(0.85, 0.68, at.y);
        frame *= 1.0 - 0.6 * ramp(0.025, 0.012, abs(at.y - 0.42)); // the crossbar
        c += vec3(0.60, 0.64, 0.66) * frame;
    }
    return mix(c, vec3(0.22, 0.25, 0.28), ramp(0.0, 0.15, -d.z));
}

vec3 sunGlint(vec3 d, float sharp)
{
    return SUNLIGHT * 9.0 * exp(-(1.0 - dot(d, uSun.xyz)) * sharp);
}

/// Fresnel reflectance between two media; cosine is that of the angle of incidence, ratio the index of the far side
/// over that of the near side. 1: total reflection.
float fresnel(float cosine, float ratio)
{
    float g = ratio * ratio - 1.0 + cosine * cosine;
    if (g <= 0.0) return 1.0;
    g = sqrt(g);
    float a = (g - cosine) / (g + cosine), b = (cosine * (g + cosine) - 1.0) / (cosine * (g - cosine) + 1.0);
    return 0.5 * a * a * (1.0 + b * b);
}

float hash(vec2 cell, uint salt)
{
    uint h = uint(int(cell.x)) * 2654435761u + uint(int(cell.y)) * 2246822519u + salt * 3266489917u;
    h = (h ^ (h >> 15)) * 739982445u;
    h = (h ^ (h >> 12)) * 695872825u;
    return float((h ^ (h >> 15)) >> 8) / 16777216.0;
}

float noise(vec2 p, uint salt)
{
    vec2 i = floor(p), f = smoothstep(0.0, 1.0, p - i);
    return mix(mix(hash(i, salt), hash(i + vec2(1, 0), salt), f.x),
               mix(hash(i + vec2(0, 1), salt), hash(i + vec2(1, 1), salt), f.x), f.y);
}

/// The ray of this pixel.
vec3 pixelRay()
{
    float aspect = uUpward.w;
    vec2 at = gl_FragCoord.xy / uForward.w * 2.0 - vec2(aspect, 1.0);
    return normalize(uForward.xyz + uUpward.xyz * at.y + uAcross.xyz * (at.x / aspect));
}
`;

export const OBSTACLE_OUTLINE = `
/// Signed distance to an obstacle's outline: a box with corners rounded by a radius. A cylinder has no core.
float outline(int k, vec2 p)
{
    vec4 a = uObstacles[2 * k], b = uObstacles[2 * k + 1];
    p -= a.xy;
    vec2 q = abs(vec2(dot(p, b.zw), dot(p, vec2(-b.w, b.z)))) - b.xy;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - a.w;
}
`;

/// The room around the tank, and the distance to obstacles: what a ray can hit outside the water.
export const ROOM = `${OBSTACLE_OUTLINE}
vec3 backdrop(vec3 d)
{
    return mix(vec3(0.085, 0.115, 0.155), vec3(0.012, 0.022, 0.04), ramp(-0.45, 0.35, d.z));
}

/// Length of the part of the ray from p to the sun that lies in the tank, m.
float shadedLength(vec3 p)
{
    vec3 low = vec3(-uTank.xx, uTank.z), high = vec3(uSize.xy + uTank.x, uTank.y);
    vec3 a = (low - p) / uSun.xyz, b = (high - p) / uSun.xyz, near = min(a, b), far = max(a, b);
    return max(min(far.x, min(far.y, far.z)) - max(0.0, max(near.x, max(near.y, near.z))), 0.0);
}

/// The table under the tank. Its shadow has a soft edge, because the length of a sunbeam in the tank grows from zero
/// at the outline; water tints the light that passes.
vec3 room(vec3 o, vec3 d)
{
    vec3 back = backdrop(d);
    float t = (uTank.z - o.z) / d.z;
    vec3 p = o + t * d;
    float scale = uSun.w, far = length(p.xy - 0.5 * uSize.xy) / (0.67 * length(uSize.xy));
    WHEN(d.z < -1e-3 && t > 0.0 && far < 2.6) {
        float through = shadedLength(p);
        vec3 tint = 0.6 * exp(-1.5 * through * uWater.rgb);
        vec3 sun = SUNLIGHT * mix(vec3(1.0), tint, ramp(0.0, 0.12 * scale, through));
        vec2 off = max(max(-uTank.xx - p.xy, p.xy - uSize.xy - uTank.x), 0.0);
        float open = 1.0 - 0.6 * exp(-length(off) / (0.07 * scale));
        vec3 light = sun * uSun.z * 0.55 + SKYLIGHT * 0.75 * open;
        back = mix(vec3(0.088, 0.102, 0.122) * light, back, ramp(0.5, 2.6, far));
    }
    return back;
}

vec2 outlineNormal(int k, vec2 p)
{
    float e = 2e-4 * uSun.w, here = outline(k, p);
    return normalize(vec2(outline(k, p + vec2(e, 0)) - here, outline(k, p + vec2(0, e)) - here) + 1e-9);
}

/// The obstacle whose side a ray hits before t, or -1. Obstacles are vertical, so their outline decides.
int meetObstacle(vec3 o, vec3 d, inout float t)
{
    int found = -1;
    float level = max(length(d.xy), 1e-4);
    for (int k = 0; k < int(uCounts.x); ++k) {
        vec4 a = uObstacles[2 * k], b = uObstacles[2 * k + 1];
        vec2 c = a.xy - o.xy;
        float reach = a.w + length(b.xy), along = dot(c, d.xy) / level;
        if (dot(c, c) - along * along > reach * reach || along < -reach) continue;
        float s = 0.0, gap = 1.0;
        for (int n = 0; n < 14; ++n) {
            gap = outline(k, o.xy + d.xy * s);
            if (gap < 2e-4) break;
            s += gap / level;
            if (s > t) break;
        }
        if (gap < 1e-3 && s < t && o.z + d.z * s < a.z) {
            t = s;
            found = k;
        }
    }
    return found;
}

/// Pale polished stone with a fine grain.
vec3 stone(vec3 p)
{
    p *= 60.0 / uSun.w;
    float grain = 0.5 * noise(vec2(p.x + 0.7 * p.z, p.y - 0.6 * p.z), 3u);
    grain += 0.3 * noise(3.1 * vec2(p.x - p.z, p.y + p.z), 4u);
    grain += 0.2 * noise(11.0 * vec2(p.x + p.z, p.y + 0.3 * p.z), 5u);
    return mix(vec3(0.34, 0.32, 0.30), vec3(0.74, 0.71, 0.66), grain);
}
`;

/// Access to the rows of a table (gl.ts), and the corner of this vertex in a square of two triangles.
export const TABLE = `
uniform sampler2D uTable;
vec4 texelOf(int i) { return texelFetch(uTable, ivec2(i & 1023, i >> 10), 0); }
vec2 corner()
{
    int k = gl_VertexID % 6;
    k = k < 3 ? k : k == 3 ? 2 : k == 4 ? 1 : 3;
    return vec2(k & 1, k >> 1) * 2.0 - 1.0;
}
int rowNumber() { return gl_VertexID / 6; }
`;
