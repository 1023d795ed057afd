#!/usr/bin/python3
"""What goes wrong on one rank or on all ends every rank with one message and the exit code of the manual, never
in a hang; files under final names are whole, and an older checkpoint is used where the newest is damaged."""

import os
import random
import shutil
import subprocess
import unittest

import h5py

from running import ENVIRONMENT, MPIEXEC, TIMEOUT, XPSIM, Case

INPUT = """xpsim: 1
grid: {cells: [60, 50]}
model: heat
heat: {initial: "sin(pi*x)*y", diffusivity: 0.5}
boundary_conditions: {u: {all: {dirichlet: 0}}}
time: {end: 1, max_steps: 200}
output: {every: 50 steps}
checkpoint: {every: 60 steps, at_end: true}
"""
RANKS = (0, 1, 3)


class Failure(Case):
    def setUp(self):
        super().setUp()
        self.write(INPUT)

    def fails(self, ranks, code, message, *arguments, **more):
        done = self.run_on(ranks, "input.yaml", "--quiet", *arguments, code=code, **more)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn(message, done.stderr)
        return done


class Files(Failure):
    def test_missing_input(self):
        for ranks in RANKS:
            done = self.run_on(ranks, "nowhere.yaml", code=2)
            self.assertEqual(done.stderr.count("error: cannot open 'nowhere.yaml': No such file or directory"), 1)

    def test_bad_input(self):
        self.write(INPUT.replace("diffusivity", "difusivity"))
        for ranks in RANKS:
            self.fails(ranks, 2, "did you mean 'diffusivity'?")

    def test_output_below_a_file(self):
        self.write("no folder", "taken")
        for ranks in RANKS:
            self.fails(ranks, 1, "cannot create the folder 'taken/out'", "--output", "taken/out")

    def test_files_of_another_run(self):
        self.run_on(2, "input.yaml", "--output", "out")
        for ranks in RANKS:
            self.fails(ranks, 2, "the output folder 'out' holds the files of another run", "--output", "out")
        self.run_on(3, "input.yaml", "--output", "out", "--overwrite")

    def test_a_log_that_cannot_be_written(self):
        for ranks in RANKS:
            self.fails(ranks, 1, "cannot write the log '/proc/none/log'", "--output", f"out{ranks}", "--log-json",
                       "/proc/none/log")


class FullDisk(Failure):
    """A small file system in memory where one may be mounted."""

    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(self.disk)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no permission to mount a small file system")
        self.addCleanup(subprocess.run, ["umount", str(self.disk)], check=True)

    def test_snapshots_and_checkpoints_until_it_is_full(self):
        # 24 kB each, and little beside.
        for what in ("output.every=1 steps", "checkpoint.every=1 steps"):
            for ranks in RANKS:
                with self.subTest(what=what, ranks=ranks):
                    out = self.disk / "out"
                    shutil.rmtree(out, ignore_errors=True)
                    done = self.fails(ranks, 1, "No space left on device", "--output", "disk/out", "--set", what,
                                      "--set", "checkpoint.keep=1000", "--report", "report.json")
                    self.assertRegex(done.stderr, r"error: cannot write '?disk/out/")
                    files = list(out.glob("fields_*.vtkhdf")) + list(out.glob("checkpoint/*.h5"))
                    self.assertGreater(len(files), 2)
                    for path in files:
                        with h5py.File(path) as file:
                            self.assertGreater(len(file), 0)
                    self.assertIn('"status": "failed"', (self.folder / "report.json").read_text())
                    # With room again the run goes on from the last whole checkpoint.
                    if what.startswith("checkpoint"):
                        for path in sorted(out.glob("checkpoint/*.h5"))[:-2]:
                            path.unlink()
                        self.run_on(ranks, "input.yaml", "--output", "disk/out", "--restart", "latest")


