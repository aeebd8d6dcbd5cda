import Expectations
import Foundation
import Repository

@testable import Base

@Suite("Tables of words", .timeLimit(.minutes(10)))
struct WordTableTests {
    private let text = """
        # A table.

        [roles]
        airline
        # Of several words.
        car maker

        [hints]
        nike=shoe=shoes
        gap=navy

        """

    @Test func entriesOfASectionAreInItsOrder() throws {
        let table = try WordTable(name: "a.txt", text)
        expectEqual(table.sections, ["roles", "hints"])
        expectEqual(table.words("roles"), ["airline", "car maker"])
        expectEqual(table.rows("roles"), [["airline"], ["car maker"]])
        expectEqual(table.rows("hints"), [["nike", "shoe", "shoes"], ["gap", "navy"]])
    }

    @Test func entryMayBeInSeveralSections() throws {
        let table = try WordTable(name: "a.txt", "[a]\nx=y\n[b]\nx\ny=y\n")
        expectEqual(table.rows("b"), [["x"], ["y", "y"]])
    }

    @Test func sectionsThatAreExpectedMayBeInAnyOrder() throws {
        let table = try WordTable(name: "a.txt", text, sections: ["hints", "roles"])
        expectEqual(table.sections, ["roles", "hints"])
    }

    @Test(
        arguments: [
            ("", "a.txt: no section \"x\""), ("[x]\na\n[y]\nb\n", "a.txt:3: unknown section \"y\""),
            ("a\n", "a.txt:1: entry before a section"),
            ("[x]\n", "a.txt:1: section \"x\" is empty"),
            ("# a\n[x]\n\n[y]\nb\n", "a.txt:2: section \"x\" is empty"),
            ("[x]\na\n[x]\nb\n", "a.txt:3: section \"x\" is in the table twice"),
            ("[x]\na\n\nb\na\n", "a.txt:5: \"a\" is in the section twice"),
            ("[x]\na=b\na=c\n", "a.txt:3: \"a\" is in the section twice"),
            ("[x]\na=\n", "a.txt:2: empty word, or space around it"),
            ("[x]\n=a\n", "a.txt:2: empty word, or space around it"),
            ("[x]\n a\n", "a.txt:2: empty word, or space around it"),
            ("[x]\na \n", "a.txt:2: empty word, or space around it"),
            ("[x]\na  b\n", "a.txt:2: empty word, or space around it"),
            ("[x]\na= b\n", "a.txt:2: empty word, or space around it"),
            ("[x]\na\tb\n", "a.txt:2: empty word, or space around it"),
            ("[x]\na\r\n", "a.txt:2: empty word, or space around it"),
            ("[x\na\n", "a.txt:1: not a section's name in brackets"),
            ("[]\na\n", "a.txt:1: not a section's name in brackets"),
            ("[ x]\na\n", "a.txt:1: not a section's name in brackets"),
            ("[x] a\n", "a.txt:1: not a section's name in brackets"),
        ]
    )
    func errorNamesFileAndLine(text: String, error: String) {
        let thrown = #expect(throws: WordTableError.self) {
            try WordTable(name: "a.txt", text, sections: ["x"])
        }
        expectEqual(thrown?.description, error)
    }

    @Test func sectionThatTheTableDoesNotHaveStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = try WordTable(name: "a.txt", "[x]\na\n").words("y")
        }
    }

    @Test func entryOfSeveralWordsInASectionOfWordsStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = try WordTable(name: "a.txt", "[x]\na=b\n").words("x")
        }
    }

    @Test func embeddedTableWithAnErrorStopsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = WordTable(embedded: "a.txt", "[x]\n") }
        await #expect(processExitsWith: .success) { _ = WordTable(embedded: "a.txt", "[x]\na\n") }
    }

    // MARK: The tables of the program

    private static let folder = repositoryRoot + "/Sources/System/CTableFiles"

    private static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/tables").sorted()
    }

    private func content(_ path: String) throws -> String {
        try String(contentsOfFile: Self.folder + "/" + path, encoding: .utf8)
    }

    @Test(arguments: try files()) func fileIsATableInComposedCharacters(name: String) throws {
        let text = try content("tables/" + name)
        let table = try WordTable(name: name, text)
        expect(!table.sections.isEmpty)
        expect(text.hasPrefix("# "), "a comment states what the table is for")
        expectEqual(
            Array(text.unicodeScalars),
            Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
        )
    }

    @Test func everyFileIsEmbedded() throws {
        let names = try Self.files()
        expect(names.count > 2, "the files were found")
        let source = try content("CTableFiles.c")
        let embedded = source.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /#embed "tables\/(.*)" suffix\(, 0\)/).map { String($0.1) }
        }
        expectEqual(embedded, names)
    }
}
