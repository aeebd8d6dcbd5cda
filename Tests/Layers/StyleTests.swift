import Expectations
import Foundation

@Suite("Style: what every source file keeps to", .timeLimit(.minutes(10)))
struct StyleTests {
    /// A file past this holds two ideas, even if it is a machine with all its states.
    private static let lineCountMax = 600
    /// A type that is extended by more files of its module holds the state of several ideas.
    private static let extensionCountMax = 8
    /// Those that are over it, with the number of files: it may only fall.
    private static let extensionCounts = [
        "ActivityApp.ActivityTables": 19, "Configuration.Configuration": 18,
        "NewsApp.NewsTables": 12, "Reactor.Connections": 10, "Store.HubStore": 22,
        "Store.SQLSession": 10, "Store.Writer": 9,
    ]
    /// A function past this does more than one thing.
    private static let functionLineCountMax = 60

    private let tree: SourceTree
    /// The load test's too.
    private let files: [SourceTree.File]
    private let tests: [SourceTree.File]

    init() throws {
        tree = try SourceTree.read()
        files = tree.files + (try SourceTree.readLoadTest().files)
        tests = try SourceTree.readTests().files.filter(\.isSwift)
    }

    /// Tables are data: their lines are entries.
    @Test func noFileIsTooLong() {
        for file in files + tests where !file.isGenerated && !file.path.hasSuffix(".txt") {
            expect(file.lineCount <= StyleTests.lineCountMax, "\(file.path)")
        }
    }

    /// Extensions in other modules are not counted: most are conversions of their own types.
    @Test func noTypeIsExtendedByTooManyFiles() {
        var counts: [String: Int] = [:]
        for module in Dictionary(grouping: tree.files.filter(\.isSwift), by: \.module).values {
            let declared = Set(module.flatMap(\.declaredTypes))
            for file in module {
                let others = file.extendedTypes.intersection(declared)
                for type in others.subtracting(file.declaredTypes) {
                    counts["\(file.module).\(type)", default: 0] += 1
                }
            }
        }
        let many = counts.filter { $0.value > StyleTests.extensionCountMax }
        expectEqual(many, StyleTests.extensionCounts)
    }

    @Test func typesAreFoundAtTheBeginningOfALine() {
        let file = SourceTree.File(
            module: "A",
            path: "A.swift",
            text: """
                package final class One {}
                @available(*, deprecated) enum Two<Value> {}
                struct Three: ~Copyable {
                    struct Inner {}
                }
                package extension Four {}
                extension One.Inner: Five {}
                // extension Six {}
                let extension7 = 1
                """
        )
        expectEqual(file.declaredTypes, ["One", "Two", "Three"])
        expectEqual(file.extendedTypes, ["Four", "One"])
    }

    @Test func noFunctionIsTooLong() {
        for file in files + tests where file.isSwift && !file.isGenerated {
            for function in FunctionLength.all(in: file.text) {
                expect(
                    function.lineCount <= StyleTests.functionLineCountMax,
                    "\(file.path) \(function.name)"
                )
            }
        }
    }

    @Test func nothingIsLeftToDo() {
        for file in files {
            for mark in ["TODO", "FIXME", "XXX"] {
                expect(!file.text.contains(mark), "\(file.path)")
            }
        }
    }

    @Test func everyFileEndsWithOneLineBreak() {
        for file in files {
            expect(file.text.hasSuffix("\n"), "\(file.path)")
            expect(!file.text.hasSuffix("\n\n"), "\(file.path)")
        }
    }

