#!/usr/bin/python3
"""What the manual shows is what the program has: the generated page, and the README's input."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import document

ROOT = pathlib.Path(__file__).resolve().parents[2]
XPSIM = os.environ["XPSIM"]


class Docs(unittest.TestCase):
    def test_input_reference_is_generated(self):
        page = subprocess.run([XPSIM, "schema", "--markdown"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(page, (ROOT / "docs/input-reference.md").read_text(encoding="utf-8"),
                         "renew it: xpsim schema --markdown > docs/input-reference.md")

    def test_readme_shows_the_input_whole(self):
        self.assertIn((ROOT / "inputs/heat2d.yaml").read_text(encoding="utf-8"),
                      (ROOT / "README.md").read_text(encoding="utf-8"))

    def test_links_lead_somewhere(self):
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_tutorial_does_what_it_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([], document.failures(ROOT / "docs/tutorial.md", folder, XPSIM))

    def test_gallery(self):
        """Every input is there, in its own words; commands are right, and pictures are those that they write."""
        text = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
        for path in (ROOT / "inputs").glob("*.yaml"):
            self.assertIn(f"`{path.name}`", text)
        for section in re.split(r"^##+ ", text, flags=re.M):
            for _, language, lines in document.blocks(section):
                if language == "yaml":
                    name = re.search(r"`(\w+\.yaml)`", section)[1]
                    words = (ROOT / "inputs" / name).read_text(encoding="utf-8").splitlines()
                    self.assertEqual([], [line for line in lines if line not in words], name)
        commands = re.findall(r"^    (scripts/.*)$", text.replace("\\\n", ""), re.M)
        folder, drawn = "", []
        for program, path, *options in map(shlex.split, commands):
            if program == "scripts/xpsim":
                done = subprocess.run([XPSIM, "check", ROOT / path, *options], capture_output=True, text=True)
                self.assertEqual(0, done.returncode, f"{path} {options}\n{done.stderr}")
                folder = re.search(r"^# files in +(.+)$", done.stdout, re.M)[1]
            else:
                self.assertEqual(folder, path)
                drawn.append(options[-1])
        self.assertEqual(["docs/" + link for link in re.findall(r"\]\((images/.+)\)", text)], drawn)

    def test_space_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for command, code in (
                    (f"xpsim {ROOT}/inputs/wave.yaml --set time.end=1/8 --set verify=[] --set output.every=1/32", 0),
                    ("scripts/plot out/wave --space-time --small", 0),
                    ("scripts/plot out/wave/fields_000000.vtkhdf --space-time", 2)):
                self.assertEqual(code, document.execute(command, folder, XPSIM)[0], command)
            self.assertGreater((pathlib.Path(folder) / "out/wave/fields.png").stat().st_size, 1000)

    def check(self, folder, text):
        (pathlib.Path(folder) / "input.yaml").write_text(text, encoding="utf-8")
        return subprocess.run([XPSIM, "check", "input.yaml"], cwd=folder, capture_output=True, text=True)

    def test_language(self):
        """Every input and example of the language's page is right, every mistake gives its message."""
        page = (ROOT / "docs/language.md").read_text(encoding="utf-8")
        inputs = ["\n".join(lines) for _, language, lines in document.blocks(page) if language == "yaml"]
        base = inputs[0]
        output = "output:\n  fields:\n" + "".join(
            f"    - {{name: example_{n}, value: '{example}'}}\n"
            for n, (_, example) in enumerate(document.rows(page, "", "example")))
        mistakes = document.rows(page, "written", "message")
        self.assertGreater(len(mistakes), 20)
        with tempfile.TemporaryDirectory() as folder:
            for text in [*(document.replaced(base, fragment) for fragment in inputs),
                         document.replaced(base, output)]:
                done = self.check(folder, text)
                self.assertEqual(0, done.returncode, text + done.stderr)
            done = self.check(folder, document.replaced(base, "output:\n  fields:\n" + "".join(
                f"    - {{name: wrong_{n}, value: '{written}'}}\n" for n, (written, _) in enumerate(mistakes))))
            shown = re.sub(r"output\.fields\.\d+\.value", "...", done.stderr)
            for written, message in mistakes:
                self.assertRegex(shown, re.escape(": error: " + message) + r"\n.*" + re.escape(f"'{written}'"))


if __name__ == "__main__":
    unittest.main()
