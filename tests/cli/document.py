"""Runs what a page of the manual shows: files, commands, and what they print."""
import os
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What differs from machine to machine and from run to run.
VARIABLE = [
    (r"OpenMP on \d+ threads?", "OpenMP on N threads"),
    (r"OpenMP, double, \d+ threads?", "OpenMP, double, N threads"),
    (r"in [0-9.e+-]+ s \([0-9.e+-]+ cell updates/s\)", "in T s (R cell updates/s)"),
]


def blocks(text):
    """Code of a page, in order: (name of the file or "", language, lines). Indented code has language 'indented'."""
    lines = text.splitlines()
    n, last = 0, ""
    while n < len(lines):
        line = lines[n]
        if line.startswith("```"):
            end = next(m for m in range(n + 1, len(lines)) if lines[m].startswith("```"))
            names = re.findall(r"`([\w-]+\.(?:yaml|py))`", last) if last.endswith(":") or "yaml` has" in last else []
            yield (names[-1] if names else ""), line[3:].strip(), lines[n + 1:end]
            n = end
        elif line.startswith("    ") and not lines[n - 1].strip():
            end = n
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            yield "", "indented", [code[4:] for code in lines[n:end]]
            n = end - 1
        elif line.strip():
            last = line if lines[n - 1].strip() == "" else last + " " + line
        n += 1


def fixed(text):
    for pattern, replacement in VARIABLE:
        text = re.sub(pattern, replacement, text)
    return text


def matches(shown, printed):
    """Is the output the one that is shown, where a line '...' stands for any lines?"""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(fixed(line)) + r"\n" for line in shown)
    return re.fullmatch(pattern, fixed(printed)) is not None


def execute(command, folder, xpsim):
    """A command of the page, as its reader would start it; output of both streams."""
    words = shlex.split(command)
    mpiexec = os.environ.get("MPIEXEC", "mpirun")
    known = {"xpsim": [xpsim], "mpirun": [mpiexec], "scripts/plot": ["/usr/bin/python3", str(ROOT / "scripts/plot")]}
    words = [part for word in words for part in known.get(word, [word])]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive",
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def is_command(line):
    return line.split(" ")[0] in ("xpsim", "mpirun", "scripts/plot", "cmp", "tail", "/usr/bin/python3")


def failures(page, folder, xpsim):
    """Does all that the page says, and returns what did not come out as shown."""
    wrong = []
    for name, language, lines in blocks(page.read_text(encoding="utf-8")):
        if language in ("yaml", "python"):
            if not name:
                wrong.append(f"a block without a file name before it: {lines[0]}")
            else:
                (pathlib.Path(folder) / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        elif language == "indented" and is_command(lines[0]):
            for line in lines:
                code, output = execute(line, folder, xpsim)
                if code != 0:
                    wrong.append(f"{line}\nends with exit code {code}:\n{output}")
        elif language == "" and lines and lines[0].startswith("$ "):
            while lines:
                end = next((n for n in range(1, len(lines)) if lines[n].startswith("$ ")), len(lines))
                code, output = execute(lines[0][2:], folder, xpsim)
                if not matches(lines[1:end], output):
                    wrong.append(f"{lines[0]}\nprints (exit code {code}):\n{output}")
                lines = lines[end:]
    return wrong


def rows(text, first, last):
    """Of every table whose first and last column have these titles ("" for any): the code in those cells."""
    found = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif not inside and first in ("", cells[0]) and cells[-1] == last:
            inside = True
        elif inside and not line.startswith("|--"):
            found.append((cells[0].strip("`"), cells[-1].strip("`")))
    return found


def replaced(base, fragment):
    """An input with the blocks of a fragment in the place of its own."""
    def parts(text):
        found = {}
        for line in text.splitlines():
            if line and not line[0].isspace():
                key = line.split(":")[0]
                found[key] = line
            elif line:
                found[key] += "\n" + line
        return found
    return "\n".join({**parts(base), **parts(fragment)}.values()) + "\n"
