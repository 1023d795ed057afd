"""The program as its users call it: commands, options, exit codes, and the files of a run."""

import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

XPSIM = os.path.abspath(os.environ.get("XPSIM", "build/release/apps/xpsim/xpsim"))
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"}

INPUT = """xpsim: 1
title: A bar cools
parameters:
  D: {value: 0.1, description: diffusivity, units: m^2/s}
grid:
  cells: [16]
model: heat
heat:
  diffusivity: D
  initial: "sin(pi*x)"
boundary_conditions:
  u:
    all: {dirichlet: 0}
time:
  end: 0.1
output:
  every: 0.05
  series: {every: 2 steps, columns: {heat: integral(u), top: max(u)}}
exact:
  u: "exp(-pi^2*D*t)*sin(pi*x)"
verify:
  - {name: it cools, expression: "max(u) < 1"}
"""


def with_source(text):
    return INPUT.replace('  initial: "sin(pi*x)"', f'  initial: "sin(pi*x)"\n  source: "{text}"')


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="bar.yaml"):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def xpsim(self, *arguments, code=0, before=None):
        done = subprocess.run([XPSIM, *arguments], cwd=self.folder, env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, preexec_fn=before)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def run_input(self, text, *arguments, code=0, **more):
        return self.xpsim("run", self.write(text), "--output", "out", *arguments, code=code, **more)

    def report(self, path="out/report.json"):
        return json.loads((self.folder / path).read_text())


class Help(Case):
    def test_help(self):
        for arguments in (["--help"], ["-h"], []):
            done = self.xpsim(*arguments)
            self.assertEqual(done.stderr, "")
            for word in ("run", "check", "explain", "info", "schema", "list", "Exit codes"):
                self.assertIn(word, done.stdout)

    def test_help_of_commands(self):
        for command, option in [("run", "--overwrite"), ("check", "--set"), ("info", "SNAPSHOT"),
                                ("schema", "--markdown"), ("list", "--help")]:
            self.assertIn(option, self.xpsim(command, "--help").stdout)

    def test_version(self):
        self.assertRegex(self.xpsim("--version").stdout, r"^xpsim \d+\.\d+\S*\n$")

    def test_schema_is_json(self):
        schema = json.loads(self.xpsim("schema").stdout)
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        self.assertFalse(schema["additionalProperties"])
        for key in ("xpsim", "grid", "time", "output", "verify", "heat", "equations"):
            self.assertIn(key, schema["properties"])

    def test_reference_page(self):
        page = self.xpsim("schema", "--markdown").stdout
        self.assertTrue(page.startswith("# Input reference\n"))
        self.assertIn("| `time.scheme` |", page)

    def test_list(self):
        words = self.xpsim("list").stdout
        for word in ("models", "heat", "ssprk3", "rk54", "dirichlet", "outflow", "atan2(y, x)"):
            self.assertIn(word, words)

    def test_info(self):
        words = self.xpsim("info").stdout
        for word in ("xpsim ", "Kokkos ", "HDF5 ", "backend Serial"):
            self.assertIn(word, words)

    def test_info_of_a_snapshot(self):
        self.run_input(INPUT)
        self.assertIn("u", self.xpsim("info", "out/fields_000000.vtkhdf").stdout)

    def test_info_of_another_file(self):
        self.write("no snapshot", "notes.txt")
        for name in ("notes.txt", "nowhere.vtkhdf"):
            done = self.xpsim("info", name, code=None)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"'{name}'", done.stderr)
            self.assertEqual(done.stdout, "")


