#!/usr/bin/python3
"""The same input gives the same bits on any number of ranks and however the grid is cut."""

import pathlib
import re
import unittest

from running import Case

CONDITIONS = {
    1: "x: {robin: {alpha: 1, beta: 0.5, value: 'sin(10*t)'}}",
    2: "x-: {dirichlet: 'y*t'}, x+: {neumann: 0.1}, y: antiperiodic",
    3: "x: antiperiodic, y: {robin: {alpha: 1, beta: 0.5, value: 'sin(10*t)*x'}}, z: {dirichlet: 0.25}",
}
CELLS = {1: "[61]", 2: "[37, 29]", 3: "[19, 14, 17]"}
INITIAL = {1: "exp(-40*(x-0.4)^2)", 2: "exp(-40*((x-0.4)^2 + (y-0.3)^2))",
           3: "exp(-40*((x-0.4)^2 + (y-0.3)^2 + (z-0.6)^2))"}
CUTS = {
    1: [(2, "auto"), (3, "[3]"), (4, "auto")],
    2: [(2, "[2, 1]"), (2, "[1, 2]"), (3, "[1, 3]"), (4, "[4, 1]"), (4, "[2, 2]")],
    3: [(2, "auto"), (3, "[1, 3, 1]"), (4, "[2, 1, 2]"), (4, "[1, 2, 2]")],
}


def input_of(dimensions, scheme="ssprk3", order=2, variable=True, periodic=False, steps=40):
    conditions = "" if periodic else f"boundary_conditions: {{u: {{{CONDITIONS[dimensions]}}}}}"
    axes = ", ".join("xyz"[:dimensions])
    diffusivity = "1 + 0.5*sin(2*pi*x)" if variable else "0.7"
    return f"""xpsim: 1
grid: {{cells: {CELLS[dimensions]}{f', periodic: [{axes}]' if periodic else ''}}}
model: heat
heat: {{initial: "{INITIAL[dimensions]}", diffusivity: "{diffusivity}", source: "{'cos(t)*x' if variable else 0.1}"}}
{conditions}
numerics: {{order: {order}}}
time: {{scheme: {scheme}, end: 1, max_steps: {steps}}}
output:
  every: 10 steps
  series: {{every: 7 steps, columns: {{heat: integral(u), norm: norm(u), top: max(u), low: min(u)}}}}
"""


