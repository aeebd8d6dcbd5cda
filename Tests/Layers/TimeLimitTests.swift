import Testing

/// A test that hangs ends with its name in the log instead of a silent run.
@Suite("Style: every suite has a time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    @Test func everySuiteHasATimeLimit() throws {
        let files = try SourceTree.readTests().files.filter(\.isSwift)
        #expect(files.count > 300, "the tests were found")
        for file in files {
            #expect(suitesWithoutLimit(file) == [], "\(file.path)")
        }
    }

    /// Without `@Suite` there is no place for a limit.
    @Test func everyTestIsInASuite() throws {
        for file in try SourceTree.readTests().files where file.isSwift {
            let hasTests = file.lines.contains { $0.drop { $0 == " " }.hasPrefix("@Test") }
            #expect(!hasTests || !suites(file).isEmpty, "\(file.path)")
        }
    }

    @Test func aLimitIsFoundOnAnyLineOfTheAttribute() {
        let limit = ".timeLimit(.minutes(10))"
        #expect(suitesWithoutLimit(file("@Suite(\"A\", \(limit))\nstruct A {\n")) == [])
        #expect(suitesWithoutLimit(file("@Suite(\n  \"A\",\n  \(limit)\n)\nstruct A {\n")) == [])
        #expect(suitesWithoutLimit(file("@Suite(\"A\")\nstruct A {\n")) == ["@Suite(\"A\")"])
        #expect(
            suitesWithoutLimit(file("@Suite struct A {\n}\n@Suite(\(limit)) struct B {\n"))
                == ["@Suite struct A {"]
        )
    }

    private func file(_ text: String) -> SourceTree.File {
        SourceTree.File(module: "A", path: "Tests/A/A.swift", text: text)
    }

    private func suitesWithoutLimit(_ file: SourceTree.File) -> [String] {
        suites(file).filter { !$0.attribute.contains(".timeLimit(") }.map(\.firstLine)
    }

    /// The lines from each `@Suite` to the brace that opens its type.
    private func suites(_ file: SourceTree.File) -> [(firstLine: String, attribute: String)] {
        let lines = file.lines
        return lines.indices.filter { lines[$0].drop { $0 == " " }.hasPrefix("@Suite") }.map {
            first in
            let last = lines[first...].firstIndex { $0.hasSuffix("{") } ?? first
            return (String(lines[first]), lines[first...last].joined(separator: "\n"))
        }
    }
}
