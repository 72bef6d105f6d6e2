// SPDX-License-Identifier: Apache-2.0
/// Light in the water: the floor with its objects, and a ray that is traced from the surface or a pane to what it
/// hits, with reflections at the walls.

export const SURFACE_READ = `
uniform sampler2D uSurface, uGround;

/// Height above the rest level, slopes along x and y, and wetness.
vec4 surfaceAt(vec2 p) { return textureLod(uSurface, p * uSurfaceGrid.xy + uSurfaceGrid.zw, 0.0); }
/// Height above the lowest floor, and slopes.
vec4 groundAt(vec2 p) { return textureLod(uGround, p * uGroundGrid.xy + uGroundGrid.zw, 0.0); }
vec3 normalOf(vec4 at) { return normalize(vec3(-at.yz, 1.0)); }
`;

/// uMap: foam height, foam cover, closeness to a nozzle, its state. uCaustics: sunlight that reaches the floor.
const FLOOR = `
/// Mip level of the caustics: the sun has a disc, so its light is never quite sharp.
#ifdef MODEST
float causticBlur = 0.0;
#else
float causticBlur = 1.0;
#endif
uniform sampler2D uMap, uCaustics, uFloor;

vec3 tiles(vec2 p, float blur)
{
    vec2 u = p / uTank.w, i = floor(u), f = min(u - i, 1.0 - u + i);
    float tone = 0.76 + 0.2 * (hash(i, 1u) - 0.5);
    vec3 glaze = mix(vec3(0.64, 0.80, 0.84), vec3(0.82, 0.84, 0.78), hash(i, 2u)) * tone;
    float w = 0.035 + blur / uTank.w, body = ramp(0.018, 0.018 + w, min(f.x, f.y));
    return mix(vec3(0.36, 0.42, 0.44), glaze * (0.95 + 0.1 * ramp(0.0, 0.4, min(f.x, f.y))), body);
}

vec3 sand(vec2 p)
{
    float k = 90.0 / uSun.w;
    float ripple = noise(p * k * 0.25, 7u), grain = noise(p * k * 8.0, 8u);
    return mix(vec3(0.60, 0.51, 0.38), vec3(0.84, 0.76, 0.61), 0.6 * ripple + 0.4 * grain);
}

/// Sun and sky light on a point in the water; at is where the sunbeam through p would hit the floor.
vec3 lightBelow(vec3 p, vec3 n, vec2 at)
{
    float depth = max(uSize.z + surfaceAt(p.xy).x - p.z, 0.0);
    // Beams that enter through a wall have no caustics: mirror the pattern there, so that it has no border.
    vec2 entry = p.xy + uSunBelow.xy / uSunBelow.z * depth;
    vec2 inside = uSize.xy - abs(uSize.xy - abs(entry));
    float focus = textureLod(uCaustics, (at + inside - entry) / uSize.xy, causticBlur).r;
    float caustic = 0.16 + 1.15 * max(focus, 0.0) / (1.0 + 0.16 * focus);
    vec2 wall = min(p.xy, uSize.xy - p.xy);
    float open = 1.0 - 0.3 * exp(-max(min(wall.x, wall.y), 0.0) / (0.05 * uSun.w));
    for (int k = 0; k < int(uCounts.x); ++k) {
        open *= 1.0 - 0.55 * exp(-max(outline(k, p.xy), 0.0) / (0.035 * uSun.w)) * step(0.5, n.z);
    }
    vec3 sun = SUNLIGHT * 0.52 * max(dot(n, uSunBelow.xyz), 0.0) * caustic;
    return (sun + SKYLIGHT * 0.41 * open) * exp(-1.15 * depth * uWater.rgb);
}

/// Brass rings about the nozzles' holes: bright when air comes, dull when off, grey on dry ground.
void addNozzles(vec2 p, inout vec3 albedo)
{
    vec4 map = textureLod(uMap, p / uSize.xy, 0.0);
    float far = (1.0 - map.b) * 1.6; // in nozzle radii
    WHEN(far < 1.5) {
        // Water absorbs red: a red albedo above 1 makes up for it.
        vec3 brass = map.a > 0.8 ? vec3(3.0, 0.86, 0.42) : map.a > 0.5 ? vec3(1.0, 0.40, 0.24) : vec3(0.42);
        float ring = ramp(1.08, 0.94, far), hole = ramp(0.48, 0.36, far);
        albedo = mix(albedo, brass * (0.75 + 0.5 * ramp(0.5, 0.8, far) * ramp(1.0, 0.85, far)), ring);
        albedo = mix(albedo * mix(1.0, 0.7, ramp(1.5, 1.0, far) * (1.0 - ring)), vec3(0.08), hole);
    }
}

/// Heaters: dark iron plates that glow in rings, with a halo in the water around them.
vec3 addHeaters(vec3 p, inout vec3 albedo)
{
    vec3 glow = vec3(0.0);
    for (int k = 0; k < int(uCounts.y); ++k) {
        vec4 a = uHeaters[2 * k], b = uHeaters[2 * k + 1];
        float far = length(p.xy - a.xy) / a.w, disc = ramp(1.02, 0.98, far);
        disc *= ramp(0.4, 0.2, abs(p.z - a.z) / a.w); // the plate is level even if the ground is not
        float coil = 0.5 + 0.5 * cos(far * 37.7), body = 1.0 - 0.75 * far * far;
        float halo = exp(-2.4 * max(far - 0.9, 0.0));
        albedo *= mix(vec3(1.0), vec3(1.0, 0.45, 0.35), 0.8 * halo * b.x);
        float plate = disc * b.x; // not drawn when cold: it would look like a stain
        albedo = mix(albedo, vec3(0.09, 0.085, 0.085) * (0.85 + 0.3 * coil), plate);
        albedo = mix(albedo, vec3(0.45), plate * ramp(0.93, 0.96, far) * 0.7);
        vec3 hot = mix(vec3(2.6, 0.03, 0.01), vec3(4.2, 0.36, 0.03), body);
        hot *= (0.62 + 0.38 * coil) * (0.35 + 0.65 * body) * disc * ramp(1.0, 0.88, far);
        glow += b.x * b.y * (hot + vec3(1.0, 0.05, 0.0) * halo);
    }
    return glow;
}

/// A ring around the hovered or grabbed heater or nozzle.
float markBelow(vec2 p)
{
    int i = int(uMark.y), kind = int(uMark.x);
    if (kind == 0 && i < int(uCounts.y)) {
        float off = length(p - uHeaters[2 * i].xy) - 1.12 * uHeaters[2 * i].w;
        return ramp(0.006, 0.002, abs(off) / uSun.w) * uMark.z;
    }
    return 0.0;
}

/// Colour of the floor at p, seen from distance far.
vec3 floorShade(vec3 p, float far)
{
    vec3 n = vec3(0, 0, 1), albedo;
    float rough = 0.0;
    WHEN(uSunBelow.w > 0.5) {
        vec4 g = groundAt(p.xy);
        n = normalOf(g);
        rough = ramp(0.004, 0.03, g.x / uSun.w + 0.5 * (1.0 - n.z));
    }
    albedo = tiles(p.xy, far * uAcross.w * 1.5);
    WHEN(rough > 0.0) albedo = mix(albedo, 0.85 * sand(p.xy), rough);
    addNozzles(p.xy, albedo);
    vec3 glow = addHeaters(p, albedo);
    return albedo * lightBelow(p, n, p.xy) + glow + vec3(0.5, 1.2, 1.4) * markBelow(p.xy);
}

/// In modest mode the floor is shaded once, from above, and looked up here.
vec3 floorLight(vec3 p, float far)
{
#ifdef MODEST
    float texel = uSize.x / float(textureSize(uFloor, 0).x);
    vec3 root = textureLod(uFloor, p.xy / uSize.xy, round(log2(max(1.3 * far * uAcross.w / texel, 1.0)))).rgb;
    return 5.0 * root * root;
#else
    return floorShade(p, far);
#endif
}
`;

