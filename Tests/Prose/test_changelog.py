"""Tests of the changelog's check: python3 Tests/Prose/test_changelog.py. They need no package."""

import unittest

import changelog

GOOD = """# Changelog

A paragraph.

## [Unreleased]

## [0.2.0] - 2026-11-26

### Added

- One.

### Changed

- **Breaking:** two,
  on two lines.
- Three.

### Fixed

- Four.

## [0.1.0] - 2026-11-21

### Added

- Five.
"""


class ChangelogTests(unittest.TestCase):
    def problems(self, old="", new="", version="0.2.0"):
        """The problems after one replacement in a correct file."""
        self.assertIn(old, GOOD)
        return changelog.check(GOOD.replace(old, new, 1), version)

    def test_a_correct_file_has_no_problem(self):
        self.assertEqual(self.problems(), [])

    def test_entries_may_be_unreleased(self):
        entries = "## [Unreleased]\n\n### Removed\n\n- **Breaking:** six.\n"
        self.assertEqual(self.problems("## [Unreleased]\n", entries), [])

    def test_the_newest_version_is_that_of_the_program(self):
        self.assertEqual(
            self.problems(version="0.3.0"), [(1, "the newest version is 0.2.0; Version.text is 0.3.0")]
        )

    def test_a_file_without_versions_is_refused(self):
        self.assertEqual(
            changelog.check("# Changelog\n", "0.2.0"),
            [(1, "the newest version is None; Version.text is 0.2.0")],
        )

    def test_each_defect_is_reported_at_its_line(self):
        for old, new, line, problem in [
            ("# Changelog", "# Changes", 1, "title 'Changes'"),
            ("# Changelog", "Changelog", 1, "no title"),
            ("A paragraph.", "# Changelog", 3, "expected one title"),
            ("A paragraph.", "### Added", 3, "before the first version"),
            ("A paragraph.", "- Zero.", 3, "entry outside of a section"),
            ("## [Unreleased]", "", 7, "before '[Unreleased]'"),
            ("## [0.1.0] - 2026-11-21", "## [Unreleased]", 23, "must be the first version"),
            ("## [0.1.0] - 2026-11-21", "## 0.1.0 - 2026-11-21", 23, "expected '[1.2.3] - YYYY-MM-DD'"),
            ("## [0.1.0] - 2026-11-21", "## [0.1.0]", 23, "expected '[1.2.3] - YYYY-MM-DD'"),
            ("2026-11-21", "21.11.2026", 23, "expected '[1.2.3] - YYYY-MM-DD'"),
            ("2026-11-21", "2026-11-31", 23, "does not exist"),
            ("2026-11-21", "2026-11-27", 23, "dates must descend"),
            ("[0.1.0]", "[0.10.0]", 23, "versions must descend"),
            ("[0.1.0]", "[0.2.0]", 23, "versions must descend"),
            ("### Added", "### Incompatible", 9, "expected one of Added"),
            ("### Added", "#### Added", 9, "heading of level 4"),
            ("### Fixed", "### Changed", 19, "twice in one version"),
            ("### Fixed", "### Added", 19, "twice in one version"),
            ("- One.", "- **Breaking:** one.", 11, "expected Changed or Removed"),
            ("- Three.", "- Three.\n- **Breaking:** six.", 18, "expected first in its section"),
        ]:
            with self.subTest(new):
                found = [each for each in self.problems(old, new) if problem in each[1]]
                self.assertEqual([each[0] for each in found], [line])

    def test_sections_have_an_order(self):
        problems = self.problems("### Changed", "### Removed")
        self.assertEqual(problems, [])
        problems = self.problems("### Added", "### Security")
        self.assertEqual([line for line, _ in problems], [13, 19])

    def test_the_same_day_may_have_two_versions(self):
        self.assertEqual(self.problems("2026-11-21", "2026-11-26"), [])

    def test_versions_are_compared_as_numbers(self):
        self.assertEqual(self.problems("[0.2.0]", "[0.10.0]", version="0.10.0"), [])

    def test_the_version_is_read_from_the_source(self):
        source = 'package enum Version {\n    package static let text = "0.2.0"\n}\n'
        self.assertEqual(changelog.version_text(source), "0.2.0")
        self.assertIsNone(changelog.version_text("package enum Version {}"))


if __name__ == "__main__":
    unittest.main()
