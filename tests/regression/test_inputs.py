#!/usr/bin/python3
"""Runs every input of inputs/ as its users do; each must end well and meet its own `verify`."""
import glob
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XPSIM = os.environ["XPSIM"]
INFO = subprocess.run([XPSIM, "info"], capture_output=True, text=True).stdout
BACKENDS = [name for name in ("Serial", "OpenMP") if "backend " + name in INFO]
# Errors against `exact` that each input must keep below (linf), known from its order of accuracy.
ERRORS = {"heat1d": 1e-4, "heat3d": 3e-4, "plate_steady": 1e-3, "advection": 0.02, "fisher": 1e-6, "ginzburg_landau": 1e-6,
          "wave": 1e-4, "poisson": 5.1e-5, "capacitor": 1e-9, "heat_stiff": 1e-8}


class EveryInput(unittest.TestCase):
    def run_input(self, path, *options):
        name = os.path.splitext(os.path.basename(path))[0]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            result = subprocess.run([XPSIM, path, "--output", out, *options], capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(os.path.join(out, "report.json")) as file:
                report = json.load(file)
            self.assertTrue(os.path.exists(os.path.join(out, "fields.xdmf")))
        self.assertIn(report["status"], ("completed", "converged"))
        with open(path) as file:
            text = file.read()
        self.assertTrue("exact:" in text or "verify:" in text, name + " checks nothing")
        if "exact:" in text:
            self.assertLess(report["errors"]["u"]["linf"], ERRORS[name])
        return report

    def test_serial_and_openmp(self):
        paths = sorted(glob.glob(os.path.join(ROOT, "inputs", "*.yaml")))
        self.assertGreaterEqual(len(paths), 4)
        for path in paths:
            with self.subTest(input=os.path.basename(path)):
                reports = [self.run_input(path, "--backend", backend) for backend in BACKENDS]
                # The same numbers to the last digit, sums included.
                for key in ("steps", "time", "fields", "errors"):
                    self.assertEqual(reports[0][key], reports[-1][key], key)


if __name__ == "__main__":
    unittest.main()
