# SPDX-License-Identifier: Apache-2.0
"""What spume import made of a cache that Blender baked (blender_bake.py), against Blender's own particles.

    python3 import_reads.py RUN particles.npz NAME

For every frame of the fall: speed is g t within 1 %; the surface lies within one voxel of the outermost particles on
all six sides and no particle is farther than a voxel outside of it; the median speed at the particles is that of the
particles within 5 %. Blender's velocities are in a unit of its own, which is measured by how far the particles get
from the first frame to the last (Blender moves them on by the velocity that a frame stores).
"""
import sys

import h5py
import numpy as np

GRAVITY = 9.81


def load(path):
    """Distance and velocity as dense arrays [x, y, z], the index of their first voxel, voxel and origin."""
    with h5py.File(path, "r") as f:
        h, origin = float(f.attrs["voxel"]), f.attrs["origin"][:]
        surface = f["fields/surface/coordinates"][:]
        low, high = 8 * surface.min(0), 8 * surface.max(0) + 8
        dense = {}
        for name, empty in (("surface", f["fields/surface/values"][:].max()), ("velocity", np.nan)):
            at, values = f[f"fields/{name}/coordinates"][:], f[f"fields/{name}/values"][:]
            out = np.full((*(high - low), values.shape[2]), empty, np.float64)
            for t, v in zip(at, values):
                a = 8 * t - low
                if (a >= 0).all() and (8 * t + 8 <= high).all():
                    out[a[0]:a[0] + 8, a[1]:a[1] + 8, a[2]:a[2] + 8] = v.reshape(8, 8, 8, -1).transpose(2, 1, 0, 3)
            dense[name] = out
        assert f["fields/velocity"].attrs["staggered"] == 1
        return dense["surface"][..., 0], dense["velocity"], low, h, origin


def sample(values, g):
    """Trilinear at places g counted in values; NaN beyond."""
    base = np.clip(np.floor(g).astype(int), 0, np.array(values.shape) - 2)
    f = g - base
    total = np.zeros(len(g))
    for n in range(8):
        bit = np.array([n & 1, n >> 1 & 1, n >> 2])
        total += np.prod(np.where(bit, f, 1 - f), 1) * values[tuple((base + bit).T)]
    return total


def extents(phi, low, h, origin):
    """Where the surface is first and last met along each axis, m."""
    out = np.empty((2, 3))
    for a in range(3):
        p = np.moveaxis(phi, a, 0)
        cut = (p[:-1] < 0) != (p[1:] < 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.arange(len(p) - 1).reshape(-1, 1, 1) + p[:-1] / (p[:-1] - p[1:])
        at = at[cut]
        out[:, a] = origin[a] + h * (low[a] + 0.5 + np.array([at.min(), at.max()]))
    return out


def to_ours(x):
    """Blender's z is up: (x, y, z) is our (x, z, -y)."""
    return np.stack([x[:, 0], x[:, 2], -x[:, 1]], 1)


def main():
    run, baked, name = sys.argv[1:]
    particles = np.load(baked)
    fps = float(particles["fps"])
    frames = sorted(int(k[6:]) for k in particles if k.startswith("place_"))
    way = particles[f"place_{frames[-1]}"].mean(0) - particles[f"place_{frames[0]}"].mean(0)
    mean = sum(particles[f"velocity_{frame}"].mean(0) for frame in frames[:-1]) / fps
    unit = np.linalg.norm(way) / np.linalg.norm(mean)
    worst = dict.fromkeys(("g t", "side", "outside", "median speed"), 0.0)
    for frame in frames:
        phi, u, low, h, origin = load(f"{run}/frames/{frame:06d}.h5")
        x = to_ours(particles[f"place_{frame}"])
        g = (x - origin) / h - low - 0.5

        wet = phi < -h  # faces on both sides have water
        fall = -np.nanmean(u[wet][:, 1])
        worst["g t"] = max(worst["g t"], abs(fall / (GRAVITY * frame / fps) - 1))

        sides = np.abs(extents(phi, low, h, origin) - np.array([x.min(0), x.max(0)])) / h
        worst["side"] = max(worst["side"], sides.max())
        worst["outside"] = max(worst["outside"], sample(phi, g).max() / h)

        at_particles = np.stack([sample(u[..., a], g + 0.5 * (np.arange(3) == a)) for a in range(3)], 1)
        ours = np.nanmedian(np.linalg.norm(at_particles, axis=1))
        theirs = unit * np.median(np.linalg.norm(particles[f"velocity_{frame}"], axis=1))
        worst["median speed"] = max(worst["median speed"], abs(ours / theirs - 1))
    print(f"import_reads: {name}: free fall off by {100 * worst['g t']:.2f} %, sides by {worst['side']:.2f} voxels, "
          f"particles at most {worst['outside']:.2f} voxels outside, median speed off by "
          f"{100 * worst['median speed']:.2f} %")
    assert worst["g t"] < 0.01 and worst["side"] < 1 and worst["outside"] < 1 and worst["median speed"] < 0.05


main()
