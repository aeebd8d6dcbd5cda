"""Tests of the generators: python3 licences/tests.py. They need no package and no network."""

import tempfile
import unittest
from pathlib import Path

import exceptions
from components import TEXTS, Component, comment, holders_in, of_package
from graph import Package
from notices import notices
from recognition import LicenceError, recognise
from runtime import Library, libraries
from sbom import component, debian, licence

MIT = (Path(__file__).parent.parent / "LICENSE").read_text()
BSD = (TEXTS / "foundation-uuid.txt").read_text()


class RecognitionTests(unittest.TestCase):
    def test_licences_are_recognised_however_their_lines_break(self):
        self.assertEqual(recognise(MIT, of="x"), "MIT")
        self.assertEqual(recognise(" ".join(MIT.split()).upper(), of="x"), "MIT")
        self.assertEqual(recognise(BSD, of="x"), "BSD-3-Clause")
        llvm = (TEXTS / "llvm.txt").read_text()
        self.assertEqual(recognise(llvm, of="x"), "Apache-2.0 WITH LLVM-exception")
        apache = llvm.split("---- LLVM Exceptions")[0]
        self.assertEqual(recognise(apache, of="x"), "Apache-2.0")

    def test_unknown_mixed_and_unaccepted_licences_are_refused_by_name(self):
        gpl = "GNU General Public License, version 3"
        for text, message in [
            ("", "unknown"),
            ("Do what you want.", "unknown"),
            (MIT.replace("sublicense", ""), "unknown"),
            (MIT + BSD, "matches BSD-3-Clause, MIT"),
            (MIT + gpl, "matches GPL, MIT"),
            (gpl, "GPL is not accepted"),
        ]:
            with self.assertRaisesRegex(LicenceError, f"^some: .*{message}"):
                recognise(text, of="some")


class PackageTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "some"
        self.write("LICENSE", MIT)
        self.write("Sources/A/A.swift", "// Copyright (c) 2024 the Varde authors\n")

    def write(self, name, text):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def components(self):
        folders = {self.path / "Sources/A"}
        package = Package("some", "1.2.3", "https://host/some", self.path, folders=folders)
        return of_package(package)

    def refusal(self):
        with self.assertRaises(LicenceError) as caught:
            self.components()
        return str(caught.exception)

    def test_package_without_or_with_two_licence_files_is_refused(self):
        self.write("COPYING", MIT)
        self.assertIn("found COPYING, LICENSE", self.refusal())
        (self.path / "LICENSE").unlink()
        (self.path / "COPYING").unlink()
        self.assertIn("found none", self.refusal())

    def test_notice_is_part_of_the_component(self):
        self.write("NOTICE.txt", "a notice")
        [own] = self.components()
        self.assertEqual((own.licence, own.notice), ("MIT", "a notice"))

    def test_code_of_others_in_linked_targets_needs_an_entry(self):
        (self.path / "LICENSE").write_text(MIT.split("\n\n", 2)[2])
        self.write("Sources/A/B.swift", "// Copyright (c) 2024 the Varde authors\n")
        for name, text in [
            ("Sources/A/c/c.c", ""),
            ("Sources/A/vendored/LICENSE", MIT),
            ("Sources/A/C.swift", "// Copyright 2008 Somebody Else. All rights reserved.\n"),
        ]:
            self.write(name, text)
            self.assertIn("see exceptions.py", self.refusal())
            (self.path / name).unlink()
        self.write("Sources/NotLinked/c.c", "")
        self.assertEqual(len(self.components()), 1)

    def test_entry_accounts_for_code_of_others(self):
        self.write("Sources/A/C.swift", "\n// Copyright 2008 Else\n// More.\n\ncode\n")
        self.write("BSD", BSD)
        entry = {"name": "Else", "holder": "Else", "homepage": "https://else", "file": "BSD"}
        exceptions.INSIDE["some"] = [entry]
        self.addCleanup(exceptions.INSIDE.pop, "some")
        own, inside = self.components()
        self.assertEqual((inside.licence, inside.inside), ("BSD-3-Clause", own.name))

    def test_comments_and_holders_are_read(self):
        text = "code\n// Copyright (C) 2015-2023 A B\n//\n// Permission\ncode\n// other\n"
        self.assertEqual(comment(text, "2015-2023"), "Copyright (C) 2015-2023 A B\n\nPermission")
        self.assertEqual(list(holders_in(text)), ["A B"])
        self.assertEqual(list(holders_in("the copyright notice of 1.\n")), [])


class OutputTests(unittest.TestCase):
    def test_shared_licence_text_is_printed_once(self):
        both = [
            Component("a", "MIT", MIT, "https://a", "1", programs=["varde"]),
            Component("b", "MIT", MIT.replace("\n", " "), "https://b", "2", notice="n"),
        ]
        text = notices(both, [Library("libx1", ["libx.so.1"], "MIT")])
        self.assertIn("Licence text 1: a, b\n", text)
        self.assertNotIn("text 2", text)
        self.assertEqual(text.count("Permission is hereby granted"), 1)
        self.assertIn("libx.so.1", text)

    def test_documented_libraries_have_files_and_licences(self):
        for library in libraries():
            self.assertTrue(library.files and library.licence, library)

    def test_table_is_required(self):
        with self.assertRaises(ValueError):
            libraries("# x\n\n## Run-time libraries\n\nnone\n\n## Next\n")

    def test_bill_has_identifiers_expressions_and_commits(self):
        self.assertEqual(licence("MIT"), {"license": {"id": "MIT"}})
        self.assertEqual(licence("LicenseRef-X"), {"expression": "LicenseRef-X"})
        self.assertEqual(licence("MIT AND Zlib"), {"expression": "MIT AND Zlib"})
        package = Package("a", "1.2", "https://github.com/o/a", Path("/a"), revision="ab" * 20)
        value = component(Component("a", "MIT", MIT, package.homepage, "1.2", package=package))
        self.assertEqual(value["purl"], "pkg:swift/github.com/o/a@1.2")
        self.assertEqual(value["externalReferences"][0]["hashes"][0]["content"], "ab" * 20)
        system = debian(Library("no-such-package", ["libx.so.1"], "MIT"))
        self.assertEqual(system["purl"], "pkg:deb/debian/no-such-package")
        self.assertNotIn("version", system)


if __name__ == "__main__":
    unittest.main()
