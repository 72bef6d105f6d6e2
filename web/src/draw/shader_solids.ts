// SPDX-License-Identifier: Apache-2.0
/// Everything in the air: obstacles, dry ground, the glass and its base, and the room.
import { FRAME, LIGHT, ROOM } from "./shader_common";
import { GRID } from "./shader_surface";
import { SURFACE_READ, WATER_TRACE } from "./shader_water";

/// An upright solid with a rounded upper edge: strip k lies between rings k and k + 1 of the outline.
export const OBSTACLE_VERTEX = `${FRAME}
uniform int uIndex;
out vec3 vAt, vNormal;
void main()
{
    vec4 a = uObstacles[2 * uIndex], b = uObstacles[2 * uIndex + 1];
    int ring = gl_InstanceID + (gl_VertexID & 1), at = (gl_VertexID >> 1) % 68; // 17 points a corner
    int quarter = at / 17;
    float angle = (float(quarter) + float(at % 17) / 16.0) * 1.5707963;
    vec2 way = vec2(cos(angle), sin(angle));
    vec2 core = b.xy * vec2(quarter == 0 || quarter == 3 ? 1 : -1, quarter < 2 ? 1 : -1);
    float bevel = min(0.35 * a.w, 0.006 * uSun.w), tilt = clamp(float(ring - 1) / 5.0, 0.0, 1.0) * 1.5707963;
    vec2 p = core + way * (a.w - bevel * (1.0 - cos(tilt)));
    if (ring == 7) p = vec2(0.0);
    float z = ring == 0 ? uSize.w : a.z - bevel * (1.0 - sin(tilt));
    vNormal = vec3((way.x * b.zw + way.y * vec2(-b.w, b.z)) * cos(tilt), sin(tilt));
    vAt = vec3(a.xy + p.x * b.zw + p.y * vec2(-b.w, b.z), z);
    gl_Position = uClip * vec4(vAt, 1.0);
}
`;

export const OBSTACLE_FRAGMENT = `${FRAME}${LIGHT}${ROOM}${SURFACE_READ}
uniform int uIndex;
in vec3 vAt, vNormal;
out vec4 fragment;
void main()
{
    vec3 n = normalize(vNormal), d = normalize(vAt - uEye.xyz);
    vec4 water = surfaceAt(vAt.xy + n.xy * 0.01 * uSun.w);
    float above = vAt.z - uSize.z - water.x, wet = ramp(0.009, 0.003, above / uSun.w);
    vec3 albedo = stone(vAt) * mix(1.0, 0.68, wet);
    float bounce = exp(-max(above, 0.0) / (0.05 * uSun.w)) * (1.0 - n.z); // light from the water
    vec3 light = SUNLIGHT * 0.5 * max(dot(n, uSun.xyz), 0.0) + SKYLIGHT * (0.5 + 0.3 * n.z);
    light += vec3(0.10, 0.28, 0.32) * bounce;
    vec3 shine = reflect(d, n);
    float mirrored = fresnel(max(-dot(n, d), 0.0), 1.45) * mix(0.55, 1.0, wet);
    vec3 c = albedo * light * (1.0 - mirrored) + mirrored * sky(shine) + 0.06 * sunGlint(shine, 220.0);
    if (int(uMark.x) == 1 && int(uMark.y) == uIndex)
        c += vec3(0.05, 0.14, 0.17) * uMark.z * (0.6 + square(1.0 + dot(n, d)));
    fragment = vec4(develop(c), 1.0);
}
`;

export const GROUND_VERTEX = `${FRAME}${SURFACE_READ}${GRID}
out vec3 vAt;
void main()
{
    vec2 p = gridPoint();
    vAt = vec3(p, uSize.w + groundAt(p).x);
    gl_Position = uClip * vec4(vAt, 1.0);
}
`;

