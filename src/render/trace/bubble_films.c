// SPDX-License-Identifier: Apache-2.0
/// A bubble wall with air on both sides: a film so thin that it does not refract. Its two faces,
/// added without interference, reflect R = 2F/(1+F); that is a ninth of parallel light on a
/// sphere's disc. Foam films also scatter, mostly at grazing angles:
///     m(mu) = m0 + m1 (1-mu)^2.
/// This rim makes one bubble look like a ring and a layer of many bubbles white.
#include "render/trace/tracing.h"

static float lattice_value(int32_t x, int32_t y, int32_t z)
{
    return sp_unit(trace_mix((uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^
                             (uint32_t)z * 0xcb1ab31fu));
}

float trace_noise(sp_vec3 p)
{
    const float x = floorf(sp_clamp(p.x, -1e9f, 1e9f)), y = floorf(sp_clamp(p.y, -1e9f, 1e9f)),
                z = floorf(sp_clamp(p.z, -1e9f, 1e9f));
    const int32_t i = (int32_t)x, j = (int32_t)y, k = (int32_t)z;
    float f[3] = {p.x - x, p.y - y, p.z - z}, sum = 0.0f;
    for (int a = 0; a < 3; ++a)
        f[a] = f[a] * f[a] * (3.0f - 2.0f * f[a]);
    for (int c = 0; c < 8; ++c) {
        const float wx = c & 1 ? f[0] : 1.0f - f[0], wy = c & 2 ? f[1] : 1.0f - f[1],
                    wz = c & 4 ? f[2] : 1.0f - f[2];
        sum += wx * wy * wz * lattice_value(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
    }
    return sum;
}

/// Airy reflectance of a film of thickness d: bright where the waves from both faces add.
static sp_vec3 interference(float f, float cos_in_film, float n, float d_nm)
{
    static const float wavelength[3] = {610.0f, 550.0f, 465.0f}; // nm
    float r[3];
    for (int c = 0; c < 3; ++c) {
        const float s = sp_sinf(2.0f * SP_PI * n * d_nm * cos_in_film / wavelength[c]); // delta/2
        const float k = 4.0f * f * s * s, rest = (1.0f - f) * (1.0f - f);
        r[c] = k / (k + rest + 1e-12f);
    }
    return (sp_vec3){r[0], r[1], r[2]};
}

trace_film trace_film_at(const sp_trace_foam *foam, float n_water, float mu, const float milk[2],
                         sp_vec3 where)
{
    float cos_in_film;
    const float f = trace_fresnel(mu, 1.0f, n_water, &cos_in_film), r = 2.0f * f / (1.0f + f);
    trace_film film = {.reflect = {r, r, r}};
    if (foam->film_nm > 0.0f) {
        const float d = foam->film_nm * (0.7f + 0.6f * trace_noise(where));
        film.reflect = interference(f, cos_in_film, n_water, d);
    }
    if (milk) {
        const float rim = (1.0f - mu) * (1.0f - mu);
        film.milk = sp_clamp(milk[0] * foam->milk0 + milk[1] * foam->milk1 * rim, 0.0f, 1.0f);
    }
    return film;
}
