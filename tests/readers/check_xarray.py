"""Snapshots through xarray: dimensions, coordinates, attributes, and one dataset over time."""
import warnings

import h5netcdf
import numpy as np
import xarray as xr

from cases import AXES, TIMES, TITLE, folders, same, snapshots


def check(case, dataset, fields=("u", "flux")):
    same("title", dataset.attrs["title"], TITLE)
    same("variables", sorted(dataset.data_vars), sorted(fields))
    same("coordinates", sorted(dataset.coords), ["time", "x", "y", "z"])
    for axis in AXES:
        same(f"coordinate {axis}", dataset[axis].values, case.centres(axis), 1e-14)
    for field in fields:
        expected = case.value(field, dataset.x, dataset.y, dataset.z)
        found = dataset[field]
        same(f"{field} attributes", {"units", "long_name"} <= set(found.attrs), True)
        expected = expected.broadcast_like(found).transpose(*found.dims)
        same(field, found.values, expected.values, case.tolerance())


def main():
    warnings.simplefilter("error", xr.SerializationWarning)
    count = 0
    for case, folder in folders():
        paths = snapshots(folder)
        for path, time in zip(paths, TIMES):
            with xr.open_dataset(path, engine="h5netcdf") as dataset:
                same("dimensions", dataset.u.dims, ("z", "y", "x"))
                same("time", float(dataset.time), time, 1e-15)
                check(case, dataset)
                count += 1
        pieces = [xr.open_dataset(path, engine="h5netcdf") for path in paths]
        ways = {"concat": xr.concat(pieces, dim="time")}
        try:
            import dask  # noqa: F401
        except ImportError:
            pass
        else:
            ways["open_mfdataset"] = xr.open_mfdataset(paths, engine="h5netcdf", combine="nested",
                                                       concat_dim="time")
        for way, joined in ways.items():
            same(f"dimensions after {way}", joined.u.dims, ("time", "z", "y", "x"))
            same(f"times after {way}", joined.time.values, TIMES, 1e-15)
            check(case, joined)
            same(f"a place after {way}",
                 float(joined.u.sel(time=0.26, method="nearest").isel(z=-1, y=-1, x=-1)),
                 case.value("u", *(case.centres(a)[-1] for a in "xyz")), case.tolerance())
    print(f"xarray {xr.__version__} with h5netcdf {h5netcdf.__version__}, numpy {np.__version__}: "
          f"{count} snapshots and {len(folders())} series right ({', '.join(ways)})")


main()