    /// A bare closure behind a generic `inout` is wrapped once more at every access, until a call of it
    /// overflows the stack. In a struct it is not.
    @Test func lockHoldsNoBareClosure() {
        let closure = /Locked<\(*@/
        expect("Locked<(@Sendable () -> Int)?>(nil)".contains(closure))
        for file in files {
            expect(!file.text.contains(closure), "\(file.path)")
        }
    }

    /// Elsewhere statements run through `SQLSession`, so that another engine can run them.
    @Test func onlyTheStoreImportsItsEngine() {
        for file in files where file.imports.contains("GRDB") {
            expect(file.path.hasPrefix("Sources/Store/"), "\(file.path)")
        }
        expect(files.contains { $0.imports.contains("GRDB") }, "imports were found")
    }

    /// Elsewhere work goes to the loops through `onEachLoop` and `onOneLoop`.
    @Test func onlyTransportIteratesOverTheLoops() {
        let iteration = /for (?:await )?loop in\b/
        let places = files.filter { $0.text.contains(iteration) }.map(\.path)
        expect(!places.isEmpty, "iterations were found")
        for path in places {
            expect(path.hasPrefix("Sources/Loops/Transport"), "\(path)")
        }
    }

    // MARK: Domains

    /// Where domains are named outside of their folders: each is registered with one line.
    private static let registrations = ["Sources/AllDomains/"]

    @Test func domainIsNamedInItsFolderAlone() {
        let domains = self.domains
        expect(domains.count >= 3, "domains were found")
        var found: Set<String> = []
        for file in tree.files where file.isSwift {
            let own = domains.first { file.path.hasPrefix("Sources/Domains/\($0)/") }
            let others = domains.filter { $0 != own }
            guard let name = domain(of: others, namedIn: file.text, sections: own == nil) else {
                continue
            }
            let place = StyleTests.registrations.first { file.path.hasPrefix($0) }
            if let place {
                found.insert(place)
            } else {
                Issue.record("\(file.path) names \(name)")
            }
        }
        expectEqual(found.sorted(), StyleTests.registrations, "those that name none leave the list")
    }

    @Test func domainIsFoundInCodeAndNotInComments() {
        let domains = ["Activity", "Aurora", "Radar"]
        for text in [
            "let a = AuroraService()", #"a("radar")"#, "configuration.activity?.b", "import Radar",
        ] {
            expect(domain(of: domains, namedIn: text) != nil, "\(text)")
        }
        for text in ["// aurora", "/// A `Radar`, for example.", "let radarlike = 1", "activityOf"]
        {
            expectNil(domain(of: domains, namedIn: text), "\(text)")
        }
        expectNil(domain(of: ["Activity"], namedIn: "let a = AuroraService()"))
        expectNil(domain(of: domains, namedIn: "let activity = 1", sections: false))
        expect(domain(of: domains, namedIn: "import Radar", sections: false) != nil)
        expectNil(domain(of: [], namedIn: "let a = AuroraService()"))
    }

    /// By the names of their folders.
    private var domains: [String] {
        Set(
            tree.files.filter { $0.path.hasPrefix("Sources/Domains/") }
                .map { String($0.path.split(separator: "/")[2]) }
        ).sorted()
    }

    /// A name of a type or a module, outside of comments.
    ///
    /// - Parameter sections: names of sections and namespaces, too. Some are ordinary words in the code of other domains.
    private func domain(
        of domains: [String],
        namedIn text: String,
        sections: Bool = true
    ) -> Substring? {
        let isNamed = domains.contains { text.contains($0) || text.contains($0.lowercased()) }
        guard isNamed else { return nil }
        let words = text.split(separator: "\n").flatMap { line in
            line.prefix(upTo: line.range(of: "//")?.lowerBound ?? line.endIndex)
                .split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }
        return words.first { word in
            domains.contains { domain in
                guard word.hasPrefix(domain) else {
                    return sections && word == domain.lowercased()
                }
                return word.dropFirst(domain.count).first?.isUppercase ?? true
            }
        }
    }

    // MARK: Purposes

    /// `// Feeds: when an upstream is asked, what it is asked, and what its silence means.`
    @Test func oneFileOfEveryPartBeginsWithItsPurpose() throws {
        let list = try LayerList.read()
        for (part, files) in Dictionary(grouping: tree.files, by: list.part) {
            let purposes = files.compactMap { purpose(of: $0, in: part) }
            expectEqual(purposes.count, 1, "\(part): \(purposes)")
        }
    }

    @Test func purposeIsTheFirstCommentAndASentence() {
        expectEqual(purpose(of: "// A: what it does.\nimport B\n"), "what it does.")
        expectEqual(
            purpose(of: "// A: what it does,\n// and for whom.\n"),
            "what it does, and for whom."
        )
        expectNil(purpose(of: "// A: what it does\nimport B\n"), "no sentence")
        expectNil(purpose(of: "// B: what it does.\n"), "another name")
        expectNil(purpose(of: "import B\n// A: what it does.\n"), "not at the beginning")
    }

    private func purpose(of text: String) -> String? {
        purpose(of: SourceTree.File(module: "A", path: "Sources/A/A.swift", text: text), in: "B/A")
    }

    /// What the comment that opens the file says of its part. A module of C is named by its folder;
    /// the comment of its header says the rest.
    private func purpose(of file: SourceTree.File, in part: String) -> String? {
        let comment = file.lines.prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
            .joined(separator: " ")
        let prefix = "\(part.split(separator: "/").last ?? ""): "
        if file.isSwift, !comment.hasPrefix(prefix) { return nil }
        guard file.isSwift || file.path.hasSuffix(".h"), comment.contains(".") else { return nil }
        return file.isSwift ? String(comment.dropFirst(prefix.count)) : comment
    }
}
