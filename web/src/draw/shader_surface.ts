// SPDX-License-Identifier: Apache-2.0
/// The surface: making its texture from the solver's vertices, and drawing it from above and through the panes.
import { FRAME, LIGHT, OBSTACLE_OUTLINE, ROOM } from "./shader_common";
import { SURFACE_READ, WATER_TRACE } from "./shader_water";

/// One triangle that covers a whole target.
export const WHOLE = `#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 1.0, 1.0); }
`;

/// Extends water under the shore: dry vertices take the level of wet ones nearby, so that the shoreline is the
/// intersection of ground and surface, without steps. The solver's obstacles have sloped sides on which water rises;
/// vertices inside an outline count as dry too. Output: height above the rest level, wetness.
export const MEND = `${FRAME}${OBSTACLE_OUTLINE}
uniform sampler2D uLevel, uNormal;
uniform vec3 uStep;
out vec4 fragment;
bool wetAt(ivec2 p)
{
    if (texelFetch(uNormal, p, 0).a < 0.5) return false;
    for (int k = 0; k < int(uCounts.x); ++k) {
        if (outline(k, vec2(p) * uStep.z) < 0.0) return false;
    }
    return true;
}
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(uLevel, 0) - 1;
    float level = texelFetch(uLevel, at, 0).r - uSize.z, wet = 1.0;
    if (!wetAt(at)) {
        float sum = 0.0, weight = 0.0;
        for (int j = -3; j <= 3; ++j)
            for (int i = -3; i <= 3; ++i) {
                ivec2 p = clamp(at + ivec2(i, j), ivec2(0), last);
                float w = wetAt(p) ? 1.0 / float((i * i + j * j) * (i * i + j * j) + 1) : 0.0;
                weight += w;
                sum += w * (texelFetch(uLevel, p, 0).r - uSize.z);
            }
        wet = weight > 0.01 ? 0.6 : weight > 0.0 ? 0.3 : 0.0;
        level = weight > 0.0 ? sum / weight : 0.0;
    }
    fragment = vec4(level, 0.0, 0.0, wet);
}
`;

/// A smooth surface through the vertices (Mitchell-Netravali cubic: sharp enough for the domes of small bubbles,
/// smooth enough for reflections without kinks), with its slopes. uStep is in vertices per texel.
export const REFINE = `${FRAME}
uniform sampler2D uMended;
uniform vec3 uStep; // and spacing of the vertices, m
out vec4 fragment;
vec4 weights(float t)
{
    float u = 1.0 - t;
    vec4 s = vec4(1.0 + t, t, u, 1.0 + u), near = (7.0 * s - 12.0) * s * s + 16.0 / 3.0;
    vec4 far = ((-7.0 / 3.0 * s + 12.0) * s - 20.0) * s + 32.0 / 3.0;
    return vec4(far.x, near.yz, far.w) / 6.0;
}
vec4 slopes(float t)
{
    float u = 1.0 - t;
    vec4 s = vec4(1.0 + t, t, u, 1.0 + u), near = (21.0 * s - 24.0) * s, far = (-7.0 * s + 24.0) * s - 20.0;
    return vec4(far.x, near.y, -near.z, -far.w) / 6.0;
}
void main()
{
    ivec2 last = textureSize(uMended, 0) - 1;
    vec2 at = min((gl_FragCoord.xy - 0.5) * uStep.xy, vec2(last) - 1e-3), base = floor(at), t = at - base;
    vec4 wx = weights(t.x), wy = weights(t.y), sx = slopes(t.x), sy = slopes(t.y), sum = vec4(0.0);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            vec4 v = texelFetch(uMended, clamp(ivec2(base) + ivec2(i - 1, j - 1), ivec2(0), last), 0);
            sum += vec4(v.x * wx[i] * wy[j], v.x * sx[i] * wy[j], v.x * wx[i] * sy[j], v.a * wx[i] * wy[j]);
        }
    fragment = vec4(sum.x, sum.yz / uStep.z, sum.w);
}
`;

