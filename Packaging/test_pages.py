"""The man pages and completions against the `--help` of the built programs. SHAREDWORLD_BIN is their folder."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import help_text
import pages

BIN = pathlib.Path(os.environ.get("SHAREDWORLD_BIN", "/usr/bin"))
NAMES = [name for name in pages.PROGRAMS if (BIN / name).exists()]

SAMPLE = """usage: worldmap align MAP CLOUD [OPTION]…

Find where a cloud is. It takes
long.

NOTES
  A paragraph
  of two lines.

OPTIONS
  --up y|z           an axis
  --discovery auto|avahi|none
                     how
  --out FILE         where; can be
                     repeated
  --fast             hurry
"""


class HelpTest(unittest.TestCase):
    def test_a_page_is_read_as_it_was_laid_out(self):
        page = help_text.parse(SAMPLE)
        self.assertEqual((page.name, page.usage), ("worldmap align", "MAP CLOUD [OPTION]…"))
        self.assertEqual(page.summary, "Find where a cloud is. It takes long.")
        self.assertEqual(page.section("NOTES").paragraphs, ["A paragraph of two lines."])
        self.assertEqual([row.form for row in page.options][1:3], ["--discovery auto|avahi|none", "--out FILE"])
        self.assertEqual([row.choices for row in page.options], [["y", "z"], ["auto", "avahi", "none"], [], []])
        self.assertEqual(page.options[2].text, "where; can be repeated")
        self.assertTrue(page.takes_files)
        trust = help_text.parse("usage: worldpeer trust list|add ID NAME|remove PEER [OPTION]…\n\nIt.\n")
        self.assertEqual((trust.name, trust.verbs, trust.takes_files), ("worldpeer trust", ["list", "add", "remove"], False))

    def test_no_line_of_a_man_page_is_a_request_by_accident(self):
        self.assertEqual(pages.roff(".worldmap files"), "\\&.worldmap files")
        self.assertEqual(pages.roff("--a \\ b"), "\\-\\-a \\e b")


@unittest.skipUnless(NAMES, f"no programs in {BIN}")
class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.share = pathlib.Path(cls.folder.name, "share")
        pages.main(str(BIN), cls.folder.name, "1.2.3")
        cls.help = {name: help_text.read(str(BIN / name), name) for name in NAMES}

    def complete(self, line: str) -> list[str]:
        """What bash offers for the last word of a command line."""
        words = line.split(" ")
        script = (
            f'source "$1"; COMP_WORDS=({" ".join(map(repr, words))}); COMP_CWORD={len(words) - 1}\n'
            f'_{words[0]}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        file = self.share / "bash-completion/completions" / words[0]
        ran = subprocess.run(
            ["bash", "--norc", "-euc", script, "bash", file], cwd=self.folder.name, capture_output=True, text=True, check=True)
        self.assertEqual(ran.stderr, "")
        return [word for word in ran.stdout.split("\n") if word]

    def test_the_words_of_every_help_are_in_its_man_page(self):
        for name, page in self.help.items():
            roff = gzip.decompress((self.share / f"man/man1/{name}.1.gz").read_bytes()).decode()
            text = " ".join(re.sub(r"\\f.|\\&", "", roff).replace("\\-", "-").replace("\\e", "\\").split())
            for part in [page, *page.commands]:
                whole = subprocess.run([*[str(BIN / name)], *part.name.split()[1:], "--help"], capture_output=True, text=True)
                for word in whole.stdout.partition("\n\n")[2].split():
                    self.assertIn(word, text)
                for option in part.options:
                    self.assertIn(f"{option.form} {option.text}", text)
                    self.assertIn(f"\n  {option.name}", whole.stdout)

    @unittest.skipUnless(shutil.which("groff"), "groff is missing: apt-get install groff")
    def test_groff_has_nothing_to_say_of_a_man_page(self):
        for name in self.help:
            roff = gzip.decompress((self.share / f"man/man1/{name}.1.gz").read_bytes())
            ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Kutf8"], input=roff, capture_output=True)
            self.assertEqual((ran.returncode, ran.stderr), (0, b""))

    def test_bash_offers_every_option_of_every_help(self):
        for name, page in self.help.items():
            for part in [page, *page.commands]:
                self.assertEqual(self.complete(f"{part.name} --"), [option.name for option in part.options])

    def test_bash_offers_the_choices_of_an_option(self):
        for name, page in self.help.items():
            for part in [page, *page.commands]:
                for option in part.options:
                    if option.choices:
                        self.assertEqual(self.complete(f"{part.name} {option.name} "), option.choices)

    def test_bash_offers_commands_verbs_and_files(self):
        pathlib.Path(self.folder.name, "a room.worldmap").touch()
        self.assertEqual(self.complete("worldmap inf"), ["info"])
        self.assertEqual(self.complete("worldmap info a"), ["a room.worldmap"])
        self.assertEqual(self.complete("worldpeer --map a"), ["a room.worldmap"])
        self.assertEqual(self.complete("worldpeer --storage s"), ["share"])
        self.assertEqual(self.complete("worldpeer do"), ["doctor"])
        self.assertEqual(self.complete("worldpeer trust "), ["list", "add", "remove"])
        self.assertEqual(self.complete("worldpeer --name "), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is missing: apt-get install zsh")
    def test_zsh_reads_its_completions(self):
        for name in self.help:
            subprocess.run(["zsh", "-n", self.share / "zsh/vendor-completions" / f"_{name}"], check=True)


if __name__ == "__main__":
    unittest.main()
