"""Readers that Debian 12 does not have, for a Python that has some of: vtk>=9.3, openpmd-validator, yt."""
import os
import subprocess
import sysconfig
from importlib.metadata import version

from cases import TIMES, folders, same, snapshots


def check_vtk():
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    for case, folder in folders():
        for path in snapshots(folder):
            reader = vtk.vtkHDFReader()
            same(path + " can be read", bool(reader.CanReadFile(path)), True)
            reader.SetFileName(path)
            reader.Update()
            image = reader.GetOutput()
            same(path, image.GetClassName(), "vtkImageData")
            same(path + " bounds", image.GetBounds(),
                 [edge for a in "xyz" for edge in (case.lower[a], case.upper[a])], 1e-14)
            centres = vtk.vtkCellCenters()
            centres.SetInputData(image)
            centres.Update()
            x, y, z = vtk_to_numpy(centres.GetOutput().GetPoints().GetData()).T.astype(float)
            for field in ("u", "flux"):
                same(f"{path} {field}", vtk_to_numpy(image.GetCellData().GetArray(field)),
                     case.value(field, x, y, z), max(1e-6, case.tolerance()))
    return f"VTK {vtk.vtkVersion.GetVTKVersion()}: values and bounds of the .vtkhdf files right"


def check_validator():
    import openpmd_validator  # noqa: F401
    program = os.path.join(sysconfig.get_path("scripts"), "openPMD_check_h5")
    for _, folder in folders():
        for path in snapshots(folder):
            said = subprocess.run([program, "-i", path], capture_output=True, text=True, check=False)
            same(path + " is openPMD: " + said.stdout, " 0 Errors" in said.stdout, True)
    return f"openPMD-validator {version('openPMD-validator')}: no errors"


def check_yt():
    import numpy as np
    import yt
    yt.set_log_level("error")
    for case, folder in folders():
        for path, time in zip(snapshots(folder), TIMES):
            data = yt.load(path)
            same(path + " time", float(data.current_time), time, 1e-15)
            same(path + " fields", sorted(f[1] for f in data.field_list), ["flux", "u"])
            cells = data.all_data()
            found = np.sort(np.asarray(cells["openPMD", "u"], dtype=float))
            x, y, z = np.meshgrid(*(case.centres(a) for a in "xyz"), indexing="ij")
            same(path, found, np.sort(case.value("u", x, y, z).ravel()), case.tolerance())
    return f"yt {yt.__version__}: times and values right"


def check_netcdf():
    import netCDF4
    for case, folder in folders():
        for path, time in zip(snapshots(folder), TIMES):
            with netCDF4.Dataset(path) as data:
                same(path + " dimensions", data["u"].dimensions, ("z", "y", "x"))
                same(path + " time", float(data["time"][...]), time, 1e-15)
                same(path + " x", data["x"][:], case.centres("x"), 1e-14)
    return f"netCDF4 {netCDF4.__version__} (netCDF {netCDF4.__netcdf4libversion__}): right"


def main():
    for check in (check_vtk, check_validator, check_yt, check_netcdf):
        try:
            print(check())
        except ImportError as error:
            print(f"{check.__name__[6:]}: left out, {error.name} is not there")


main()
