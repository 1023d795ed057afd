#!/usr/bin/python3
"""Fields after 100 steps are the same to the last bit on Serial and on OpenMP with 1, 2 and 3 threads."""
import os
import subprocess
import tempfile
import unittest

import h5py

XPSIM = os.environ["XPSIM"]

# Sizes that neither threads nor vectors divide, and enough cells for every loop to run in parallel.
GRIDS = {
    "1d": ("[4801]", "exp(-40*(x-0.4)^2)"),
    "2d": ("[131, 97]", "exp(-40*((x-0.4)^2 + (y-0.3)^2))"),
    "3d": ("[23, 29, 31]", "exp(-40*((x-0.4)^2 + (y-0.3)^2 + (z-0.6)^2))"),
}
INPUT = """
xpsim: 1
grid: {{cells: {cells}, periodic: x}}
model: heat
heat: {{initial: "{initial}", diffusivity: "{diffusivity}", source: "{source}"}}
boundary_conditions: {{u: {{y: {{robin: {{alpha: 1, beta: 0.5, value: "sin(10*t)*x"}}}}, z: {{dirichlet: "x*t"}}}}}}
numerics: {{order: {order}}}
time: {{scheme: {scheme}, end: 1, max_steps: 100}}
run: {{precision: {precision}}}
"""


def text_of(grid, scheme, order, precision, variable):
    cells, initial = GRIDS[grid]
    text = INPUT.format(cells=cells, initial=initial, scheme=scheme, order=order, precision=precision,
                        diffusivity="1 + 0.5*sin(2*pi*x)" if variable else "0.7",
                        source="cos(t)*sin(3*x)" if variable else "0.1")
    if grid == "1d":
        text = "\n".join(line for line in text.splitlines() if not line.startswith("boundary"))
    if grid == "2d":
        text = text.replace(', z: {dirichlet: "x*t"}', "")
    return text


@unittest.skipUnless("backend OpenMP" in subprocess.run([XPSIM, "info"], capture_output=True, text=True).stdout,
                     "this build has no OpenMP")
class Backends(unittest.TestCase):
    def bytes_after_100_steps(self, folder, text, name, *options):
        path = os.path.join(folder, "input.yaml")
        with open(path, "w") as file:
            file.write(text)
        out = os.path.join(folder, name)
        result = subprocess.run([XPSIM, path, "--output", out, *options], capture_output=True, text=True,
                                env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with h5py.File(os.path.join(out, "fields_000100.vtkhdf")) as file:
            return file["u"][()].tobytes()

    def compare(self, *what):
        self.compare_text(text_of(*what), what)

    def compare_text(self, text, what):
        with tempfile.TemporaryDirectory() as folder:
            serial = self.bytes_after_100_steps(folder, text, "serial", "--backend", "serial")
            self.assertGreater(len(set(serial)), 50)
            for threads in ("1", "2", "3"):
                openmp = self.bytes_after_100_steps(folder, text, threads, "--backend", "openmp", "--threads",
                                                    threads)
                self.assertTrue(serial == openmp, f"{what} with {threads} threads differs from Serial")

    def test_every_scheme(self):
        for scheme in ("euler", "ssprk2", "ssprk3", "rk4", "rk32", "rk54"):
            with self.subTest(scheme=scheme):
                self.compare("2d", scheme, 2, "double", True)

    def test_every_dimension_order_and_precision(self):
        for grid in GRIDS:
            for order in (2, 4):
                for precision in ("double", "float"):
                    with self.subTest(grid=grid, order=order, precision=precision):
                        self.compare(grid, "ssprk3", order, precision, order == 2)

    def test_several_steps_per_pass(self):
        """Euler with steady walls: OpenMP takes several steps at once, Serial single ones in its cache."""
        for grid in ("2d", "3d"):
            for order in (2, 4):
                for axis, kind in (("y", "antiperiodic"), ("y", "{dirichlet: 0.5}"), ("z", "antiperiodic"),
                                   ("z", "{robin: {alpha: 1, beta: 0.5, value: 1}}")):
                    if grid == "2d" and axis == "z":
                        continue
                    text = text_of(grid, "euler", order, "double", False)
                    text = text.replace('y: {robin: {alpha: 1, beta: 0.5, value: "sin(10*t)*x"}}', "y: outflow")
                    text = text.replace('z: {dirichlet: "x*t"}', "z: outflow")
                    text = text.replace(f"{axis}: outflow", f"{axis}: {kind}")
                    with self.subTest(grid=grid, order=order, axis=axis, kind=kind):
                        self.compare_text(text, (grid, order, axis, kind))


if __name__ == "__main__":
    unittest.main()
