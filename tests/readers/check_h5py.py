"""Snapshots through h5py: what is in them, of which type and shape, and that no value is there twice."""
import json
import os

import h5py
import numpy as np

from cases import AXES, STEPS, TIMES, TITLE, folders, same, snapshots


def text(value):
    return value.decode("utf-8") if isinstance(value, bytes) else value


def check_attribute(owner, name, expected):
    where = f"{owner.file.filename}: attribute {name} of {owner.name}"
    same(where + " is there", name in owner.attrs, True)
    value = owner.attrs[name]
    if isinstance(expected, str):
        same(where, text(value), expected)
    elif isinstance(expected, list) and isinstance(expected[0], str):
        same(where, [text(v) for v in value], expected)
    else:
        kind = {"f": "f", "i": "iu", "u": "iu"}[np.asarray(expected).dtype.kind]
        same(where + " has the right kind", np.asarray(value).dtype.kind in kind, True)
        same(where, value, expected, 1e-15)


def check_vtkhdf(case, file):
    vtk = file["VTKHDF"]
    check_attribute(vtk, "Type", "ImageData")
    kind = vtk.attrs.get_id("Type").get_type()
    same("Type is a text of fixed length", kind.is_variable_str(), False)
    same("Type is ASCII", kind.get_cset(), h5py.h5t.CSET_ASCII)
    check_attribute(vtk, "Version", [2, 0])
    check_attribute(vtk, "WholeExtent", [0, case.cells["x"], 0, case.cells["y"], 0, case.cells["z"]])
    check_attribute(vtk, "Origin", [case.lower[a] for a in "xyz"])
    check_attribute(vtk, "Spacing", [case.spacing[a] for a in "xyz"])
    check_attribute(vtk, "Direction", [1.0, 0, 0, 0, 1, 0, 0, 0, 1])


def check_openpmd(file, step, time):
    for name, value in {"openPMD": "1.1.0", "openPMDextension": np.uint32(0), "basePath": "/data/%T/",
                        "meshesPath": "fields/", "iterationEncoding": "fileBased",
                        "iterationFormat": "fields_%06T", "software": "xpsim"}.items():
        check_attribute(file, name, value)
    same("openPMDextension is an uint32", file.attrs["openPMDextension"].dtype, np.uint32)
    same("date is there", len(text(file.attrs["date"])), len("2026-01-01 00:00:00 +0000"))
    same("iterations", list(file["data"]), [str(step)])
    iteration = file[f"data/{step}"]
    check_attribute(iteration, "time", time)
    check_attribute(iteration, "timeUnitSI", 1.0)
    same("dt is a number", iteration.attrs["dt"].dtype.kind, "f")


def check_field(case, file, step, name):
    data = file[name]
    where = f"{file.filename}: {name}"
    z, y, x = np.meshgrid(*(case.centres(a) for a in AXES), indexing="ij")
    same(where + " type", data.dtype, np.dtype("<f8" if case.precision == "double" else "<f4"))
    same(where, data[()], case.value(name, x, y, z), case.tolerance())
    for n, axis in enumerate(AXES):
        same(where + f" scales of dimension {n}", list(data.dims[n].keys()), [axis])
        same(where + f" scale {axis}", data.dims[n][0][:], case.centres(axis), 1e-14)
    address = h5py.h5o.get_info(data.id).addr
    for link in (f"VTKHDF/CellData/{name}", f"data/{step}/fields/{name}"):
        same(f"{file.filename}: {link} is the same dataset as {name}",
             h5py.h5o.get_info(file[link].id).addr, address)
    for attribute, value in {
            "geometry": "cartesian", "dataOrder": "C", "axisLabels": ["z", "y", "x"],
            "gridSpacing": [case.spacing[a] for a in AXES],
            "gridGlobalOffset": [case.lower[a] for a in AXES], "gridUnitSI": 1.0, "unitSI": 1.0,
            "unitDimension": [0.0] * 7, "timeOffset": 0.0, "position": [0.5] * 3,
            "coordinates": "time"}.items():
        check_attribute(data, attribute, value)
    for attribute in ("units", "long_name"):
        same(f"{where} has {attribute}", attribute in data.attrs, True)


def main():
    count = 0
    for case, folder in folders():
        for path, step, time in zip(snapshots(folder), STEPS, TIMES):
            with h5py.File(path, "r") as file:
                same(path + ": title", text(file.attrs["title"]), TITLE)
                same(path + ": time", file["time"][()], time, 1e-15)
                check_vtkhdf(case, file)
                check_openpmd(file, step, time)
                for name in ("u", "flux"):
                    check_field(case, file, step, name)
                provenance = file["provenance"]
                for name in ("version", "kokkos", "backend"):
                    same(f"{path}: provenance has {name}", bool(text(provenance.attrs[name])), True)
                check_attribute(provenance, "precision", case.precision)
                same(path + ": step", int(np.ravel(provenance.attrs["step"])[0]), step)
                same(path + ": the input is in it", TITLE in text(provenance["input"][()]), True)
                count += 1
        with open(os.path.join(folder, "fields.vtkhdf.series"), encoding="utf-8") as file:
            index = json.load(file)
        same("names in the series", [f["name"] for f in index["files"]],
             [os.path.basename(p) for p in snapshots(folder)])
        same("times in the series", [f["time"] for f in index["files"]], TIMES, 1e-15)
    print(f"h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version}): {count} snapshots right")


main()
