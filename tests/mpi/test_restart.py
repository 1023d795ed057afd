#!/usr/bin/python3
"""A run that is stopped, killed or damaged goes on, and what it has written in the end is what a run in one
piece writes, to the last bit."""

import os
import random
import signal
import subprocess
import time
import unittest

import h5py

from running import ENVIRONMENT, TIMEOUT, Case, command

INPUT = """xpsim: 1
title: A run with an interruption
grid: {{cells: [48, 40], periodic: x}}
model: heat
heat: {{initial: "exp(-40*((x-0.4)^2 + (y-0.3)^2))", diffusivity: "1 + 0.5*sin(2*pi*x)", source: "cos(t)"}}
boundary_conditions: {{u: {{y: {{robin: {{alpha: 1, beta: 0.5, value: "sin(10*t)*x"}}}}}}}}
time: {{scheme: {scheme}, end: {end}, max_steps: {steps}}}
output:
  every: {every}
  series: {{every: 25 steps, columns: {{heat: integral(u), top: max(u)}}}}
checkpoint: {{every: {checkpoint}, keep: 2, at_end: true}}
"""


def input_of(scheme="ssprk3", end=1, steps=600, every="100 steps", checkpoint="70 steps"):
    return INPUT.format(scheme=scheme, end=end, steps=steps, every=every, checkpoint=checkpoint)


class Restart(Case):
    def checkpoints(self, out):
        folder = self.folder / out / "checkpoint"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def in_one_piece(self, text, *arguments):
        self.run_on(0, self.write(text), "--output", "whole", *arguments)

    def started(self, ranks, *arguments, environment=ENVIRONMENT):
        return subprocess.Popen(command(ranks, *arguments), cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                start_new_session=True)

    def wait_for_files(self, out, count):
        deadline = time.monotonic() + TIMEOUT
        while len(list((self.folder / out).glob("fields_*.vtkhdf"))) < count:
            self.assertLess(time.monotonic(), deadline, "the run does not get on")
            time.sleep(0.002)


