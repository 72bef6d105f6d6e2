// SPDX-License-Identifier: Apache-2.0
/// Surfaces that are known exactly, and particles on them.
#include "validate/foam/proofs.h"

/// ---- Surfaces ----------------------------------------------------------------------------------

double foam_wave_number(const foam_surface *s)
{
    return 2.0 * SP_PI_D / s->wavelength;
}

double foam_wave_rate(const foam_surface *s)
{
    return sqrt(9.81 * foam_wave_number(s));
}

/// eta = A cos(kx - wt). The distance is over the vertical, times the cosine of the slope.
static double wave_at(const foam_surface *s, const double p[3], double gradient[3], double u[3])
{
    const double k = foam_wave_number(s), w = foam_wave_rate(s), phase = k * p[0] - w * s->t;
    const double eta = s->amplitude * cos(phase), slope = -s->amplitude * k * sin(phase);
    const double tilt = 1.0 / sqrt(1.0 + slope * slope), deep = exp(k * fmin(p[1], eta));
    u[0] = s->amplitude * w * deep * cos(phase);
    u[1] = s->amplitude * w * deep * sin(phase);
    u[2] = 0.0;
    gradient[0] = -slope * tilt;
    gradient[1] = tilt;
    gradient[2] = 0.0;
    return (p[1] - eta) * tilt;
}

/// (|q| - 1) |q|/|q/axis|, q = x/axis: exact on spheres, to first order near the surface of others.
static double ellipsoid_at(const foam_surface *s, const double p[3], double gradient[3],
                           double u[3])
{
    double size = 0.0, steep = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double q = p[a] / s->axes[a];
        size += q * q;
        gradient[a] = q / s->axes[a];
        steep += gradient[a] * gradient[a];
        u[a] = 0.0;
    }
    size = sqrt(size), steep = sqrt(steep);
    for (int a = 0; a < 3; ++a)
        gradient[a] /= steep;
    return (size - 1.0) * size / steep;
}

double foam_surface_at(const foam_surface *s, const double p[3], double gradient[3], double u[3])
{
    if (s->kind == FOAM_WAVE) return wave_at(s, p, gradient, u);
    if (s->kind == FOAM_ELLIPSOID) return ellipsoid_at(s, p, gradient, u);
    for (int a = 0; a < 3; ++a) {
        u[a] = s->u[a];
        gradient[a] = a == 1 ? 1.0 : 0.0;
    }
    return p[1] + (s->kind == FOAM_STEP && s->t > 0.0 ? s->amplitude : 0.0);
}

static sp_status prepare(void *user, double t, sp_error *err)
{
    foam_surface *s = user;
    (void)err;
    s->t = t;
    return SP_OK;
}

static void answer(const void *user, const sp_bulk_query *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const double p[3] = {q->x[i], q->y[i], q->z[i]};
        double gradient[3], u[3];
        const double phi = foam_surface_at(user, p, gradient, u);
        if (q->phi) q->phi[i] = (float)phi;
        for (int a = 0; a < 3; ++a) {
            if (q->gradient[a]) q->gradient[a][i] = (float)gradient[a];
            if (q->u[a]) q->u[a][i] = (float)u[a];
        }
    }
}

sp_bulk foam_surface_bulk(foam_surface *s)
{
    return (sp_bulk){.user = s,
                     .first = -1.0,
                     .last = 1e9,
                     .voxel = 0.01f,
                     .prepare = prepare,
                     .answer = answer};
}

/// ---- Particles ---------------------------------------------------------------------------------

static bool reserve(foam_case *c, size_t n)
{
    bool good = true;
    sp_foam_particles *p = &c->p;
    p->count = n;
    for (int a = 0; a < 3; ++a) {
        p->x[a] = sp_allocate(c->host, n, sizeof(double));
        p->v[a] = sp_allocate(c->host, n, sizeof(float));
        good = good && p->x[a] && p->v[a];
    }
    p->radius = c->radius = sp_allocate(c->host, n, sizeof(float));
    p->id = c->id = sp_allocate(c->host, n, sizeof(uint64_t));
    p->speed = sp_allocate(c->host, n, sizeof(float));
    p->lost = sp_allocate(c->host, n, 1);
    return good && p->radius && p->id && p->speed && p->lost;
}

sp_status foam_case_again(foam_case *c, sp_error *err)
{
    sp_foam_close(c->foam);
    return sp_foam_open(&c->def, c->host, &c->foam, err);
}

