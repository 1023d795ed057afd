"""Small runs whose fields are known everywhere: u = x + 10 y + 100 z and never changes.

  cases.py write FOLDER      writes the inputs
  cases.py list              prints their names
"""
import os
import sys

AXES = "zyx"
TIMES = [0.0, 0.25, 0.5]
STEPS = [0, 2, 4]
TITLE = "A field that readers must find again"
FACTORS = {"x": 1.0, "y": 10.0, "z": 100.0}


class Case:
    def __init__(self, name, cells, lower, upper, precision):
        self.name, self.precision, self.dimensions = name, precision, len(cells)
        thin = 3 - len(cells)  # an absent axis is one cell from 0 to 1
        self.cells = dict(zip("xyz", cells + [1] * thin))
        self.lower = dict(zip("xyz", lower + [0.0] * thin))
        self.upper = dict(zip("xyz", upper + [1.0] * thin))
        self.spacing = {a: (self.upper[a] - self.lower[a]) / self.cells[a] for a in AXES}
        self.shape = tuple(self.cells[a] for a in AXES)

    def centres(self, axis):
        return [self.lower[axis] + (n + 0.5) * self.spacing[axis] for n in range(self.cells[axis])]

    def value(self, field, x, y, z):
        """What the field is at a place (numbers or arrays)."""
        at = {"x": x, "y": y, "z": z}
        total = sum(FACTORS[a] * at[a] for a in "xyz"[:self.dimensions])
        return {"u": total, "flux": -2 * total + 1}[field]

    def tolerance(self):
        return 1e-12 if self.precision == "double" else 1e-4

    def input(self):
        axes = "xyz"[:self.dimensions]
        expression = " + ".join(f"{FACTORS[a]:g}*{a}" for a in axes)
        several = lambda of: "[" + ", ".join(repr(of[a]) for a in axes) + "]"
        return f"""xpsim: 1
title: {TITLE}
grid:
  lower: {several(self.lower)}
  upper: {several(self.upper)}
  cells: {several(self.cells)}
  periodic: [{", ".join(axes)}]
model: heat
heat: {{diffusivity: 0, initial: "{expression}"}}
time: {{scheme: euler, step: 0.125, end: 0.5}}
output:
  every: 0.25
  fields: [u, {{name: flux, value: "-2*u + 1"}}]
  series: {{every: 1 steps, columns: {{mean: "mean(u)", top: "max(u)"}}}}
run: {{precision: {self.precision}}}
"""


CASES = [Case(f"{len(cells)}d_{precision}", cells, lower, upper, precision)
         for precision in ("double", "float")
         for cells, lower, upper in (([7], [-1.5], [2.0]),
                                     ([5, 3], [1.0, -2.0], [3.0, 4.0]),
                                     ([5, 7, 4], [1.0, -2.0, 0.25], [3.5, 5.0, 1.25]))]


def folders():
    """The runs to check: pairs of a case and the folder of its output, from the command line."""
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(f"usage: {sys.argv[0]} FOLDER   (as scripts/test-readers makes it)")
    return [(case, os.path.join(sys.argv[1], case.name)) for case in CASES]


def snapshots(folder):
    return [os.path.join(folder, f"fields_{step:06d}.vtkhdf") for step in STEPS]


def same(what, found, expected, tolerance=0.0):
    """Compares numbers, texts or arrays of numbers; says what differs and stops."""
    import numpy as np
    if isinstance(expected, str) or isinstance(found, str):
        good = found == expected
    else:
        a, b = np.asarray(found), np.asarray(expected)
        if a.shape != b.shape:
            good = False
        elif a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            good = bool(np.all(np.abs(a.astype(float) - b.astype(float))
                               <= tolerance * np.maximum(1.0, np.abs(b.astype(float)))))
        else:
            good = bool(np.all(a == b))
    if not good:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {what}: found {found!r}, not {expected!r}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        for case in CASES:
            with open(os.path.join(sys.argv[2], case.name + ".yaml"), "w", encoding="utf-8") as file:
                file.write(case.input())
    elif sys.argv[1:] == ["list"]:
        print(*(case.name for case in CASES))
    else:
        sys.exit(__doc__)