/// Ground heights above the lowest point, with slopes, from the solver's vertices.
export const GROUND_MAP = `${FRAME}
uniform sampler2D uLevel;
uniform vec3 uStep;
out vec4 fragment;
float height(ivec2 p) { return texelFetch(uLevel, clamp(p, ivec2(0), textureSize(uLevel, 0) - 1), 0).r - uSize.w; }
float across(ivec2 p, ivec2 step) { return height(p + step) - height(p - step); }
void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy);
    // Wide differences: a magnified coarse map would show its facets.
    vec2 slope = vec2(across(p, ivec2(3, 0)), across(p, ivec2(0, 3)));
    slope += vec2(across(p, ivec2(5, 2)), across(p, ivec2(-2, 5)));
    fragment = vec4(height(p), slope / (2.0 * 8.0 * uStep.z), 1.0);
}
`;

/// A grid of uMesh vertices with two triangles a cell, without vertex arrays.
export const GRID = `
uniform ivec2 uMesh;
vec2 gridPoint()
{
    int cell = gl_VertexID / 6, k = gl_VertexID % 6, across = uMesh.x - 1;
    k = k < 3 ? k : k == 3 ? 2 : k == 4 ? 1 : 3;
    return vec2(cell % across + (k & 1), cell / across + (k >> 1)) / vec2(uMesh - 1) * uSize.xy;
}
`;

export const SURFACE_VERTEX = `${FRAME}${SURFACE_READ}${GRID}
out vec3 vAt;
void main()
{
    vec2 p = gridPoint();
    vAt = vec3(p, uSize.z + surfaceAt(p).x);
    gl_Position = uClip * vec4(vAt, 1.0);
}
`;

/// Colour of the surface at p for a ray d, without foam. Bubbles use it too.
export const SURFACE_SHADE = `
/// The reflection, with obstacles.
vec3 mirrorAbove(vec3 p, vec3 d)
{
    float t = 4.0 * uSun.w;
    int k = meetObstacle(p, d, t);
    vec3 c = vec3(0.0);
    WHEN(k < 0) c = min(sky(d) + sunGlint(d, 900.0), 7.0);
    WHEN(k >= 0) {
        vec3 n = vec3(outlineNormal(k, p.xy + t * d.xy), 0.0);
        c = stone(p + t * d) * (SUNLIGHT * 0.5 * max(dot(n, uSun.xyz), 0.0) + 0.55 * SKYLIGHT);
    }
    return c;
}
vec3 facingNormal(vec4 at, vec3 d)
{
    vec3 n = normalOf(at);
    return normalize(n - d * max(dot(n, d) + 0.04, 0.0)); // the back of a wave that the mesh does not resolve
}
vec3 skyward(vec3 d) { return normalize(vec3(d.xy, abs(d.z) + 0.01)); }
`;

