#!/usr/bin/python3
"""What the manual shows is what the program has: the generated page, and the README's input."""
import os
import pathlib
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
        import re
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_tutorial_does_what_it_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([], document.failures(ROOT / "docs/tutorial.md", folder, XPSIM))


if __name__ == "__main__":
    unittest.main()
