#!/usr/bin/python3
"""What the manual shows is what the program has: the generated page, and the README's input."""
import os
import pathlib
import re
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
