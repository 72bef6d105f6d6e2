# SPDX-License-Identifier: Apache-2.0
"""VTK, which is ParaView's reader, finds in the files of `spume export --to vtk` what Spume says of the frames.

    vtk_reads.py VTK_DIRECTORY FRAME.JSON...

FRAME.JSON is `spume info FRAME.h5 --json`. Values are floats printed with nine digits: 1e-6 of the value; means may
add up in another order: 1e-5.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read(path):
    reader = vtk.vtkXMLPolyDataReader() if path.endswith(".vtp") else vtk.vtkXMLStructuredGridReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def compare(name, values, column):
    values = values.reshape(len(values), -1).astype(np.float64)
    for c in range(values.shape[1]):
        for what, got, room in (("min", values[:, c].min(), 1e-6), ("max", values[:, c].max(), 1e-6),
                                ("mean", values[:, c].mean(), 1e-5), ("median", np.median(values[:, c]), 1e-6)):
            wanted = column[what][c]
            assert abs(got - wanted) <= room * max(1.0, abs(wanted)), (name, what, c, got, wanted)


def check_set(directory, name, frame, facts):
    data = read(f"{directory}/{name}.{frame:06}.vtp")
    assert data.GetNumberOfPoints() == data.GetNumberOfVerts() == facts["count"], (name, facts["count"])
    if facts["count"] == 0:
        return 0
    compare(f"{name} position", vtk_to_numpy(data.GetPoints().GetData()), facts["columns"]["position"])
    for column in facts["columns"]:
        if column != "position":
            array = data.GetPointData().GetArray(column)
            assert array is not None, (name, column)
            compare(f"{name} {column}", vtk_to_numpy(array), facts["columns"][column])
    assert data.GetPointData().GetArray("pscale") is not None
    return facts["count"]


def check_height(directory, frame, fields):
    data = read(f"{directory}/height.{frame:06}.vts")
    assert data.GetNumberOfPoints() == fields["height"]["samples"]
    for name in ("height", "depth"):
        compare(name, vtk_to_numpy(data.GetPointData().GetArray(name)), fields[name]["values"])


def check_series(directory, name, frames):
    """The list that ParaView opens: one file a frame, with its time."""
    sets = ElementTree.parse(f"{directory}/{name}.pvd").getroot().findall("./Collection/DataSet")
    assert len(sets) >= len(frames), (name, len(sets))
    times = {entry.get("file"): float(entry.get("timestep")) for entry in sets}
    for facts in frames:
        file = [f for f in times if f.split(".")[1] == f"{facts['frame']:06}"]
        assert len(file) == 1 and abs(times[file[0]] - facts["time"]) < 1e-8, (name, file)
        read(f"{directory}/{file[0]}")


def main():
    directory, frames = sys.argv[1], [json.load(open(path)) for path in sys.argv[2:]]
    total = 0
    for facts in frames:
        for name, set_facts in facts["sets"].items():
            total += check_set(directory, name, facts["frame"], set_facts)
        if "height" in facts["fields"]:
            check_height(directory, facts["frame"], facts["fields"])
    for name in list(frames[0]["sets"]) + (["height"] if "height" in frames[0]["fields"] else []):
        check_series(directory, name, frames)
    print(f"vtk_reads: {len(frames)} frames, {total} particles as Spume has them (VTK {vtk.VTK_VERSION})")


main()