class SameBits(Case):
    def compare(self, text, cuts, what):
        name = self.write(text)
        self.run_on(0, name, "--output", "one")
        for number, (ranks, cut) in enumerate(cuts):
            out = f"many{number}"
            self.run_on(ranks, name, "--output", out, "--set", f"run.decomposition={cut}")
            self.assertEqual(self.report(out)["xpsim"]["ranks"], ranks)
            self.assert_same_output("one", out, f"{what}, {ranks} ranks as {cut}")

    def test_every_dimension_and_order(self):
        for dimensions, cuts in CUTS.items():
            for order in (2, 4):
                with self.subTest(dimensions=dimensions, order=order):
                    self.setUp()
                    self.compare(input_of(dimensions, order=order), cuts, f"{dimensions}-D, order {order}")

    def test_periodic_along_every_axis(self):
        for dimensions, cuts in CUTS.items():
            with self.subTest(dimensions=dimensions):
                self.setUp()
                self.compare(input_of(dimensions, order=4, periodic=True), cuts, f"{dimensions}-D, periodic")

    def test_every_scheme(self):
        """Euler takes several steps at once on one rank; rk32 and rk54 find their steps by sums."""
        for scheme in ("euler", "ssprk2", "rk4", "rk32", "rk54"):
            for variable in (False, True):
                with self.subTest(scheme=scheme, variable=variable):
                    self.setUp()
                    self.compare(input_of(2, scheme, variable=variable), [(2, "auto"), (3, "[3, 1]"), (4, "[2, 2]")],
                                 f"{scheme}, variable {variable}")

    def test_corners_of_equations(self):
        """ACCEPTANCE 21: dx(dy(u)), as one stencil and through an array, also at walls; a vector field."""
        for periodic in (True, False):
            with self.subTest(periodic=periodic):
                self.setUp()
                walls = "{all: {neumann: 'x*y*t'}}" if not periodic else "{}"
                text = f"""xpsim: 1
grid: {{cells: [37, 29]{', periodic: [x, y]' if periodic else ''}}}
definitions: {{w: "dy(u)*(1 + 0.5*sin(2*pi*x))"}}
fields:
  u: "exp(-40*((x-0.4)^2 + (y-0.3)^2)) + uniform(0, 0.1)"
  q: {{rank: vector, initial: "[sin(2*pi*y), u0]"}}
equations:
  u: "0.1*laplacian(u) + 0.05*dx(dy(u)) + 0.01*dx(w) - div(u*q)"
  q: "0.1*laplacian(q) - grad(u) - 0.1*q*mean(u)"
numerics: {{advection: vanleer}}
time: {{scheme: ssprk3, step: auto, end: 1, max_steps: 30}}
output: {{every: 10 steps, series: {{every: 7 steps, columns: {{u: norm(u), q: max(q_x)}}}}}}
""".replace("u0", "cos(2*pi*x)")
                if not periodic:
                    # What is differentiated again at walls has to have conditions there, as w does.
                    text = text.replace("dx(dy(u))", "dxy(u)")
                    text += ("boundary_conditions:\n  u: " + walls + "\n  q: {all: {dirichlet: '[0, 0]'}}\n"
                             "  w: {all: {neumann: 0}}\n")
                self.compare(text, [(4, "[2, 2]"), (4, "[4, 1]"), (3, "[1, 3]")], f"corners, periodic {periodic}")

    def test_convergence_ends_at_the_same_step(self):
        text = input_of(2, steps=5000).replace("'y*t'", "0").replace("cos(t)*x", "x")
        text = text.replace(", end: 1", "") + "convergence: {quantity: change, tolerance: 1e-3, check_every: 20}\n"
        self.compare(text, [(2, "auto"), (3, "auto"), (4, "auto")], "convergence")
        self.assertEqual(self.report("one")["status"], "converged")
        self.assertEqual(self.report("one")["convergence"], self.report("many2")["convergence"])

    def test_threads_and_ranks_together(self):
        name = self.write(input_of(3))
        self.run_on(0, name, "--output", "one", "--backend", "serial")
        self.run_on(2, name, "--output", "two", "--threads", "2")
        self.assert_same_output("one", "two", "2 ranks of 2 threads")

    def test_fewer_cells_than_ranks_in_a_direction(self):
        name = self.write(re.sub(r"cells: \[37, 29\]", "cells: [50, 3]", input_of(2)))
        self.run_on(0, name, "--output", "one")
        self.run_on(4, name, "--output", "many")
        self.assert_same_output("one", "many", "4 ranks on 50 x 3 cells")


class Examples(Case):
    def test_every_input_of_the_manual(self):
        inputs = sorted((pathlib.Path(__file__).parents[2] / "inputs").glob("*.yaml"))
        self.assertGreater(len(inputs), 3)
        for path in inputs:
            self.run_on(0, path, "--output", f"{path.stem}_0")
            for ranks in (2, 3, 4):
                with self.subTest(input=path.name, ranks=ranks):
                    self.run_on(ranks, path, "--output", f"{path.stem}_{ranks}")
                    self.assert_same_output(f"{path.stem}_0", f"{path.stem}_{ranks}", path.name)


class Decomposition(Case):
    def test_check_prints_it(self):
        done = self.run_on(4, "check", self.write(input_of(2)))
        self.assertRegex(done.stdout, r"# decomposition +4 ranks: 2 x 2 parts of at most 19 x 15 cells\n")
        self.assertEqual(done.stdout.count("# cells"), 1)

    def refused(self, ranks, text, *lines):
        done = self.run_on(ranks, self.write(text), code=2)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        for line in lines:
            self.assertIn(line, done.stderr)

    def test_a_rank_would_be_empty(self):
        text = input_of(1).replace("[61]", "[3]")
        self.refused(4, text, "input.yaml:2:15: error: 4 ranks cannot share a grid of 3 cells",
                     "use 3 ranks, or a finer grid")

    def test_parts_that_are_not_the_ranks(self):
        text = input_of(2) + "run: {decomposition: [2, 1]}\n"
        self.refused(3, text, "error: run.decomposition makes 2 parts, but there are 3 ranks")
        self.refused(2, text.replace("[2, 1]", "[1, 40]"), "cannot be cut into 40 parts along y")
        self.refused(2, text.replace("[2, 1]", "[2]"), "run.decomposition has 1 entry, but grid.cells has 2 entries")


if __name__ == "__main__":
    unittest.main()
