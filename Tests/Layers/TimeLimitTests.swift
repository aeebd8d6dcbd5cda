import Expectations

/// A test that hangs ends with its name in the log instead of a silent run.
@Suite("Style: every suite has a time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    @Test func everySuiteHasATimeLimit() throws {
        let files = try SourceTree.readTests().files.filter(\.isSwift)
        expect(files.count > 300, "the tests were found")
        for file in files {
            expectEqual(suitesWithoutLimit(file), [], "\(file.path)")
        }
    }

    /// Without `@Suite` there is no place for a limit.
    @Test func everyTestIsInASuite() throws {
        expectEqual(filesOutsideSuites(try SourceTree.readTests().files.filter(\.isSwift)), [])
    }

    @Test func extensionOfASuiteOfItsTargetIsInIt() {
        let suite = file("@Suite(.timeLimit(.minutes(10)))\nstruct A {\n    @Test func a() {}\n}\n")
        let more = file("extension A {\n    @Test func b() {}\n}\n", path: "Tests/A/A+B.swift")
        expectEqual(filesOutsideSuites([suite, more]), [])
        expectEqual(filesOutsideSuites([more]), ["Tests/A/A+B.swift"])
        let other = file("extension B {\n    @Test func b() {}\n}\n", path: "Tests/A/B+B.swift")
        expectEqual(filesOutsideSuites([suite, other]), ["Tests/A/B+B.swift"])
        var elsewhere = more
        elsewhere.module = "B"
        expectEqual(filesOutsideSuites([suite, elsewhere]), ["Tests/A/A+B.swift"])
        let both = file("extension A {\n}\nextension B {\n    @Test func b() {}\n}\n")
        expectEqual(filesOutsideSuites([suite, both]), ["Tests/A/A.swift"])
    }

    @Test func aLimitIsFoundOnAnyLineOfTheAttribute() {
        let limit = ".timeLimit(.minutes(10))"
        expectEqual(suitesWithoutLimit(file("@Suite(\"A\", \(limit))\nstruct A {\n")), [])
        expectEqual(suitesWithoutLimit(file("@Suite(\n  \"A\",\n  \(limit)\n)\nstruct A {\n")), [])
        expectEqual(suitesWithoutLimit(file("@Suite(\"A\")\nstruct A {\n")), ["@Suite(\"A\")"])
        expectEqual(
            suitesWithoutLimit(file("@Suite struct A {\n}\n@Suite(\(limit)) struct B {\n")),
            ["@Suite struct A {"]
        )
    }

    private func file(_ text: String, path: String = "Tests/A/A.swift") -> SourceTree.File {
        SourceTree.File(module: "A", path: path, text: text)
    }

    /// The paths of files with tests that have neither a suite nor only extensions of their target's suites.
    private func filesOutsideSuites(_ files: [SourceTree.File]) -> [String] {
        var known: [String: Set<Substring>] = [:]
        for file in files {
            known[file.module, default: []].formUnion(
                suites(file).compactMap { name(of: $0.attribute) }
            )
        }
        return files.filter { file in
            guard suites(file).isEmpty, file.lines.contains(where: isTest) else { return false }
            let extended = file.text.matches(of: /(?m)^extension (\w+)/).map(\.output.1)
            return extended.isEmpty
                || !extended.allSatisfy { known[file.module]?.contains($0) == true }
        }
        .map(\.path)
    }

    private func isTest(_ line: Substring) -> Bool {
        line.drop { $0 == " " }.hasPrefix("@Test")
    }

    /// Of the type that a suite's attribute belongs to.
    private func name(of attribute: String) -> Substring? {
        attribute.matches(of: /\b(?:struct|class|actor|enum) (\w+)/).last?.output.1
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