export const SURFACE_FRAGMENT = `${FRAME}${LIGHT}${ROOM}${WATER_TRACE}${SURFACE_SHADE}
in vec3 vAt;
out vec4 fragment;

float ring(vec2 p, vec2 c, float radius, float width)
{
    return ramp(width, 0.4 * width, abs(length(p - c) - radius));
}

/// Rings on the water: the keyboard's cursor, and the marked object.
vec3 marks(vec2 p, vec3 c)
{
    float width = max(0.0035 * uSun.w, 1.5 * uAcross.w * length(vAt - uEye.xyz));
    WHEN(uCursor.z > 0.0) {
        float dots = ring(p, uCursor.xy, uCursor.z, width);
        dots += ramp(1.2 * width, 0.5 * width, length(p - uCursor.xy));
        c = mix(c, vec3(2.2, 1.9, 1.1), 0.85 * min(dots, 1.0));
    }
    int kind = int(uMark.x), i = int(uMark.y);
    float on = 0.0;
    WHEN(kind == 1 && i < int(uCounts.x)) on = ramp(width, 0.4 * width, abs(outline(i, p) - 2.5 * width));
    WHEN(kind == 2) on = ring(p, uMarkAt.xy, 2.6 * uCounts.w, 0.8 * width);
    return mix(c, vec3(0.9, 1.9, 2.2), 0.85 * on * uMark.z);
}

vec3 wires(vec2 p, vec3 c)
{
    // If cells are smaller than a few pixels, only every second line is drawn, or every fourth, and so on.
    vec2 u = p / uCursor.w;
    u /= exp2(max(ceil(log2(6.0 * max(max(fwidth(u.x), fwidth(u.y)), 1e-6))), 0.0));
    vec3 at = vec3(u, u.x - u.y), line = abs(fract(at + 0.5) - 0.5) / fwidth(at);
    return mix(c, vec3(1.6, 2.0, 2.0), 0.5 * ramp(1.1, 0.3, min(line.x, min(line.y, line.z))));
}

void main()
{
    vec4 at = surfaceAt(vAt.xy);
    if (at.w < 0.25) discard;
    vec3 d = normalize(vAt - uEye.xyz), n = facingNormal(at, d);
    float mirrored = fresnel(-dot(n, d), WATER);
    vec3 above = mirrorAbove(vAt, skyward(reflect(d, n))) * mirrored;
    vec3 below = traceWater(vAt, refract(d, n, 1.0 / WATER), 2) * (1.0 - mirrored);
    // Foam shadows the water below it, most where bubbles touch it.
    vec2 uv = vAt.xy / uSize.xy;
    float cover = textureLod(uMap, uv, 3.0).g, near = textureLod(uMap, uv, 1.0).g;
    vec3 c = below * (1.0 - 0.25 * cover) * (1.0 - 0.22 * near) + above * (1.0 - 0.5 * near);
    WHEN(uCursor.w > 0.0) c = wires(vAt.xy, c);
    fragment = vec4(develop(marks(vAt.xy, c)), 1.0);
}
`;

/// A pane's inner face, from the floor to the rim. uPane: 0 and 1 are the sides at x = 0 and its far end, 2 and 3
/// those of y.
export const PANE_VERTEX = `${FRAME}
uniform int uPane;
out vec3 vAt;
void main()
{
    float u = float(gl_VertexID & 1), z = mix(uSize.w, uTank.y, float(gl_VertexID >> 1)), end = float(uPane & 1);
    vAt = uPane < 2 ? vec3(end * uSize.x, u * uSize.y, z) : vec3(u * uSize.x, end * uSize.y, z);
    gl_Position = uClip * vec4(vAt, 1.0);
}
`;

export const PANE_FRAGMENT = `${FRAME}${LIGHT}${ROOM}${WATER_TRACE}
uniform int uPane;
in vec3 vAt;
out vec4 fragment;
void main()
{
    vec4 at = surfaceAt(vAt.xy);
    float level = uSize.z + at.x, wet = step(0.4, at.w), ground = uSize.w + groundAt(vAt.xy).x;
    vec3 n = (uPane < 2 ? vec3(1, 0, 0) : vec3(0, 1, 0)) * float((uPane & 1) * 2 - 1), d = normalize(vAt - uEye.xyz);
    if (vAt.z > max(level * wet, ground)) discard;
    vec3 c = vec3(0.0);
    WHEN(vAt.z < ground) {
        c = sand(vec2(vAt.x + vAt.y, vAt.z) * 2.0) * (0.35 * SUNLIGHT * max(dot(n, uSun.xyz), 0.0) + 0.35 * SKYLIGHT);
    }
    WHEN(vAt.z >= ground) {
        float mirrored = fresnel(-dot(n, d), WATER);
        c = traceWater(vAt - 1e-4 * n, refract(d, n, 1.0 / WATER), 3) * (1.0 - mirrored) * vec3(0.92, 0.985, 0.975);
        // The meniscus at the glass catches the light: a bright line at the water level.
        float pixel = uAcross.w * length(vAt - uEye.xyz);
        float line = 1.0 - ramp(0.0, max(0.0028 * uSun.w, 1.5 * pixel), level - vAt.z);
        c = mix(c, vec3(0.80, 0.98, 1.0), 0.6 * line);
    }
    fragment = vec4(develop(c), 1.0);
}
`;
