"""Runs of the program on several ranks, for the tests of this folder."""

import glob
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

XPSIM = os.path.abspath(os.environ.get("XPSIM", "build/release/apps/xpsim/xpsim"))
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
# More ranks than cores, perhaps as root; a test that hangs is a failure and not the end of all tests.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               # The same for Open MPI 5.
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "PRTE_MCA_hwloc_default_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
TIMEOUT = 120


def command(ranks, *arguments, program=XPSIM):
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks > 0 else []
    return [*launcher, program, *map(str, arguments)]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="input.yaml"):
        (self.folder / name).write_text(text)
        return name

    def run_on(self, ranks, *arguments, code=0, **more):
        """0 ranks: without a launcher."""
        done = subprocess.run(command(ranks, *arguments), cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT, env=more.pop("env", ENVIRONMENT), **more)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{ranks} ranks, {arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def report(self, out="out"):
        return json.loads((self.folder / out / "report.json").read_text())

    def fields(self, out):
        """Every value of every snapshot of a folder, as bytes by file and field."""
        result = {}
        for path in sorted(glob.glob(str(self.folder / out / "fields_*.vtkhdf"))):
            with h5py.File(path) as file:
                for name, data in file["VTKHDF/CellData"].items():
                    result[os.path.basename(path), name] = data[()].tobytes()
        self.assertTrue(result, f"no snapshots in {out}")
        return result

    def assert_same_output(self, a, b, what):
        """Snapshots, their indices and the series of two runs are the same."""
        fields_a, fields_b = self.fields(a), self.fields(b)
        self.assertEqual(sorted(fields_a), sorted(fields_b), what)
        for key in fields_a:
            self.assertTrue(fields_a[key] == fields_b[key], f"{what}: {key} differs")
        for name in ("series.csv", "fields.xdmf", "fields.vtkhdf.series"):
            if (self.folder / a / name).exists():
                self.assertEqual((self.folder / a / name).read_text(), (self.folder / b / name).read_text(),
                                 f"{what}: {name} differs")
