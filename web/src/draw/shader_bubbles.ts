// SPDX-License-Identifier: Apache-2.0
/// Bubbles in the water, seen through the surface or a pane. A quad is placed at the bubble's apparent position; each
/// of its pixels then traces its own ray: refracted at the real surface there, and on to the ellipsoid. So ripples
/// distort the bubbles as in nature.
import { FRAME, LIGHT, ROOM, TABLE } from "./shader_common";
import { SURFACE_SHADE } from "./shader_surface";
import { SURFACE_READ, WATER_TRACE } from "./shader_water";

/// uPortal: 0 to 3 are the panes as in PANE_VERTEX, 4 is the surface.
export const APPEAR = `
uniform int uPortal;

/// Point where the line of sight to p in the water crosses a flat boundary with normal n, at distances above from
/// the eye and under from p: Snell's law, solved by bisection.
vec3 crossing(vec3 p, vec3 n, float above, float under)
{
    vec3 foot = uEye.xyz - n * above, run = p + n * under - foot;
    float whole = length(run), low = 0.0, high = whole;
    for (int k = 0; k < 14; ++k) {
        float s = 0.5 * (low + high), rest = whole - s;
        float bent = s * inversesqrt(s * s + above * above) - WATER * rest * inversesqrt(rest * rest + under * under);
        if (bent > 0.0) high = s;
        else low = s;
    }
    return foot + run * (0.5 * (low + high) / max(whole, 1e-6));
}

vec3 portalNormal()
{
    if (uPortal == 4) return vec3(0, 0, 1);
    return (uPortal < 2 ? vec3(1, 0, 0) : vec3(0, 1, 0)) * float((uPortal & 1) * 2 - 1);
}

/// Apparent position of p on the portal. A few iterations find the point whose refracted ray reaches p despite waves.
vec3 appear(vec3 p)
{
    vec3 n = portalNormal();
    if (uPortal < 4) {
        float plane = dot(n, vec3(uSize.xy * float(uPortal & 1), 0.0));
        return crossing(p, n, dot(n, uEye.xyz) - plane, max(plane - dot(n, p), 1e-5));
    }
    float level = uSize.z + surfaceAt(p.xy).x;
    vec3 flatly = crossing(p, n, max(uEye.z - level, 1e-4), max(level - p.z, 1e-5)), q = flatly;
    for (int k = 0; k < 4; ++k) {
        vec4 at = surfaceAt(q.xy);
        q.z = uSize.z + at.x;
        vec3 d = refract(normalize(q - uEye.xyz), normalOf(at), 1.0 / WATER);
        q.xy += 0.7 * (p.xy - q.xy - d.xy * max(q.z - p.z, 0.0) / max(-d.z, 0.2));
        q.xy = flatly.xy + clamp(q.xy - flatly.xy, -0.04 * uSun.w, 0.04 * uSun.w);
    }
    return q;
}
`;

export const BUBBLE_VERTEX = `${FRAME}${SURFACE_READ}${APPEAR}${TABLE}
flat out vec4 vBody, vAxis;
flat out float vLevel;
void main()
{
    vBody = texelOf(2 * rowNumber()); // x, y, z, radius
    vAxis = texelOf(2 * rowNumber() + 1); // unit axis, stretch
    vec3 q = appear(vBody.xyz);
    vLevel = q.z;
    vec4 clip = uClip * vec4(q, 1.0);
    // Outside the portal it is invisible; a bubble's width is allowed for waves.
    vec3 over = max(-q, q - vec3(uSize.xy, uPortal == 4 ? 1e3 : uSize.z + 0.02 * uSun.w)) - 2.0 * vBody.w;
    if (max(over.x, max(over.y, over.z)) > 0.0) {
        gl_Position = vec4(2, 2, 2, 1);
        return;
    }
    float far = length(q - uEye.xyz) + length(vBody.xyz - q) / WATER;
    float reach = 1.35 * vBody.w * (1.0 + max(vAxis.w, 0.0)) / far;
    clip.xy += corner() * (reach + uAcross.w) * clip.w / vec2(length(uAcross.xyz), length(uUpward.xyz));
    gl_Position = clip;
}
`;

