# SPDX-License-Identifier: Apache-2.0
"""The volume and the largest speed of imported water, against voxels that OpenVDB counts (vdb_count.cpp).

    python3 import_volume.py COUNTS RUN_FROM_PHI RUN_FROM_PARTICLES

In every frame the voxels with a negative distance are those counted (within 1 % from particles), and the two runs hold
the same volume within 5 %. Over the whole bake the volume inside the surface, which counts voxels in part, is that of
the counted voxels within 3 %, and so is the largest speed.
"""
import glob
import sys

import h5py
import numpy as np

UNITS = 2.5  # of Blender's time in a second


def frames(run):
    """For each frame: voxel, voxels of water, water_m3 and largest speed."""
    rows = []
    for path in sorted(glob.glob(run + "/frames/*.h5")):
        with h5py.File(path, "r") as f:
            stats = f["stats"].attrs
            water = np.count_nonzero(f["fields/surface/values"][:] < 0)
            rows.append((float(f.attrs["voxel"]), water, float(stats["water_m3"]), float(stats["speed_m_s"])))
    return np.array(rows)


def main():
    counts = np.loadtxt(sys.argv[1])
    phi, points = (frames(run) for run in sys.argv[2:4])
    assert len(phi) == len(points) == len(counts) > 0
    voxel = phi[0, 0]
    for name, rows, most in (("phi", phi, 0.0), ("particles", points, 0.01)):
        voxels = np.abs(rows[:, 1] / counts[:, 0] - 1).max()
        volume = rows[:, 2] / (counts[:, 0] * voxel**3) - 1
        whole = rows[:, 2].sum() / (counts[:, 0].sum() * voxel**3) - 1
        speed = rows[:, 3].max() / (UNITS * voxel * counts[:, 1].max()) - 1
        print(f"import_volume: {name}: voxels off by at most {100 * voxels:.2f} %, volume by {100 * volume.min():+.2f} to "
              f"{100 * volume.max():+.2f} % and in all by {100 * whole:+.2f} %, largest speed by {100 * speed:+.2f} %")
        assert voxels <= most and abs(whole) < 0.03 and abs(speed) < 0.03
    apart = np.abs(points[:, 2] / phi[:, 2] - 1).max()
    print(f"import_volume: from phi and from particles: apart by at most {100 * apart:.2f} %")
    assert apart < 0.05


main()
