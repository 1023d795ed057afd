"""The XDMF index through ParaView (pvpython): the reader it opens .xdmf with, and the others it has."""
import os

import paraview.simple as pv
from paraview import servermanager, vtk
from vtkmodules.util.numpy_support import vtk_to_numpy

from cases import TIMES, folders, same

READERS = {"the default reader": lambda path: pv.OpenDataFile(path)}
if hasattr(pv, "XDMFReader"):
    READERS["XDMFReader"] = lambda path: pv.XDMFReader(FileNames=[path])
for name in ("Xdmf3ReaderS", "Xdmf3ReaderT"):
    if hasattr(pv, name):
        READERS[name] = lambda path, name=name: getattr(pv, name)(FileName=[path])


def check(case, image, where):
    """Compares with the expression at the places where ParaView itself sees the cells."""
    bounds = [edge for a in "xyz" for edge in (case.lower[a], case.upper[a])]
    same(where + " bounds", image.GetBounds(), bounds, 1e-14)
    same(where + " dimensions", image.GetDimensions(), [case.cells[a] + 1 for a in "xyz"])
    centres = vtk.vtkCellCenters()
    centres.SetInputData(image)
    centres.Update()
    x, y, z = vtk_to_numpy(centres.GetOutput().GetPoints().GetData()).T.astype(float)
    for field in ("u", "flux"):
        array = image.GetCellData().GetArray(field)
        same(f"{where} has cell data {field}", array is not None, True)
        values = vtk_to_numpy(array)
        same(f"{where} type of {field}", values.dtype.itemsize, 8 if case.precision == "double" else 4)
        # Places are single precision here.
        same(f"{where} {field}", values, case.value(field, x, y, z), max(1e-6, case.tolerance()))


def main():
    used = set()
    for case, folder in folders():
        # Xdmf3 joins a bare "fields.xdmf" and the names in it without a slash: give it a folder.
        path = os.path.abspath(os.path.join(folder, "fields.xdmf"))
        for name, make in READERS.items():
            reader = make(path)
            reader.UpdatePipelineInformation()
            where = f"{case.name} with {name} ({reader.GetXMLName()})"
            used.add(reader.GetXMLName())
            same(where + " times", list(reader.TimestepValues), TIMES, 1e-15)
            for time in TIMES:
                reader.UpdatePipeline(time)
                check(case, servermanager.Fetch(reader), f"{where} at {time:g}")
            place = pv.ProbeLocation(Input=reader, ProbeType="Fixed Radius Point Source")
            place.ProbeType.Center = [case.centres(a)[-1] for a in "xyz"]
            place.ProbeType.Radius = 0.0
            place.UpdatePipeline(TIMES[-1])
            probed = servermanager.Fetch(place).GetPointData().GetArray("u").GetValue(0)
            same(where + " probed", probed, case.value("u", *place.ProbeType.Center),
                 case.tolerance())
            pv.Delete(place)
            pv.Delete(reader)
    print(f"ParaView {servermanager.vtkSMProxyManager.GetParaViewSourceVersion().split()[-1]}: "
          f"{len(folders())} XDMF indices of {len(TIMES)} times right "
          f"({', '.join(sorted(used))}; default: {type(pv.OpenDataFile(path)).__name__})")


main()