export const GROUND_FRAGMENT = `${FRAME}${LIGHT}${ROOM}${WATER_TRACE}
in vec3 vAt;
out vec4 fragment;
void main()
{
    vec4 g = groundAt(vAt.xy), water = surfaceAt(vAt.xy);
    vec3 n = normalOf(g), d = normalize(vAt - uEye.xyz), albedo;
    float rough = uSunBelow.w > 0.5 ? ramp(0.004, 0.03, g.x / uSun.w + 0.5 * (1.0 - n.z)) : 0.0;
    albedo = mix(tiles(vAt.xy, length(vAt - uEye.xyz) * uAcross.w), sand(vAt.xy), rough);
    addNozzles(vAt.xy, albedo);
    vec3 glow = addHeaters(vAt, albedo);
    // Wet sand is dark, up to a finger's width above the water.
    float damp = ramp(0.03, 0.006, (vAt.z - uSize.z) / uSun.w);
    damp *= max(uSunBelow.w, ramp(0.0, 0.3, water.w)); // but a flat floor without water is dry
    vec3 light = SUNLIGHT * 0.52 * max(dot(n, uSun.xyz), 0.0) + SKYLIGHT * (0.35 + 0.25 * n.z);
    vec3 c = albedo * mix(1.0, 0.5, damp) * light + glow;
    c += damp * fresnel(max(-dot(n, d), 0.0), 1.3) * sky(reflect(d, n)) * 0.5;
    fragment = vec4(develop(c + vec3(0.5, 1.2, 1.4) * markBelow(vAt.xy)), 1.0);
}
`;

/// A box from uLow to uHigh: 36 vertices, faces -x +x -y +y -z +z.
export const BOX_VERTEX = `${FRAME}
uniform vec3 uLow, uHigh;
out vec3 vAt;
flat out vec3 vNormal;
void main()
{
    int face = gl_VertexID / 6, at = gl_VertexID % 6, axis = face >> 1;
    int corner = at < 3 ? at : (at == 3 ? 2 : at == 4 ? 1 : 3);
    float end = float(face & 1), u = float(corner & 1), v = float(corner >> 1);
    vec3 p = axis == 0 ? vec3(end, u, v) : axis == 1 ? vec3(v, end, u) : vec3(u, v, end);
    vNormal = (axis == 0 ? vec3(1, 0, 0) : axis == 1 ? vec3(0, 1, 0) : vec3(0, 0, 1)) * (end * 2.0 - 1.0);
    vAt = mix(uLow, uHigh, p);
    bool facing = dot(vNormal, uEye.xyz - vAt) > 0.0;
    gl_Position = facing ? uClip * vec4(vAt, 1.0) : vec4(2, 2, 2, 1);
}
`;

export const BASE_FRAGMENT = `${FRAME}${LIGHT}${ROOM}
in vec3 vAt;
flat in vec3 vNormal;
out vec4 fragment;
void main()
{
    vec3 n = vNormal, light = SUNLIGHT * 0.5 * max(dot(n, uSun.xyz), 0.0) + SKYLIGHT * (0.4 + 0.3 * n.z);
    float edge = 0.7 + 0.3 * ramp(uTank.z, uSize.w, vAt.z);
    fragment = vec4(develop(0.8 * stone(vAt) * light * edge), 1.0);
}
`;

/// Glass: almost invisible, green at its cut edges, and reflecting at grazing angles.
export const GLASS_FRAGMENT = `${FRAME}${LIGHT}
in vec3 vAt;
flat in vec3 vNormal;
out vec4 fragment;
void main()
{
    vec3 d = normalize(vAt - uEye.xyz), n = vNormal;
    float mirrored = fresnel(max(-dot(n, d), 0.0), 1.5);
    vec3 shine = sky(reflect(d, n)), edge = vec3(0.30, 0.53, 0.49) * (0.55 + 0.45 * n.z);
    if (n.z > 0.5) {
        fragment = vec4(develop(mix(edge, shine, clamp(0.12 + mirrored, 0.0, 1.0))), 0.92);
        return;
    }
    // In the corners the cut edge of the other pane is visible.
    vec2 to = min(vAt.xy + uTank.x, uSize.xy + uTank.x - vAt.xy);
    float corner = ramp(1.1, 0.9, max(to.x, to.y) / uTank.x);
    float rim = ramp(0.0025, 0.0, (uTank.y - vAt.z) / uSun.w);
    float hidden = clamp(0.03 + mirrored + 0.75 * corner + 0.4 * rim, 0.0, 0.9);
    fragment = vec4(develop(mix(edge, shine, mirrored / hidden * 0.9)), hidden);
}
`;

export const ROOM_FRAGMENT = `${FRAME}${LIGHT}${ROOM}
out vec4 fragment;
void main()
{
    vec3 c = develop(room(uEye.xyz, pixelRay()));
    fragment = vec4(c + (hash(floor(gl_FragCoord.xy), 9u) - 0.5) / 255.0, 1.0); // dithering against banding
}
`;