class InParts(Restart):
    """N steps against N/2 + N/2, on as many and on other ranks."""

    def in_parts(self, text, step, first, second):
        self.in_one_piece(text)
        self.run_on(first, "input.yaml", "--output", "parts", "--set", f"time.max_steps={step}",
                    "--set", "checkpoint.every=1000000 steps")
        # Its last state, which the run in one piece does not write there.
        os.remove(self.folder / f"parts/fields_{step:06}.vtkhdf")
        self.assertEqual(self.checkpoints("parts"), [f"checkpoint_{step:09}.h5"])
        lines = (self.folder / "parts/series.csv").read_text().splitlines()
        (self.folder / "parts/series.csv").write_text("\n".join(lines[:-1]) + "\n")
        self.run_on(second, "input.yaml", "--output", "parts", "--restart", "latest")
        self.assert_same_output("whole", "parts", f"{first} then {second} ranks")
        self.assertEqual(self.report("parts")["restart"],
                         {"file": f"parts/checkpoint/checkpoint_{step:09}.h5", "step": step})
        self.assertEqual(self.report("parts")["steps"], self.report("whole")["steps"])

    def test_every_scheme_and_rank_count(self):
        for scheme in ("euler", "ssprk3", "rk54"):
            for first, second in ((0, 0), (1, 3), (4, 2), (2, 2)):
                with self.subTest(scheme=scheme, first=first, second=second):
                    self.setUp()
                    # 333 is in the middle of all intervals.
                    self.in_parts(input_of(scheme), 333, first, second)

    def test_implicit_schemes(self):
        """Those that look back a step go on to the last bit, too."""
        for scheme, first, second in (("bdf2", 1, 3), ("crank_nicolson", 0, 2), ("imex", 2, 1), ("adi", 3, 0)):
            with self.subTest(scheme=scheme, first=first, second=second):
                self.setUp()
                self.in_parts(input_of(scheme).replace("max_steps", "step: 1/80, max_steps"), 33, first, second)

    def test_the_change_that_convergence_looks_at_goes_along(self):
        text = input_of(steps=5000, every="1000 steps").replace("sin(10*t)*x", "x").replace("cos(t)", "1")
        text = text.replace("end: 1, ", "") + "convergence: {quantity: change, tolerance: 1e-2, check_every: 100}\n"
        self.in_one_piece(text)
        self.run_on(0, "input.yaml", "--output", "parts", "--set", "time.max_steps=150", code=5)
        self.run_on(2, "input.yaml", "--output", "parts", "--restart", "latest")
        whole, parts = self.report("whole"), self.report("parts")
        self.assertEqual(whole["status"], "converged")
        self.assertEqual(parts["steps"], whole["steps"])
        self.assertEqual(parts["convergence"]["value"], whole["convergence"]["value"])

    def test_a_finished_run_is_extended(self):
        self.run_on(2, self.write(input_of(end=0.01, steps=100000)), "--output", "out")
        first = self.report()
        self.run_on(3, "input.yaml", "--output", "out", "--restart", "latest", "--set", "time.end=0.02")
        second = self.report()
        self.assertEqual(first["time"], 0.01)
        self.assertEqual(second["time"], 0.02)
        self.assertEqual(second["restart"]["step"], first["steps"])
        self.assertGreater(second["steps"], first["steps"])

    def test_another_seed_changes_nothing(self):
        """The initial state is in the checkpoint: what the seed would make is not asked for."""
        self.in_one_piece(input_of())
        self.run_on(0, "input.yaml", "--output", "parts", "--set", "time.max_steps=300")
        self.run_on(2, "input.yaml", "--output", "parts", "--restart", "latest", "--set", "run.seed=7")
        self.assert_same_output("whole", "parts", "seeds 0 and 7")

    def test_another_interval_takes_effect(self):
        self.run_on(0, self.write(input_of(steps=150)), "--output", "out")
        self.run_on(0, "input.yaml", "--output", "out", "--restart", "latest", "--set", "time.max_steps=330",
                    "--set", "output.every=60 steps")
        steps = sorted({int(name[7:13]) for name, _ in self.fields("out")})
        self.assertEqual(steps, [0, 100, 150, 180, 240, 300, 330])

    def test_the_index_names_what_each_snapshot_holds(self):
        self.run_on(0, self.write(input_of(steps=100)), "--output", "out")
        self.run_on(0, "input.yaml", "--output", "out", "--restart", "latest", "--set", "time.max_steps=200", "--set",
                    "output.fields=[{name: flux, value: -u}]", "--precision", "float")
        index = (self.folder / "out/fields.xdmf").read_text()
        self.assertIn('Precision="8" Dimensions="1 40 48">fields_000100.vtkhdf:/u', index)
        self.assertIn('Precision="4" Dimensions="1 40 48">fields_000200.vtkhdf:/flux', index)
        self.assertNotIn("fields_000200.vtkhdf:/u", index)

    def test_an_end_before_the_checkpoint(self):
        self.run_on(0, self.write(input_of(end=0.01)), "--output", "out")
        done = self.run_on(0, "input.yaml", "--output", "out", "--restart", "latest", "--set", "time.end=0.001", code=2)
        self.assertIn("time.end (0.001) lies before the time 0.0", done.stderr)

    def test_a_failure_at_the_start_is_not_forgotten(self):
        text = input_of(steps=100) + 'verify: [{name: never, expression: "max(u) < 0", at: start}]\n'
        self.run_on(0, self.write(text), "--output", "out", "--set", "run.wall_time=1e-9 s", code=75)
        done = self.run_on(2, "input.yaml", "--output", "out", "--restart", "latest", code=3)
        self.assertIn("verify 'never' failed", done.stderr)

    def test_a_lost_state_is_not_kept(self):
        text = input_of(steps=400, checkpoint="10 steps").replace("cos(t)", "exp(1e6*t)")
        done = self.run_on(0, self.write(text), "--output", "out", code=4)
        self.assertIn("is not finite", done.stderr)
        for name in self.checkpoints("out"):
            with h5py.File(self.folder / "out/checkpoint" / name) as file:
                self.assertTrue(abs(file["arrays/u"][()]).max() < 1e308)

    def test_another_precision_and_folder(self):
        self.run_on(2, self.write(input_of(steps=100)), "--output", "out")
        done = self.run_on(1, "input.yaml", "--output", "other", "--restart",
                           "out/checkpoint/checkpoint_000000100.h5", "--precision", "float", "--set",
                           "time.max_steps=200")
        self.assertIn("warning: 'out/checkpoint/checkpoint_000000100.h5' holds 'u' in double precision; "
                      "the run goes on in float", done.stderr)
        self.assertEqual(self.report("other")["steps"], 200)
        self.run_on(2, "input.yaml", "--output", "other", "--restart", "latest", "--set", "time.max_steps=300",
                    "--precision", "double")
        # One that was refused leaves nothing that would be in the way.
        for end in ("", ".h5"):
            self.run_on(2, "input.yaml", "--output", "third", "--restart", "out/checkpoint/checkpoint_000000100" + end,
                        code=0 if end else 2)