const RAY = `
/// Distance at which a ray hits the ground before t, else t.
float meetGround(vec3 o, vec3 d, float t)
{
    float bottom = d.z < -1e-4 ? (uSize.w - o.z) / d.z : t;
    float last = 0.0, end = min(bottom, t), stride = end / 18.0;
    int steps = uSunBelow.w > 0.5 ? 18 : 0;
    for (int k = 1; k <= steps; ++k) {
        float s = stride * float(k);
        vec3 p = o + s * d;
        if (p.z - uSize.w < groundAt(p.xy).x) {
            for (int n = 0; n < 4; ++n) {
                float middle = 0.5 * (last + s);
                p = o + middle * d;
                if (p.z - uSize.w < groundAt(p.xy).x) s = middle;
                else last = middle;
            }
            return s;
        }
        last = s;
    }
    return end;
}

/// Approximate radiance along a ray in the water without tracing it: Snell's window above, lit floor or wall below.
vec3 glance(vec3 d)
{
    float deep = uSize.z - uSize.w;
    vec3 ground = 0.6 * exp(-2.0 * deep * uWater.rgb), wall = vec3(0.20, 0.42, 0.50) * exp(-0.5 * deep * uWater.rgb);
    vec3 seen = mix(wall, ground, d.z > 0.0 ? ramp(0.1, 0.6, d.z) : ramp(0.0, 0.5, -d.z));
    WHEN(d.z > 0.0) seen = mix(sky(refract(d, vec3(0, 0, -1), WATER)), seen, fresnel(d.z, 1.0 / WATER));
    return seen;
}

vec3 obstacleBelow(int k, vec3 p, vec3 d)
{
    vec3 n = vec3(outlineNormal(k, p.xy), 0.0);
    vec2 at = p.xy - uSunBelow.xy / uSunBelow.z * (p.z - uSize.w);
    float facing = max(dot(n, uSunBelow.xyz), 0.0);
    vec3 c = stone(p) * (lightBelow(p, n, at) * mix(0.35, 1.0, ramp(0.0, 0.3, facing)) + 0.06);
    return c + 0.35 * fresnel(max(-dot(n, d), 0.0), 1.1) * glance(reflect(d, n));
}

/// Sunlight scattered between a and b: brighter near the surface, with shafts below its crests.
float shafts(vec3 a, vec3 b)
{
    float high = 1.0 + 0.5 * clamp((0.5 * (a.z + b.z) - uSize.w) / (uSize.z - uSize.w), 0.0, 1.0);
#ifdef MODEST
    return high;
#else
    float sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        vec3 p = mix(a, b, 0.12 + 0.22 * float(k));
        vec2 at = p.xy - uSunBelow.xy / uSunBelow.z * (p.z - uSize.w);
        sum += textureLod(uCaustics, at / uSize.xy, 2.0).r;
    }
    return high * (0.35 + 0.26 * sum);
#endif
}

/// Traces a ray that starts in the water. bounces limits the reflections at walls.
vec3 traceWater(vec3 o, vec3 d, int bounces)
{
    vec3 light = vec3(0.0), weight = vec3(1.0);
    float far = length(o - uEye.xyz);
    for (int k = 0; k < 4; ++k) {
        vec2 side = vec2(d.x > 0.0 ? uSize.x - o.x : -o.x, d.y > 0.0 ? uSize.y - o.y : -o.y);
        vec2 least = vec2(d.x < 0.0 ? -1e-5 : 1e-5, d.y < 0.0 ? -1e-5 : 1e-5);
        vec2 ts = side / mix(d.xy, least, lessThan(abs(d.xy), vec2(1e-5)));
        float wall = max(min(ts.x, ts.y), 0.0), t = wall;
        if (d.z > 0.0) t = min(t, max(uSize.z - o.z, 0.0) / d.z);
        float up = t;
        t = meetGround(o, d, t);
        bool ground = t < up || d.z < 0.0 && o.z + t * d.z < uSize.w + 1e-5;
        int obstacle = meetObstacle(o, d, t);
        vec3 p = o + t * d;
        // In-scattering: water adds a little light, less with depth.
        vec3 kept = exp(-uWater.rgb * t);
        light += weight * vec3(0.05, 0.25, 0.35) * (1.0 - kept.b) * (0.45 + 0.45 * kept) * shafts(o, p);
        weight *= kept;
        far += t;
        bool free = obstacle < 0 && !ground, upwards = free && t < wall;
        WHEN(obstacle >= 0) light += weight * obstacleBelow(obstacle, p, d);
        WHEN(obstacle < 0 && ground) light += weight * floorLight(p, far);
        if (!free) weight = vec3(0.0);
        if (!free || upwards) break;
        vec3 n = ts.x < ts.y ? vec3(d.x > 0.0 ? -1 : 1, 0, 0) : vec3(0, d.y > 0.0 ? -1 : 1, 0);
        float mirrored = fresnel(-dot(d, n), 1.0 / WATER);
        WHEN(mirrored < 1.0) light += weight * (1.0 - mirrored) * backdrop(refract(d, n, WATER));
        weight *= mirrored * vec3(0.80, 0.88, 0.88); // walls are not perfectly clean
        d = reflect(d, n);
        o = p;
        if (k >= bounces || mirrored < 0.05) break;
    }
    WHEN(weight.b > 0.0) light += weight * glance(d);
    return light;
}
`;

/// Needs FRAME, LIGHT and ROOM before it.
export const WATER_TRACE = SURFACE_READ + FLOOR + RAY;