/// The case must stay where it is: its world points into it.
sp_status foam_case_open(foam_case *c, size_t n, float r, const sp_host *host, sp_error *err)
{
    *c = (foam_case){.host = host};
    sp_keys_defaults(&sp_foam_keys, &c->def);
    c->bulk = foam_surface_bulk(&c->surface);
    c->world.bulk = &c->bulk;
    if (!reserve(c, n)) {
        foam_case_close(c);
        return sp_fail(err, SP_NO_MEMORY, "foam: no memory for %zu particles", n);
    }
    for (size_t i = 0; i < n; ++i) {
        c->radius[i] = r;
        c->id[i] = i + 1;
        c->p.speed[i] = -1.0f;
    }
    return foam_case_again(c, err);
}

void foam_case_close(foam_case *c)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(c->host, c->p.x[a]);
        sp_release(c->host, c->p.v[a]);
    }
    sp_release(c->host, c->radius);
    sp_release(c->host, c->id);
    sp_release(c->host, c->p.speed);
    sp_release(c->host, c->p.lost);
    sp_foam_close(c->foam);
}

void foam_case_layer(foam_case *c, size_t side, double spacing)
{
    for (size_t i = 0; i < c->p.count; ++i) {
        const double row = (double)(i / side), column = (double)(i % side);
        c->p.x[0][i] = spacing * (column + 0.5 * (double)(i / side % 2) - 0.5 * (double)side);
        c->p.x[1][i] = 0.0;
        c->p.x[2][i] = spacing * sqrt(0.75) * (row - 0.5 * (double)side);
    }
}

static double distance(const foam_case *c, size_t i, size_t k)
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a)
        sum += (c->p.x[a][i] - c->p.x[a][k]) * (c->p.x[a][i] - c->p.x[a][k]);
    return sqrt(sum);
}

static bool overlaps(const foam_case *c, size_t i)
{
    for (size_t k = 0; k < i; ++k)
        if (distance(c, i, k) < 0.9 * (double)(c->radius[i] + c->radius[k])) return true;
    return false;
}

void foam_case_scatter(foam_case *c, double cover, uint64_t seed)
{
    double area = 0.0;
    for (size_t i = 0; i < c->p.count; ++i)
        area += SP_PI_D * (double)c->radius[i] * (double)c->radius[i];
    const double side = sqrt(area / cover);
    for (size_t i = 0; i < c->p.count; ++i)
        for (uint32_t n = 0; n == 0 || (overlaps(c, i) && n < 1000); ++n) {
            const sp_random4 random = sp_random(seed, 0, c->id[i], n, 0);
            c->p.x[0][i] = side * ((double)sp_unit(random.x[0]) - 0.5);
            c->p.x[1][i] = 0.0;
            c->p.x[2][i] = side * ((double)sp_unit(random.x[1]) - 0.5);
        }
}

sp_status foam_case_run(foam_case *c, double seconds, double dt, sp_error *err)
{
    const int steps = (int)lround(seconds / dt);
    for (int n = 0; n < steps; ++n) {
        SP_TRY(sp_foam_step(c->foam, &c->world, &c->p, c->t, dt, &c->figures, err));
        c->t += dt;
    }
    return SP_OK;
}

/// ---- Measuring ---------------------------------------------------------------------------------

double foam_case_spacing(const foam_case *c)
{
    double rim = 0.0, sum = 0.0, count = 0.0;
    const size_t n = c->p.count;
    for (size_t i = 0; i < n; ++i)
        rim = fmax(rim, hypot(c->p.x[0][i], c->p.x[2][i]));
    for (size_t i = 0; i < n; ++i) {
        double nearest = HUGE_VAL;
        if (hypot(c->p.x[0][i], c->p.x[2][i]) > 0.5 * rim) continue;
        for (size_t k = 0; k < n; ++k)
            if (k != i) nearest = fmin(nearest, distance(c, i, k));
        sum += nearest / (2.0 * (double)c->radius[i]);
        count += 1.0;
    }
    return sum / count;
}

double foam_case_energy(const foam_case *c)
{
    double sum = 0.0;
    for (size_t i = 0; i < c->p.count; ++i)
        for (int a = 0; a < 3; ++a)
            sum += (double)c->p.v[a][i] * (double)c->p.v[a][i];
    return sum / (double)c->p.count;
}
