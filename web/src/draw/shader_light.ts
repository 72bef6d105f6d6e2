// SPDX-License-Identifier: Apache-2.0
/// Two maps of the pond seen from above. The first holds foam and nozzles; every channel keeps the largest value
/// drawn, so overlapping hemispheres give the heights of their union. The second is the sunlight on the floor
/// (caustics): the grid of the surface is moved along the refracted rays; where it is compressed, there is more
/// light.
import { FRAME, LIGHT, OBSTACLE_OUTLINE, ROOM, TABLE } from "./shader_common";
import { GRID } from "./shader_surface";
import { SURFACE_READ, WATER_TRACE } from "./shader_water";

const PUT = `${TABLE}
void putOnMap(vec2 p) { gl_Position = vec4(p / uSize.xy * 2.0 - 1.0, 0.0, 1.0); }
`;

export const FOAM_MAP_VERTEX = `${FRAME}${PUT}
out vec2 vAt;
flat out vec2 vSize; // radius over the largest, alpha
void main()
{
    vec4 body = texelOf(2 * rowNumber()); // x, y, base z, radius
    vec4 state = texelOf(2 * rowNumber() + 1); // tilt x, y, alpha, age
    vAt = corner() * 1.15;
    vSize = vec2(body.w / uCounts.z, state.z);
    putOnMap(body.xy + vAt * body.w);
}
`;

export const FOAM_MAP_FRAGMENT = `${FRAME}
in vec2 vAt;
flat in vec2 vSize;
out vec4 fragment;
void main()
{
    float off = dot(vAt, vAt);
    float height = vSize.x * sqrt(max(1.0 - off, 0.0)) * ramp(0.0, 0.3, vSize.y);
    fragment = vec4(height, vSize.y * ramp(1.15, 0.85, sqrt(off)), 0.0, 0.0);
}
`;

export const NOZZLE_MAP_VERTEX = `${FRAME}${PUT}
out vec2 vAt;
flat out float vState;
void main()
{
    vec4 nozzle = texelOf(rowNumber()); // x, y, z, state
    vAt = corner() * 1.6;
    vState = nozzle.w > 0.5 ? 1.0 : nozzle.w > -0.5 ? 0.66 : 0.33;
    putOnMap(nozzle.xy + vAt * uCounts.w);
}
`;

export const NOZZLE_MAP_FRAGMENT = `${FRAME}
in vec2 vAt;
flat in float vState;
out vec4 fragment;
void main()
{
    float far = length(vAt);
    if (far > 1.6) discard;
    fragment = vec4(0.0, 0.0, 1.0 - far / 1.6, vState);
}
`;

export const CAUSTICS_VERTEX = `${FRAME}${SURFACE_READ}${GRID}
out vec2 vFrom, vTo;
out float vWet;
void main()
{
    vec2 p = gridPoint();
    vec4 at = surfaceAt(p);
    vec3 d = refract(-uSun.xyz, normalOf(at), 1.0 / WATER);
    float z = uSize.z + at.x - uSize.w, down = max(-d.z, 0.2), t = max(z, 0.0) / down;
    if (uSunBelow.w > 0.5) { // the exact point on uneven ground
        t = max(z - groundAt(p).x, 0.0) / down;
        t = max(z - groundAt(p + t * d.xy).x, 0.0) / down;
    }
    vFrom = p;
    vTo = p + t * d.xy;
    vWet = at.w;
    gl_Position = vec4(vTo / uSize.xy * 2.0 - 1.0, 0.0, 1.0);
}
`;

export const CAUSTICS_FRAGMENT = `${FRAME}${OBSTACLE_OUTLINE}
uniform sampler2D uMap;
uniform float uTexel; // m^2
in vec2 vFrom, vTo;
in float vWet;
out vec4 fragment;
void main()
{
    vec2 a = dFdx(vFrom), b = dFdy(vFrom);
    float light = min(abs(a.x * b.y - a.y * b.x) / uTexel, 9.0) * ramp(0.3, 0.7, vWet);
    light *= 1.0 - 0.55 * textureLod(uMap, vFrom / uSize.xy, 1.0).g;
    for (int k = 0; k < int(uCounts.x); ++k) {
        float gap = 1.0;
        for (int n = 0; n < 5; ++n) gap = min(gap, outline(k, mix(vFrom, vTo, float(n) * 0.25)));
        light *= ramp(-0.002, 0.006, gap / uSun.w);
    }
    fragment = vec4(light, 0.0, 0.0, 0.0);
}
`;

/// A bubble is a strong diverging lens: almost no light directly below, and the lost light in a ring around it.
export const LENS_VERTEX = `${FRAME}${SURFACE_READ}${PUT}
out vec2 vAt;
void main()
{
    vec4 body = texelOf(2 * rowNumber()); // x, y, z, radius
    vec2 p = body.xy;
    float height = max(body.z - uSize.w - (uSunBelow.w > 0.5 ? groundAt(p).x : 0.0), 0.0);
    vAt = corner() * 2.6;
    putOnMap(p - uSunBelow.xy / uSunBelow.z * height + vAt * body.w);
}
`;

export const LENS_FRAGMENT = `${FRAME}
in vec2 vAt;
out vec4 fragment;
void main()
{
    float far = length(vAt);
    fragment = vec4(mix(-0.34, 0.22 * ramp(2.5, 1.2, far), ramp(0.9, 1.25, far)), 0.0, 0.0, 0.0);
}
`;

/// The lit floor, for machines that are too slow to shade it per pixel.
export const FLOOR_MAP = `${FRAME}${LIGHT}${ROOM}${WATER_TRACE}
uniform vec2 uTexels;
out vec4 fragment;
void main()
{
    vec2 p = gl_FragCoord.xy / uTexels * uSize.xy;
    float z = uSize.w + (uSunBelow.w > 0.5 ? groundAt(p).x : 0.0);
    fragment = vec4(sqrt(0.2 * floorShade(vec3(p, z), length(vec3(p, z) - uEye.xyz))), 1.0); // stored in eight bits
}
`;