class Stopped(Restart):
    TEXT = input_of(end=100, steps=20000, every="1000 steps", checkpoint="1000000 steps")

    def resumes(self, out, ranks):
        self.run_on(ranks, "input.yaml", "--output", out, "--restart", "latest")
        self.assert_same_output("whole", out, out)

    def test_by_signals(self):
        self.in_one_piece(self.TEXT)
        for number, ranks, then in ((signal.SIGTERM, 0, 3), (signal.SIGINT, 0, 0), (signal.SIGUSR2, 0, 1),
                                    (signal.SIGUSR2, 2, 4), (signal.SIGUSR2, 3, 1)):
            with self.subTest(number=number, ranks=ranks):
                out = f"stopped_{number}_{ranks}"
                run = self.started(ranks, "input.yaml", "--output", out)
                self.wait_for_files(out, 3)
                run.send_signal(number)  # mpiexec hands USR2 on to all ranks
                _, stderr = run.communicate(timeout=TIMEOUT)
                self.assertEqual(run.returncode, 75, stderr)
                self.assertRegex(stderr, rf"error: stopped by signal {int(number)} \(.*\) at t = .*, step \d+; "
                                 r"go on with --restart latest\n")
                report = self.report(out)
                self.assertEqual(report["status"], "interrupted")
                self.assertLess(report["steps"], 20000)
                self.assertEqual(self.checkpoints(out), [f"checkpoint_{report['steps']:09d}.h5"])
                self.resumes(out, then)

    def test_usr1_goes_on(self):
        self.in_one_piece(self.TEXT)
        for ranks in (0, 2):
            out = f"asked_{ranks}"
            run = self.started(ranks, "input.yaml", "--output", out)
            self.wait_for_files(out, 3)
            run.send_signal(signal.SIGUSR1)
            _, stderr = run.communicate(timeout=TIMEOUT)
            self.assertEqual(run.returncode, 0, stderr)
            self.assertIn("wrote a checkpoint at t = ", stderr)
            self.assertEqual(len(self.checkpoints(out)), 2)  # that one and the last state's
            self.assert_same_output("whole", out, f"USR1 on {ranks} ranks")

    def test_by_a_file(self):
        self.in_one_piece(self.TEXT)
        for ranks in (0, 2):
            out = f"file_{ranks}"
            run = self.started(ranks, "input.yaml", "--output", out, "--set", "time.max_steps=10000000")
            self.wait_for_files(out, 2)
            (self.folder / out / "stop").touch()
            _, stderr = run.communicate(timeout=TIMEOUT)
            self.assertEqual(run.returncode, 75, stderr)
            self.assertIn("stopped by a file 'stop'", stderr)
            self.assertFalse((self.folder / out / "stop").exists())

    def test_by_wall_time(self):
        self.write(self.TEXT)
        for ranks in (0, 3):
            out = f"wall_{ranks}"
            done = self.run_on(ranks, "input.yaml", "--output", out, "--set", "run.wall_time=0.3 s", "--set",
                               "time.max_steps=10000000", code=75)
            self.assertIn("stopped by the end of run.wall_time", done.stderr)
            steps = self.report(out)["steps"]
            more = self.run_on(2, "input.yaml", "--output", out, "--restart", "latest", "--set",
                               f"time.max_steps={steps + 500}", code=0)
            self.assertIn(f"step {steps}\n", more.stderr)

    def test_by_the_schedulers_clock(self):
        env = {**ENVIRONMENT, "SLURM_JOB_END_TIME": str(int(time.time()) + 31)}
        done = self.run_on(2, self.write(self.TEXT), "--output", "out", "--set", "time.max_steps=10000000",
                           code=75, env=env)
        self.assertIn("stopped by the end of the job's time", done.stderr)

    def test_a_second_interrupt_ends_at_once(self):
        self.write(self.TEXT)
        text = "time.max_steps=10000000"
        run = self.started(0, "input.yaml", "--output", "out", "--set", text, "--set", "checkpoint.on_signal=false")
        self.wait_for_files("out", 2)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual(self.checkpoints("out"), [])