class Values(Failure):
    def test_not_a_number_on_some_ranks(self):
        for ranks in RANKS:
            done = self.fails(ranks, 4, "the initial state is wrong: field 'u' is not finite in 1500 of 3000 cells",
                              "--set", "heat.initial=sqrt(y-0.5)", "--output", f"out{ranks}")
            self.assertEqual(self.report(f"out{ranks}")["status"], "diverged", done.stderr)

    def test_divergence(self):
        # The source grows without end: every rank sees it at the same step.
        steps = set()
        for ranks in RANKS:
            self.fails(ranks, 4, "is not finite", "--set", "heat.source=exp(1e5*t)", "--set", "time.max_steps=4000",
                       "--set", "output.every=1000 steps", "--output", f"out{ranks}")
            steps.add(self.report(f"out{ranks}")["steps"])
        self.assertEqual(len(steps), 1)

    def test_out_of_memory_on_one_rank(self):
        if "-fsanitize" in self.run_on(0, "info").stdout:
            self.skipTest("a sanitizer needs more address space than this limit leaves")
        arguments = ["input.yaml", "--quiet", "--output", "out", "--set", "grid.cells=[8000, 8000]"]
        # By rank in the shell: mpiexec of Open MPI 5.0.7 crashes when it is given two commands.
        limited = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then ulimit -v 900000; fi; exec "$@"'
        done = subprocess.run([MPIEXEC, "-n", "2", "sh", "-c", limited, "sh", XPSIM, *arguments], cwd=self.folder,
                              env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertRegex(done.stderr, "(?i)error: .*(memory|alloc)")
        self.assertEqual(self.report()["status"], "failed")


class Checkpoints(Failure):
    def setUp(self):
        super().setUp()
        self.run_on(2, "input.yaml", "--output", "out")
        self.newest = self.folder / "out/checkpoint/checkpoint_000000200.h5"
        self.older = self.folder / "out/checkpoint/checkpoint_000000180.h5"
        self.more = ["--set", "time.max_steps=260"]
        self.run_on(0, "input.yaml", "--output", "whole", *self.more)

    def goes_on_from_the_older_one(self, ranks, what):
        shutil.copytree(self.folder / "out", self.folder / "tried")
        done = self.run_on(ranks, "input.yaml", "--output", "tried", "--restart", "latest", *self.more)
        self.assertRegex(done.stderr, r"warning: the checkpoint 'tried/checkpoint/checkpoint_000000200.h5' is damaged: "
                         r".*; trying the one before\n", what)
        self.assertEqual(self.report("tried")["restart"]["step"], 180)
        self.assert_same_output("whole", "tried", what)
        shutil.rmtree(self.folder / "tried")

    def test_flipped_bytes_and_truncation(self):
        whole = self.newest.read_bytes()
        generator = random.Random(3)
        for number in range(12):
            damaged = bytearray(whole)
            # Somewhere among the values, which are most of the file.
            place = generator.randrange(len(whole) // 4, len(whole) // 2)
            damaged[place] ^= 1 << generator.randrange(8)
            self.newest.write_bytes(damaged)
            self.goes_on_from_the_older_one(RANKS[number % 3], f"byte {place} flipped")
        for length in (0, 100, 600, len(whole) // 2, len(whole) - 1):
            self.newest.write_bytes(whole[:length])
            self.goes_on_from_the_older_one(RANKS[length % 3], f"cut to {length} bytes")

    def test_all_damaged(self):
        for path in (self.newest, self.older):
            path.write_bytes(path.read_bytes()[:1000])
        for ranks in RANKS:
            done = self.run_on(ranks, "input.yaml", "--output", "out", "--restart", "latest", code=1)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn("error: the checkpoint 'out/checkpoint/checkpoint_000000180.h5' is damaged", done.stderr)

    def test_one_by_name(self):
        path = "out/checkpoint/checkpoint_000000180.h5"
        self.older.write_bytes(self.older.read_bytes()[:-50])
        for ranks in RANKS:
            self.fails(ranks, 1, f"the checkpoint '{path}' is damaged", "--output", "out", "--restart", path)
            self.fails(ranks, 2, "cannot open 'gone.h5': No such file or directory", "--output", "out", "--restart",
                       "gone.h5")
            self.fails(ranks, 2, "'input.yaml' is no checkpoint", "--output", f"x{ranks}", "--restart", "input.yaml")

    def test_none(self):
        for ranks in RANKS:
            self.fails(ranks, 2, "there is no checkpoint in 'empty/checkpoint'", "--output", "empty", "--restart",
                       "latest")

    def test_of_another_problem(self):
        changes = {"grid.cells": "[60, 51]", "grid.upper": "[1, 2]", "heat.diffusivity": "0.6", "time.scheme": "rk4",
                   "numerics.order": "4", "boundary_conditions.u.all.dirichlet": "1"}
        for key, value in changes.items():
            for ranks in (0, 3):
                with self.subTest(key=key, ranks=ranks):
                    before = sorted(p.name for p in (self.folder / "out").iterdir())
                    done = self.run_on(ranks, "input.yaml", "--quiet", "--output", "out", "--restart", "latest", "--set",
                                       f"{key}={value}", code=2)
                    self.assertIn(f"'{key}", done.stderr)
                    self.assertIn("is not what it was in the run of 'out/checkpoint/checkpoint_000000200.h5'",
                                  done.stderr)
                    self.assertEqual(before, sorted(p.name for p in (self.folder / "out").iterdir()))

    def test_restart_and_overwrite_exclude_each_other(self):
        self.fails(0, 2, "--restart goes on with the files of a run, --overwrite replaces them", "--restart", "latest",
                   "--overwrite")

    def test_another_run_is_not_mixed_in(self):
        self.fails(2, 2, "the output folder 'whole' holds the files of another run", "--output", "whole", "--restart",
                   "out/checkpoint/checkpoint_000000200.h5")

    def test_info(self):
        done = self.run_on(0, "info", "out/checkpoint/checkpoint_000000200.h5")
        self.assertIn("checkpoint", done.stdout)


if __name__ == "__main__":
    unittest.main()
