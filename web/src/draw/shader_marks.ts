// SPDX-License-Identifier: Apache-2.0
/// Optional overlays: vortices as rings with an arrow, and tracers as points. They are in the water and are drawn
/// over it at their apparent position.
import { FRAME, TABLE } from "./shader_common";
import { APPEAR } from "./shader_bubbles";
import { SURFACE_READ } from "./shader_water";

/// The portal that a straight line to p passes: the nearest side that faces the eye, else the surface.
const SEEN = `
vec4 seen(vec3 p)
{
    return uClip * vec4(appear(p), 1.0);
}
bool passes(vec3 p)
{
    vec3 d = p - uEye.xyz;
    float entry = 0.0;
    int side = 4;
    for (int k = 0; k < 2; ++k) {
        float end = d[k] < 0.0 ? uSize[k] : 0.0, t = (end - uEye[k]) / d[k];
        if (t > entry && t < 1.0) {
            entry = t;
            side = 2 * k + (d[k] < 0.0 ? 1 : 0);
        }
    }
    if ((uSize.z - uEye.z) / d.z > entry) side = 4;
    return side == uPortal;
}
`;

/// 50 vertices of lines: a ring of 20 segments around the axis of the vortex, and an arrow of 5.
export const VORTEX_VERTEX = `${FRAME}${SURFACE_READ}${APPEAR}${SEEN}${TABLE}
out vec4 vColor;
void main()
{
    int row = gl_VertexID / 50;
    vec4 body = texelOf(2 * row), vortex = texelOf(2 * row + 1); // x, y, z, radius; strength in m/s, fade
    float speed = length(vortex.xyz);
    vec3 n = speed > 1e-6 ? vortex.xyz / speed : vec3(0, 0, 1);
    vec3 side = normalize(cross(n, abs(n.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0))), other = cross(n, side), p;
    int k = gl_VertexID % 50;
    if (k < 40) {
        float angle = float((k + 1) >> 1) * 0.31415927;
        p = (side * cos(angle) + other * sin(angle)) * body.w;
    } else {
        float shaft = body.w * clamp(8.0 * speed, 0.4, 1.6);
        int part = (k - 40) >> 1;
        vec3 tip = n * shaft, barb = part == 1 ? side : part == 2 ? -side : part == 3 ? other : -other;
        p = part == 0 ? tip * float(k & 1) : (k & 1) == 0 ? tip : tip * 0.75 + barb * 0.16 * shaft;
    }
    vColor = vec4(mix(vec3(1.0, 0.92, 0.45), vec3(1.0, 0.45, 0.25), clamp(4.0 * speed, 0.0, 1.0)), 0.75 * vortex.w);
    vec3 at = clamp(body.xyz + p, vec3(0.0, 0.0, uSize.w), vec3(uSize.xy, 10.0));
    gl_Position = passes(body.xyz) ? seen(at) : vec4(2, 2, 2, 1);
}
`;

export const TRACER_VERTEX = `${FRAME}${SURFACE_READ}${APPEAR}${SEEN}${TABLE}
out vec4 vColor;
void main()
{
    vec3 at = texelOf(gl_VertexID).xyz;
    gl_Position = passes(at) ? seen(at) : vec4(2, 2, 2, 1);
    gl_PointSize = clamp(uForward.w / 400.0, 1.5, 4.0); // small, so that thousands do not hide the bubbles
    vColor = vec4(1.0, 0.93, 0.35, 0.65);
}
`;

export const MARK_FRAGMENT = `#version 300 es
precision highp float;
in vec4 vColor;
out vec4 fragment;
void main() { fragment = vColor; }
`;