class Killed(Restart):
    """kill -9 at random moments: while steps are made, snapshots written, checkpoints renamed."""

    def kill_all(self):
        """The launcher, and the ranks, which are in process groups of their own: at once."""
        for process in os.listdir("/proc"):
            try:
                if process.isdigit() and os.readlink(f"/proc/{process}/cwd") == os.path.realpath(self.folder):
                    os.kill(int(process), signal.SIGKILL)
            except OSError:
                pass  # it has ended by itself

    def killed_and_resumed(self, ranks, times, generator):
        text = input_of(steps=4000, every="20 steps", checkpoint="30 steps")
        self.in_one_piece(text)
        begin = time.monotonic()
        self.run_on(ranks, "input.yaml", "--output", "timed")
        duration = time.monotonic() - begin
        out, kills, resumed, in_writing = "killed", 0, 0, 0
        while kills < times:
            latest = bool(self.checkpoints(out)) and any(n.endswith(".h5") for n in self.checkpoints(out))
            how = ["--restart", "latest"] if latest else ["--overwrite"]
            run = self.started(ranks, "input.yaml", "--output", out, *how)
            try:
                run.communicate(timeout=generator.uniform(0.1, 0.7) * min(duration, 2))
                self.assertEqual(run.returncode, 0, "ended by itself, but not well")
                subprocess.run(["rm", "-r", str(self.folder / out)], check=True)  # done: once more from the start
                continue
            except subprocess.TimeoutExpired:
                self.kill_all()
                run.communicate()
            kills += 1
            resumed += latest
            in_writing += any((self.folder / out).glob("**/*.part"))
            for path in (self.folder / out).glob("**/*"):
                if path.suffix in (".vtkhdf", ".h5") and path.is_file():
                    with h5py.File(path) as file:  # what has its final name is whole
                        self.assertIn("provenance" if path.suffix == ".vtkhdf" else "state", file)
        self.assertGreater(resumed, times // 4)
        self.assertGreater(in_writing, 0, "no kill came while a file was being written")
        latest = any(n.endswith(".h5") for n in self.checkpoints(out))
        self.run_on(ranks, "input.yaml", "--output", out, *(["--restart", "latest"] if latest else ["--overwrite"]))
        self.assert_same_output("whole", out, f"killed {kills} times on {ranks} ranks")
        self.assertFalse([p for p in (self.folder / out).glob("**/*.part")])

    def test_on_one_rank(self):
        self.killed_and_resumed(0, 40, random.Random(1))

    def test_on_three_ranks(self):
        self.killed_and_resumed(3, 15, random.Random(2))


if __name__ == "__main__":
    unittest.main()
