import Foundation
import Testing

@Suite("Style: what every source file keeps to", .timeLimit(.minutes(10)))
struct StyleTests {
    /// A file past this holds two ideas.
    private static let lineCountMax = 400
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

    @Test func noFileIsTooLong() {
        for file in files + tests where !file.isGenerated {
            #expect(file.lineCount <= StyleTests.lineCountMax, "\(file.path)")
        }
    }

    @Test func noFunctionIsTooLong() {
        for file in files + tests where file.isSwift && !file.isGenerated {
            for function in FunctionLength.all(in: file.text) {
                #expect(
                    function.lineCount <= StyleTests.functionLineCountMax,
                    "\(file.path) \(function.name)"
                )
            }
        }
    }

    @Test func nothingIsLeftToDo() {
        for file in files {
            for mark in ["TODO", "FIXME", "XXX"] {
                #expect(!file.text.contains(mark), "\(file.path)")
            }
        }
    }

    @Test func everyFileEndsWithOneLineBreak() {
        for file in files {
            #expect(file.text.hasSuffix("\n"), "\(file.path)")
            #expect(!file.text.hasSuffix("\n\n"), "\(file.path)")
        }
    }

    /// A bare closure behind a generic `inout` is wrapped once more at every access, until a call of it
    /// overflows the stack. In a struct it is not.
    @Test func lockHoldsNoBareClosure() {
        let closure = /Locked<\(*@/
        #expect("Locked<(@Sendable () -> Int)?>(nil)".contains(closure))
        for file in files {
            #expect(!file.text.contains(closure), "\(file.path)")
        }
    }

    /// Elsewhere statements run through `SQLSession`, so that another engine can run them.
    @Test func onlyTheStoreImportsItsEngine() {
        for file in files where file.imports.contains("GRDB") {
            #expect(file.path.hasPrefix("Sources/Kernel/Store/"), "\(file.path)")
        }
        #expect(files.contains { $0.imports.contains("GRDB") }, "imports were found")
    }

    /// Elsewhere work goes to the loops through `onEachLoop` and `onOneLoop`.
    @Test func onlyTransportIteratesOverTheLoops() {
        let iteration = /for (?:await )?shard in\b/
        let places = files.filter { $0.text.contains(iteration) }.map(\.path)
        #expect(!places.isEmpty, "iterations were found")
        for path in places {
            #expect(path.hasPrefix("Sources/Hub/Shards/Transport"), "\(path)")
        }
    }

    // MARK: Domains

    /// Where domains are still named outside of their folders. Nothing is added here.
    private static let namesDomains = ["Sources/AllDomains/"]

    @Test func domainIsNamedInItsFolderAlone() {
        var found: Set<String> = []
        for file in tree.files where file.isSwift && !file.path.hasPrefix("Sources/Domains/") {
            guard let name = domain(namedIn: file.text) else { continue }
            let place = StyleTests.namesDomains.first { file.path.hasPrefix($0) }
            if let place {
                found.insert(place)
            } else {
                Issue.record("\(file.path) names \(name)")
            }
        }
        #expect(found.sorted() == StyleTests.namesDomains, "those that name none leave the list")
    }

    @Test func domainIsFoundInCodeAndNotInComments() {
        for text in [
            "let a = AuroraService()", #"a("radar")"#, "configuration.activity?.b", "import Radar",
        ] {
            #expect(domain(namedIn: text) != nil, "\(text)")
        }
        for text in ["// aurora", "/// A `Radar`, for example.", "let radarlike = 1", "activityOf"]
        {
            #expect(domain(namedIn: text) == nil, "\(text)")
        }
    }

    /// A name of a type, a module, a namespace or a section, outside of comments.
    private func domain(namedIn text: String) -> Substring? {
        let names =
            /\b(Aurora|Radar|Activity)[A-Z]\w*|\b(aurora|radar|activity|Aurora|Radar|Activity)\b/
            .wordBoundaryKind(.simple)
        for line in text.split(separator: "\n") {
            let code = line.prefix(upTo: line.range(of: "//")?.lowerBound ?? line.endIndex)
            if let match = code.firstMatch(of: names) { return match.output.0 }
        }
        return nil
    }

    // MARK: Purposes

    /// `// Feeds: when an upstream is asked, what it is asked, and what its silence means.`
    @Test func oneFileOfEveryModuleBeginsWithItsPurpose() {
        for module in tree.modules {
            let purposes = tree.files.filter { $0.module == module }.compactMap(purpose)
            #expect(purposes.count == 1, "\(module): \(purposes)")
        }
    }

    @Test func purposeIsTheFirstCommentAndASentence() {
        #expect(purpose(of: "// A: what it does.\nimport B\n") == "what it does.")
        #expect(
            purpose(of: "// A: what it does,\n// and for whom.\n") == "what it does, and for whom."
        )
        #expect(purpose(of: "// A: what it does\nimport B\n") == nil, "no sentence")
        #expect(purpose(of: "// B: what it does.\n") == nil, "another name")
        #expect(purpose(of: "import B\n// A: what it does.\n") == nil, "not at the beginning")
    }

    private func purpose(of text: String) -> String? {
        purpose(of: SourceTree.File(module: "A", path: "Sources/A/A.swift", text: text))
    }

    /// What the comment that opens the file says of its module. A module of C is named by its folder;
    /// the comment of its header says the rest.
    private func purpose(of file: SourceTree.File) -> String? {
        let comment = file.lines.prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
            .joined(separator: " ")
        let prefix = "\(file.module): "
        if file.isSwift, !comment.hasPrefix(prefix) { return nil }
        guard file.isSwift || file.path.hasSuffix(".h"), comment.contains(".") else { return nil }
        return file.isSwift ? String(comment.dropFirst(prefix.count)) : comment
    }
}
