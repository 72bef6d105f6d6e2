// SPDX-License-Identifier: Apache-2.0
/// Foam: hemispheres of thin film on the surface. A film reflects little at normal incidence and much at its rim, and
/// scatters some light, so that one bubble looks like glass and many look white. Parts of a shell that lie inside a
/// neighbour are found with the height map; this makes the seams.
import { FRAME, LIGHT, TABLE } from "./shader_common";

export const FOAM_VERTEX = `${FRAME}${TABLE}
flat out vec4 vBody, vState;
out vec3 vAt;
void main()
{
    vBody = texelOf(2 * rowNumber()); // x, y, base z, radius
    vState = texelOf(2 * rowNumber() + 1); // tilt x, y, alpha, age
    vec3 to = uEye.xyz - vBody.xyz;
    float far = length(to);
    vec3 back = to / far, side = normalize(uAcross.xyz), up = normalize(cross(side, -back));
    vec2 at = corner() * 1.12 * vBody.w;
    at.y = max(at.y, -vBody.w * (abs(back.z) + 0.25)); // only half of the sphere exists
    // In front of the sphere, so that the quad's lower edge stays above the water; shrunk to cover the same area.
    float nearer = 1.25 * vBody.w;
    vAt = vBody.xyz + back * nearer + (side * at.x + up * at.y) * (1.0 - nearer / far);
    gl_Position = uClip * vec4(vAt, 1.0);
}
`;

export const FOAM_FRAGMENT = `${FRAME}${LIGHT}
uniform sampler2D uMap;
flat in vec4 vBody, vState;
in vec3 vAt;
out vec4 fragment;

/// Height of the union of the foam above its base, in radii of this bubble.
float unionAt(vec2 p, float lod) { return textureLod(uMap, p / uSize.xy, lod).r * uCounts.z / vBody.w; }

/// Light of a shell at the unit vector n from the centre, and its opacity.
vec4 shell(vec3 n, vec3 d, vec3 base, bool back)
{
    float c = -dot(d, n), rim = 1.0 - abs(c), rim3 = rim * rim * rim;
    vec3 shine = reflect(d, c > 0.0 ? n : -n);
    float f = 0.02 + 0.98 * rim3 * rim * rim, film = 2.0 * f / (1.0 + f);
    float height = clamp(dot(n, base), 0.0, 1.0);
    vec2 at = vBody.xy + n.xy * vBody.w;
    float over = unionAt(at, 0.0) - height, beside = unionAt(at + n.xy * 0.35 * vBody.w, 1.0) - height;
    float buried = ramp(0.06, 0.22, over), seam = ramp(0.05, 0.5, beside);
    float foot = 0.45 * exp(-6.0 * height); // the meniscus at the wall
    float haze = (0.2 + 0.75 * rim * rim + foot) * mix(1.0, 0.25, buried);
    float sun = 0.55 + 0.45 * dot(n, uSun.xyz);
    vec3 white = vec3(0.90, 0.98, 1.04) * (1.15 + 1.2 * sun) * (0.8 + 0.2 * height);
    white *= mix(1.0, 0.5, seam * (1.0 - buried));
    vec3 light = white * haze + sky(shine) * film * (1.0 - 0.5 * buried);
    float glint = back ? 0.0 : min(4.0 * exp(-(1.0 - dot(shine, uSun.xyz)) * 220.0), 1.0) * (1.0 - buried);
    return vec4(light + 2.5 * glint, clamp(max(haze + film + 0.10 * seam, glint), 0.0, 0.95));
}

void main()
{
    vec3 d = normalize(vAt - uEye.xyz), o = (uEye.xyz - vBody.xyz) / vBody.w;
    float b = dot(o, d), off = length(o - b * d), soft = min(uAcross.w * length(vAt - uEye.xyz) / vBody.w, 0.5);
    float cover = ramp(1.0 + 0.5 * soft, 1.0 - soft, off), reach = sqrt(max(1.0 - off * off, 0.0));
    vec3 base = vec3(vState.xy, sqrt(max(1.0 - dot(vState.xy, vState.xy), 0.1)));
    vec3 near = o + d * (-b - reach), far = o + d * (-b + reach);
    float edge = dot(near, base);
    cover *= ramp(-1.2 * soft - 0.02, 0.4 * soft + 0.02, edge) * vState.z;
    if (cover <= 0.003) discard;
    vec4 front = shell(near, d, base, false), behind = vec4(0.0);
    WHEN(dot(far, base) > 0.0) behind = shell(far, d, base, true);
    vec3 light = front.rgb + (1.0 - front.a) * behind.rgb;
    float hidden = 1.0 - (1.0 - front.a) * (1.0 - behind.a);
    // Divide by the opacity, so that tone mapping gets the full colour.
    vec3 c = develop(light / max(hidden, 0.02));
    fragment = vec4(c, hidden * cover);
}
`;
