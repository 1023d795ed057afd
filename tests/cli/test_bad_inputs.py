"""Wrong inputs: for every bad/NAME.yaml the program says exactly what NAME.expected holds.

NAME.args holds further arguments, one a line. After a message was changed on purpose:

    XPSIM=build/release/apps/xpsim/xpsim python3 tests/cli/test_bad_inputs.py --update

writes what the program says now; read the difference before committing it.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XPSIM = os.path.abspath(os.environ.get("XPSIM", "build/release/apps/xpsim/xpsim"))
BAD = pathlib.Path(__file__).resolve().parent / "bad"
SECONDS = 10
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"}


HAS_OPENMP = "backend OpenMP" in subprocess.run([XPSIM, "info"], capture_output=True, text=True).stdout


class Outcome:
    """What a run of the program on one input did."""

    def __init__(self, arguments):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "out"
            command = [XPSIM, "run", *arguments, "--output", str(output)]
            self.timed_out = False
            try:
                done = subprocess.run(command, cwd=BAD, env=ENVIRONMENT, capture_output=True,
                                      stdin=subprocess.DEVNULL, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                self.timed_out = True
                return
            self.code = done.returncode
            self.stdout = done.stdout
            self.stderr = done.stderr
            self.wrote = output.exists()


def arguments_of(name):
    extra = BAD / (name + ".args")
    more = extra.read_text(encoding="utf-8").splitlines() if extra.exists() else []
    return [name + ".yaml", *more]


NAMES = sorted(path.stem for path in BAD.glob("*.yaml"))


class BadInputs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = pool.map(lambda name: Outcome(arguments_of(name)), NAMES)
            cls.outcomes = dict(zip(NAMES, outcomes))

    def check(self, outcome):
        self.assertFalse(outcome.timed_out, f"took longer than {SECONDS} s")
        self.assertEqual(outcome.code, 2, outcome.stderr.decode(errors="replace"))
        self.assertEqual(outcome.stdout, b"")
        self.assertFalse(outcome.wrote, "an output folder was created")

    def test_every_input(self):
        self.assertGreaterEqual(len(NAMES), 60)
        for name in NAMES:
            with self.subTest(name):
                outcome = self.outcomes[name]
                self.check(outcome)
                expected = (BAD / (name + ".expected")).read_text(encoding="utf-8")
                if "OpenMP, Serial" in expected and not HAS_OPENMP:
                    continue  # the list of backends is another one in this build
                self.assertEqual(outcome.stderr.decode(), expected)

    def test_messages_have_places(self):
        """Every message begins with file:line:column and is followed by its line, underlined."""
        for name in NAMES:
            if name.startswith("option_") or name in ("yaml_empty", "yaml_comment_only"):
                continue
            with self.subTest(name):
                lines = self.outcomes[name].stderr.decode().splitlines()
                self.assertRegex(lines[0], r"^(\S+\.yaml|--set):[1-9]\d*:[1-9]\d*: error: \S")
                for n, line in enumerate(lines):
                    if ": error: " in line:
                        self.assertRegex(lines[n + 1], r"^ +\d+ \| ")
                        self.assertRegex(lines[n + 2], r"^ +\| *\^~*$")

    def test_errors_come_in_the_order_of_the_text(self):
        lines = self.outcomes["several"].stderr.decode().splitlines()
        places = [tuple(map(int, line.split(":")[1:3])) for line in lines if ": error: " in line]
        self.assertGreaterEqual(len(places), 9)
        self.assertEqual(places, sorted(places))

    def test_no_stray_files(self):
        known = {".yaml", ".expected", ".args"}
        for path in BAD.iterdir():
            self.assertIn(path.suffix, known, path)
            self.assertIn(path.stem, NAMES, path)

    def test_a_folder(self):
        outcome = Outcome(["../bad"])
        self.check(outcome)
        self.assertEqual(outcome.stderr.decode(), "error: '../bad' is a folder, not a file\n")

    def test_a_missing_file(self):
        outcome = Outcome(["nowhere/input.yaml"])
        self.check(outcome)
        self.assertEqual(outcome.stderr.decode(),
                         "error: cannot open 'nowhere/input.yaml': No such file or directory\n")


def update():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(NAMES, pool.map(lambda name: Outcome(arguments_of(name)), NAMES)))
    for name in NAMES:
        outcome = outcomes[name]
        if outcome.timed_out or outcome.code != 2:
            print(f"{name}: not refused", file=sys.stderr)
            continue
        (BAD / (name + ".expected")).write_bytes(outcome.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        result = unittest.main(exit=False).result
        wrong = len(result.failures) + len(result.errors)
        print(f"{len(NAMES)} wrong inputs, {wrong} failures")
        sys.exit(1 if wrong else 0)