class Usage(Case):
    def refused(self, *arguments):
        done = self.xpsim(*arguments, code=2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_misspelt_command(self):
        self.assertEqual(self.refused("chekc", "bar.yaml"),
                         "error: 'chekc' is neither a command nor a file\n"
                         "  did you mean 'check'?\n")
        self.assertIn("did you mean 'schema'?", self.refused("shcema"))

    def test_commands_of_later_versions(self):
        for command in ("doctor", "bench"):
            self.assertIn("not supported by this version", self.refused(command, "bar.yaml"))

    def test_explain(self):
        text = """xpsim: 1
parameters: {D: 0.25}
grid: {cells: [32, 32], upper: [32, 32], periodic: [x, y]}
fields: {u: "sin(x)", c: 1}
definitions: {mu: "c^3 - c - laplacian(c)"}
equations: {u: "D*laplacian(u) - u*mean(u)", c: "laplacian(mu)"}
time: {scheme: euler, end: 1}
"""
        shown = self.xpsim("explain", self.write(text)).stdout
        for line in ("d/dt c = laplacian(mu)   (bar.yaml:6)", "pass 1 (per stage): mu",
                     "reduction over the grid (per stage): mean(u)", "0.25 * laplacian(u)",
                     "laplacian (1 on each side)", "ghost cells of [mu]: copied from the other end",
                     "each field read and written once: 32", "time scheme             euler"):
            self.assertIn(line, shown)
        # Behind each instruction the lines of the equations that need it.
        self.assertRegex(shown, r"(?m)^    number 0 = u +6$")
        self.assertRegex(shown, r"(?m)^    \[mu\] = r\d+ +6$")
        spread = text.replace(", c: \"laplacian(mu)\"}", ",\n  c: \"laplacian(mu) + mean(u)\"}")
        shown_spread = self.xpsim("explain", self.write(spread)).stdout
        self.assertRegex(shown_spread, r"(?m)^    number 0 = .* +6, 7$")
        self.assertRegex(shown_spread, r"(?m)^    r\d+ = 0\.25 \* laplacian\(u\).* 6$")
        self.assertRegex(shown_spread, r"(?m)^    d/dt c = r\d+ +7$")
        # 2/(2*8 + 8^2): the diffusion 3c^2 - 1 = 2 and the biharmonic part of the shortest wave.
        self.assertRegex(shown, r"stability limit +0\.025\n")
        self.assertIn("model                   heat", self.xpsim("explain", self.write(INPUT)).stdout)

    def test_misspelt_option(self):
        self.assertIn("did you mean '--overwrite'?",
                      self.refused("run", "bar.yaml", "--overwirte"))
        self.assertIn("did you mean '--precision'?",
                      self.refused("bar.yaml", "--precison=float"))
        self.assertIn("did you mean '--output'?", self.refused("check", "bar.yaml", "--outptu"))
        self.assertIn("did you mean '--markdown'?", self.refused("schema", "--markdwn"))

    def test_no_input(self):
        self.assertIn("INPUT.yaml", self.refused("run"))
        self.assertIn("INPUT.yaml", self.refused("check"))

    def test_two_inputs(self):
        self.assertIn("two.yaml", self.refused("run", "one.yaml", "two.yaml"))

    def test_progress(self):
        self.assertIn("--progress", self.refused("run", "bar.yaml", "--progress", "often"))

    def test_any_extension(self):
        self.run_input(INPUT)
        self.xpsim("check", self.write(INPUT, "bar.txt"))
        self.xpsim("check", self.write(INPUT, "bar"))

    def test_run_is_the_default_command(self):
        self.write(INPUT)
        self.xpsim("bar.yaml", "--quiet", "--output", "out")
        self.assertEqual(self.report()["status"], "completed")
        self.xpsim("--quiet", "bar.yaml", "--output", "again")

    def test_default_folder_is_named_after_the_input(self):
        self.write(INPUT)
        self.xpsim("bar.yaml")
        self.assertTrue((self.folder / "out/bar/report.json").exists())

    def test_folder_with_odd_characters(self):
        name = "a: b #1 [it's]"
        self.xpsim("run", self.write(INPUT), "--output", name)
        self.assertTrue((self.folder / name / "report.json").exists())


class Check(Case):
    def check(self, text, *arguments, code=0):
        return self.xpsim("check", self.write(text), *arguments, code=code)

    def test_what_it_says(self):
        done = self.check(INPUT)
        self.assertEqual(done.stderr, "")
        for word in ("cells", "memory per rank", "stability limit", "step", "steps", "snapshots",
                     "output", "files in"):
            self.assertRegex(done.stdout, rf"(?m)^# {word}  ")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bar.yaml"])

    def test_dry_run_is_check(self):
        self.assertEqual(self.run_input(INPUT, "--dry-run").stdout,
                         self.check(INPUT, "--output", "out").stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_numbers(self):
        for number, value in [("1e-3", 0.001), ("1/64", 0.015625), ('"1/64"', 0.015625),
                              ("0.5*D", 0.05), ("+0.001", 0.001), (".5e-2", 0.005),
                              ("sqrt(4)/1000", 0.002), ('"1e-3"', 0.001)]:
            text = INPUT.replace("end: 0.1\n", f"end: {number}\n")
            said = self.run_input(text, "--overwrite", "--quiet")
            self.assertEqual(said.stderr, "", number)
            self.assertEqual(self.report()["time"], value, number)
        self.check(INPUT.replace("end: 0.1\n", "end: 2*pi\n"))

    def test_numbers_among_choices(self):
        for number, order in [("2.0", 2), ("1+1", 2), ("4/2", 2), ('"4"', 4), ("4e0", 4),
                              ("two", 2), ("2*two", 4)]:
            text = INPUT.replace("  D: ", "  two: 2\n  D: ")
            said = self.check(text, "--set", f"numerics.order={number}").stdout
            self.assertIn(f"numerics:\n  order: {order}\n", said, number)

    def test_integers(self):
        for number in ("16", "1.6e1", "2^4", '"16"', "16.0"):
            said = self.check(INPUT.replace("[16]", f"[{number}]")).stdout
            self.assertRegex(said, r"# cells +16\n")
        self.assertRegex(self.check(INPUT, "--set", "grid.cells=1e6", "--set", "time.end=1e-10")
                         .stdout, r"# cells +1000000\n")

    def test_a_single_value_for_a_list(self):
        self.assertRegex(self.check(INPUT.replace("[16]", "16")).stdout, r"# cells +16\n")

    def test_byte_order_mark_and_line_ends(self):
        self.check(b"\xef\xbb\xbf" + INPUT.encode())
        self.check(INPUT.replace("\n", "\r\n"))
        self.check(INPUT.rstrip("\n"))
        self.check("---\n" + INPUT + "...\n")

    def test_text_is_kept(self):
        text = "Übersicht: \\\"1\\\" #2 ..."
        said = self.check(INPUT.replace("A bar cools", f'"{text}"')).stdout
        self.assertIn(f'title: "{text}"', said)

    def test_overrides(self):
        said = self.check(INPUT, "--set", "grid.cells=[32]", "--set", "parameters.D=0.2",
                          "--set", "verify.0.name=still cools", "--set", "output.series.every=1/100",
                          "--precision", "float", "--backend", "serial", "--threads", "1").stdout
        for line in ("  cells: [32]", "    value: 0.2", "    units: \"m^2/s\"",
                     '  - name: "still cools"', '    every: "1/100"', "  precision: float",
                     '  backend: "serial"', "  threads: 1"):
            self.assertIn("\n" + line + "\n", said)

    def test_override_of_what_is_not_there(self):
        said = self.check(INPUT, "--set", "numerics.order=4", "--set", "time.cfl=1/2").stdout
        self.assertIn("\n  order: 4\n", said)
        self.assertIn('\n  cfl: "1/2"\n', said)

    def test_resolved_input_is_a_fixed_point(self):
        self.run_input(INPUT)
        resolved = (self.folder / "out/input.resolved.yaml").read_text()
        self.xpsim("run", self.write(resolved, "again.yaml"), "--output", "again")
        again = (self.folder / "again/input.resolved.yaml").read_text()
        self.assertEqual(again.replace('"again"', '"out"'), resolved)
        a, b = self.report(), self.report("again/report.json")
        self.assertEqual(a["fields"], b["fields"])
        self.assertEqual(a["errors"], b["errors"])


class Run(Case):
    def test_files(self):
        done = self.run_input(INPUT)
        self.assertEqual(done.stdout, "")
        self.assertIn("completed:", done.stderr)
        files = set(os.listdir(self.folder / "out"))
        self.assertLessEqual({"fields.xdmf", "fields.vtkhdf.series", "fields_000000.vtkhdf",
                              "series.csv", "run.log", "report.json", "input.resolved.yaml"}, files)
        self.assertEqual([f for f in files if f.endswith(".part")], [])
        self.assertIn("completed:", (self.folder / "out/run.log").read_text())

    def test_report(self):
        self.run_input(INPUT)
        report = self.report()
        self.assertLessEqual({"version", "kokkos", "backend", "device", "precision", "ranks",
                              "threads"}, set(report["xpsim"]))
        self.assertLessEqual({"xpsim", "status", "message", "steps", "time", "step_last", "cells",
                              "seconds", "cell_updates_per_second", "fields", "errors",
                              "transfers", "peak_memory_bytes"}, set(report))
        self.assertEqual(set(report["seconds"]), {"total", "setup", "stepping", "halo", "output"})
        self.assertEqual(set(report["fields"]["u"]), {"min", "max", "mean", "l2", "integral"})
        self.assertEqual(set(report["errors"]["u"]), {"l1", "l2", "linf"})
        self.assertEqual(set(report["transfers"]["to_host"]), {"count", "bytes"})
        self.assertEqual(report["status"], "completed")
        self.assertEqual(report["message"], "")
        self.assertEqual(report["time"], 0.1)
        self.assertEqual(report["cells"], 16)
        self.assertAlmostEqual(report["steps"]*report["step_last"], 0.1, delta=1e-12)
        self.assertLess(report["errors"]["u"]["linf"], 1e-2)
        self.assertGreater(report["peak_memory_bytes"], 0)

    def test_numbers_read_back(self):
        self.run_input(INPUT)
        report = self.report()
        with open(self.folder / "out/series.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["step", "time", "heat", "top"])
        self.assertEqual(float(rows[-1]["time"]), report["time"])
        self.assertEqual(float(rows[-1]["heat"]), report["fields"]["u"]["integral"])
        self.assertEqual(float(rows[-1]["top"]), report["fields"]["u"]["max"])
        self.assertEqual([int(row["step"]) for row in rows][:3], [0, 2, 4])

    def test_a_report_elsewhere(self):
        self.run_input(INPUT, "--report", "mine.json")
        self.assertEqual(self.report("mine.json"), self.report())

    def test_quiet(self):
        done = self.run_input(INPUT, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_log_as_json(self):
        self.run_input(INPUT, "--log-json", "log.jsonl")
        lines = [json.loads(line) for line in (self.folder / "log.jsonl").read_text().splitlines()]
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertLessEqual({"time", "level", "message"}, set(line))

    def test_does_not_mix_with_other_files(self):
        self.run_input(INPUT)
        before = (self.folder / "out/report.json").read_text()
        done = self.run_input(INPUT, code=2)
        self.assertIn("'out' holds the files of another run", done.stderr)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual((self.folder / "out/report.json").read_text(), before)
        (self.folder / "out/notes.txt").write_text("mine")
        mine = [self.folder / "out" / name for name in ("fields_of_gold.txt", "fieldsnotes.md")]
        for path in mine:
            path.write_text("precious")
        self.run_input(INPUT.replace("every: 0.05", "every: 0.1"), "--overwrite")
        for path in mine:
            self.assertEqual(path.read_text(), "precious")
        self.assertEqual((self.folder / "out/notes.txt").read_text(), "mine")
        self.assertEqual(len(list((self.folder / "out").glob("fields_*.vtkhdf"))), 2)

    def test_a_folder_with_files_of_others_is_fine(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/notes.txt").write_text("mine")
        self.run_input(INPUT)

    def test_precision(self):
        self.run_input(INPUT, "--precision", "float", "--backend", "serial")
        report = self.report()
        self.assertEqual(report["xpsim"]["precision"], "float")
        self.assertEqual(report["xpsim"]["backend"], "Serial")


class Endings(Case):
    @staticmethod
    def errors(done):
        return [line for line in done.stderr.splitlines() if line.startswith("error: ")]

    def ends(self, text, code, status, *arguments):
        done = self.run_input(text, "--report", "mine.json", *arguments, code=code)
        self.assertEqual(done.stdout, "")
        report = self.report()
        self.assertEqual(report["status"], status)
        self.assertEqual(self.report("mine.json"), report)
        if code:
            self.assertIn("error: " + report["message"].split("\n")[0], done.stderr)
            self.assertIn("error: ", (self.folder / "out/run.log").read_text())
        return report

    def test_a_stop_is_no_warning(self):
        done = self.run_input(INPUT + 'stop: {when: "max(u) < 0.95", check_every: 1}\n')
        self.assertRegex(done.stderr, r"(?m)^stopped at t = 0\.\d+, step \d+: max\(u\) < 0\.95$")
        self.assertNotIn("warning", done.stderr)

    def test_running_out_of_steps_is_a_warning(self):
        done = self.run_input(INPUT, "--set", "time.max_steps=1")
        self.assertIn("warning: stopped at time.max_steps = 1", done.stderr)

    def test_growth_without_bound_is_a_warning(self):
        text = """xpsim: 1
grid: {cells: [16], periodic: [x]}
fields: {u: "sin(2*pi*x)"}
equations: {u: "-laplacian(u)"}
time: {step: 1e-6, end: 1e-5}
"""
        warning = ("warning: by the coefficient -1 of laplacian(u) in d/dt u the solution grows "
                   "without bound, the faster the finer the grid\n")
        self.assertIn(warning, self.run_input(text).stderr)
        self.assertIn(warning[9:-1], (self.folder / "out/run.log").read_text())
        self.assertEqual(self.xpsim("check", "bar.yaml").stderr, warning)

    def test_powers_are_listed_as_powers(self):
        text = """xpsim: 1
grid: {cells: [16], periodic: [x]}
fields: {u: 1}
equations: {u: "dx(u^2) + dxx(u^3) + dx(u^4) + u^3 - sin(u)^2"}
time: {step: 1e-6, end: 1e-5}
"""
        listed = self.xpsim("explain", self.write(text)).stdout
        for array in "[u^2]", "[u^3]", "[u^4]":
            self.assertIn(f"ghost cells of {array}", listed)
        self.assertNotIn("u*u", listed)
        self.assertNotIn("u * u", listed)

    def test_power_binds_tighter_than_minus(self):
        self.ends(INPUT + "  - {name: nine, expression: -3^2 == -9}\n", 0, "completed")

    def test_verify_fails(self):
        report = self.ends(INPUT + "  - {name: grows, expression: max(u) > 1}\n"
                           "  - {name: at first, expression: max(u) > 1, at: start}\n",
                           3, "verify_failed")
        self.assertIn("verify 'grows' failed: max(u) > 1", report["message"])
        self.assertIn("'at first'", report["message"])
        self.assertNotIn("it cools", report["message"])

    def test_verify_of_nan_fails(self):
        self.ends(INPUT + "  - {name: nan, expression: log(-max(u)) < 1}\n", 3, "verify_failed")

    def test_quiet_failure_is_not_silent(self):
        text = INPUT + "  - {name: grows, expression: max(u) > 1}\n"
        self.assertIn("grows", self.run_input(text, "--quiet", code=3).stderr)

    def test_diverged_infinity(self):
        report = self.ends(with_source("if(t > 0.01, 1/(t - t), 0)"), 4, "diverged")
        self.assertIn("not finite", report["message"])
        self.assertGreater(report["steps"], 0)

    def test_diverged_nan(self):
        self.ends(with_source("log(-1 - t)"), 4, "diverged")

    def test_wrong_initial_state(self):
        text = INPUT.replace('"sin(pi*x)"\n', '"log(x - 0.5)"\n', 1)
        report = self.ends(text, 4, "diverged")
        self.assertIn("initial state", report["message"])
        self.assertEqual(report["steps"], 0)

    def test_diverged_under_error_control(self):
        self.ends(with_source("if(t > 0.01, log(-t), 0)"), 4, "diverged", "--set",
                  "time.scheme=rk54")

    def test_not_converged(self):
        report = self.ends(INPUT + "convergence: {tolerance: 1e-12, check_every: 5}\n",
                           5, "not_converged")
        self.assertLessEqual({"quantity", "norm", "value", "checks"}, set(report["convergence"]))
        self.assertGreater(report["convergence"]["checks"], 0)

    def test_converged(self):
        for quantity in ("rate", "change"):
            text = INPUT.replace("end: 0.1\n", "end: 100\n").replace("every: 0.05", "every: 100")
            text += f"convergence: {{quantity: {quantity}, tolerance: 1e-6, check_every: 10}}\n"
            report = self.ends(text, 0, "converged", "--overwrite")
            self.assertLess(report["time"], 100)
            self.assertLess(report["convergence"]["value"], 1e-6)

    def test_convergence_needs_no_end(self):
        text = INPUT.replace("  end: 0.1\n", "  cfl: 0.9\n")
        self.ends(text + "convergence: {tolerance: 1e-6}\n", 0, "converged")

    def test_stopped_by_max_steps(self):
        report = self.ends(INPUT, 0, "completed", "--set", "time.max_steps=3")
        self.assertEqual(report["steps"], 3)
        self.assertIn("max_steps", report["message"])

    def test_no_time_to_pass(self):
        report = self.ends(INPUT.replace("max(u) < 1", "max(u) <= 1"), 0, "completed",
                           "--set", "time.end=0")
        self.assertEqual(report["steps"], 0)

    def test_folder_that_cannot_be(self):
        self.write("a file", "file")
        done = self.xpsim("run", self.write(INPUT), "--output", "file/below", code=1)
        self.assertIn("file/below", done.stderr)
        self.assertTrue(done.stderr.startswith("error: "))

    def test_report_says_why_there_is_no_folder(self):
        self.write("a file", "file")
        self.xpsim("run", self.write(INPUT), "--output", "file/below", "--report", "mine.json",
                   code=1)
        report = self.report("mine.json")
        self.assertEqual(report["status"], "failed")
        self.assertIn("file/below", report["message"])

    def test_report_that_cannot_be_written(self):
        self.write("a file", "file")
        done = self.run_input(INPUT, "--report", "file/report.json", code=1)
        self.assertIn("file/report.json", done.stderr)

    def test_report_into_a_folder(self):
        (self.folder / "reports").mkdir()
        done = self.run_input(INPUT, "--report", "reports", code=1)
        self.assertEqual(self.errors(done), ["error: cannot write 'reports': Is a directory"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["bar.yaml", "out", "reports"])

    def test_report_into_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE) as reader:
            self.addCleanup(reader.kill)
            self.run_input(INPUT, "--report", "pipe")
            self.assertTrue((self.folder / "pipe").is_fifo())
            self.assertEqual(json.loads(reader.communicate(timeout=60)[0]), self.report())

    def full(self):
        """A device without room, as a link: what replaces it replaces no device."""
        os.symlink("/dev/full", self.folder / "full")
        return "full"

    def test_report_into_a_device(self):
        done = self.run_input(INPUT, "--report", self.full(), code=1)
        self.assertEqual(self.errors(done),
                         ["error: cannot write 'full': No space left on device"])
        self.assertTrue((self.folder / "full").is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder)), ["bar.yaml", "full", "out"])

    def test_log_that_cannot_be_opened(self):
        self.write("a file", "file")
        done = self.run_input(INPUT, "--log-json", "file/log.jsonl", code=1)
        self.assertEqual(done.stderr,
                         "error: cannot write the log 'file/log.jsonl': Not a directory\n")

    def test_log_that_cannot_be_written(self):
        said = "error: cannot write the log 'full': No space left on device"
        done = self.run_input(INPUT, "--log-json", self.full(), code=1)
        self.assertEqual(self.errors(done), [said])
        self.assertNotIn("LOG ERROR", done.stderr)
        self.assertIn("completed: ", done.stderr)
        self.assertIn(said, (self.folder / "out/run.log").read_text())
        self.assertEqual(self.report()["status"], "completed")
        text = INPUT + "  - {name: grows, expression: max(u) > 1}\n"
        done = self.run_input(text, "--log-json", "full", "--overwrite", "--quiet", code=3)
        self.assertIn(said, self.errors(done))

    def test_log_into_a_pipe_that_is_closed(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        done = self.run_input(INPUT, "--log-json", f"/proc/{os.getpid()}/fd/{writer}", code=1)
        self.assertIn("Broken pipe", self.errors(done)[0])
        self.assertEqual(self.report()["status"], "completed")

    def test_disk_that_is_full(self):
        """A limit on the size of files stands for a disk that fills up."""
        def limit():
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (24 << 20, 24 << 20))
        # 32 MB a snapshot; below the limit are the files that MPI makes for itself.
        text = INPUT.replace("[16]", "[4e6]").replace("end: 0.1\n", "end: 1e-14\n")
        done = self.run_input(text, code=1, before=limit)
        self.assertRegex(done.stderr, r"error: .*writ")
        self.assertEqual(self.report()["status"], "failed")
        self.assertEqual(list((self.folder / "out").glob("fields_*.vtkhdf")), [])

    def test_out_of_memory(self):
        if "-fsanitize" in self.xpsim("info").stdout:
            self.skipTest("a sanitizer needs more address space than this limit leaves")
        done = self.run_input(INPUT, "--set", "grid.cells=2e9", "--set", "time.end=1e-20", code=1,
                              before=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                (4 << 30, 4 << 30)))
        self.assertRegex(done.stderr, "(?i)memory|alloc")


class Logs(Case):
    def test_plain_log_has_no_control_characters(self):
        done = self.run_input(INPUT, "--progress", "plain")
        self.assertIsNone(re.search(r"[\r\x1b]", done.stderr))


if __name__ == "__main__":
    unittest.main()