export const BUBBLE_FRAGMENT = `${FRAME}${LIGHT}${ROOM}${WATER_TRACE}${SURFACE_SHADE}
uniform int uPortal;
flat in vec4 vBody, vAxis;
flat in float vLevel;
out vec4 fragment;

/// Maps the ellipsoid to the unit sphere; the matrix is symmetric, so it also transforms normals.
vec3 squash(vec3 v)
{
    float across = sqrt(1.0 + vAxis.w), along = 1.0 / (1.0 + vAxis.w);
    return (v * across + vAxis.xyz * (dot(v, vAxis.xyz) * (along - across))) / vBody.w;
}

/// Beyond two thirds of its radius an air bubble reflects totally, which is its bright rim; its middle is a diverging
/// lens.
vec3 bubble(vec3 p, vec3 d, vec3 n, vec3 local)
{
    vec3 back = reflect(d, n);
    float mirrored = fresnel(-dot(d, n), 1.0 / WATER), glint = dot(back, uSunBelow.xyz);
    vec3 c = (glance(back) + vec3(0.10, 0.16, 0.17)) * 1.5 * mirrored + 5.0 * exp(-(1.0 - glint) * 260.0);
    WHEN(mirrored < 1.0) {
        vec3 inside = refract(d, n, WATER), run = squash(inside);
        float t = -2.0 * dot(local, run) / dot(run, run);
        vec3 far = normalize(squash(local + run * t)), q = p + inside * t;
        vec3 onward = refract(inside, -far, 1.0 / WATER);
#ifdef MODEST
        vec2 at = q.xy + onward.xy * max(q.z - uSize.w, 0.0) / max(-onward.z, 0.4);
        vec3 seen = onward.z < -0.1 ? floorLight(vec3(clamp(at, vec2(0.0), uSize.xy), uSize.w), 1.0) : glance(onward);
        c += (1.0 - mirrored) * (1.0 - mirrored) * seen * exp(-uWater.rgb * (q.z - uSize.w));
#else
        causticBlur = 3.0; // the lens shrinks everything
        c += (1.0 - mirrored) * (1.0 - mirrored) * traceWater(q, onward, 1);
#endif
    }
    return c;
}

void main()
{
    vec3 eye = uEye.xyz, ray = pixelRay(), n, p;
    if (uPortal < 4) {
        n = (uPortal < 2 ? vec3(1, 0, 0) : vec3(0, 1, 0)) * float((uPortal & 1) * 2 - 1);
        float plane = dot(n, vec3(uSize.xy * float(uPortal & 1), 0.0));
        p = eye + ray * ((plane - dot(n, eye)) / dot(n, ray));
    } else {
        p = eye + ray * ((vLevel - eye.z) / ray.z);
        p = eye + ray * ((uSize.z + surfaceAt(p.xy).x - eye.z) / ray.z);
        n = facingNormal(surfaceAt(p.xy), ray);
    }
    vec3 d = refract(ray, n, 1.0 / WATER);
    vec3 o = squash(p - vBody.xyz), run = squash(d);
    float a = dot(run, run), b = dot(o, run) / a, off = length(o - b * run), soft = fwidth(off);
    float cover = ramp(1.0, 1.0 - 1.6 * min(soft, 0.6), off), s = -b - sqrt(max(1.0 - off * off, 0.0) / a);
    bool outside = any(lessThan(p.xy, vec2(-1e-4))) || any(greaterThan(p.xy, uSize.xy + 1e-4));
    if (cover <= 0.0 || outside || s < -2.0 * vBody.w || (uPortal < 4 && p.z > uSize.z + surfaceAt(p.xy).x)) discard;
    vec3 c = vec3(0.0);
    WHEN(cover > 0.0) {
        s = max(s, 0.0);
        float hidden = s;
        if (meetObstacle(p, d, hidden) >= 0) discard;
        vec3 local = o + s * run, q = p + s * d, dark = exp(-uWater.rgb * s);
        c = bubble(q, d, normalize(squash(local)), local) * dark;
        c += vec3(0.05, 0.25, 0.35) * exp(-max(uSize.z - q.z, 0.0) * uWater.rgb) * (1.0 - exp(-uWater.w * s));
        float mirrored = fresnel(-dot(ray, n), WATER);
        c *= 1.0 - mirrored;
#ifdef MODEST
        if (uPortal == 4) c += mirrored * vec3(0.45, 0.55, 0.65);
#else
        if (uPortal == 4) c += mirrored * mirrorAbove(p, skyward(reflect(ray, n)));
#endif
        if (uPortal < 4) c *= vec3(0.92, 0.985, 0.975);
    }
    fragment = vec4(develop(c), cover);
    vec4 clip = uClip * vec4(p - ray * 0.006 * uSun.w, 1.0); // just in front of the portal
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}
`;
