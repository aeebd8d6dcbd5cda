import Foundation
import Testing

@Suite("Layers: who may import whom", .timeLimit(.minutes(10)))
struct LayersTests {
    private let tree: SourceTree
    private let list: LayerList

    init() throws {
        tree = try SourceTree.read()
        let path = SourceTree.root.appending(path: "docs/ARCHITECTURE.md").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        list = try #require(
            LayerList(markdown: text),
            "docs/ARCHITECTURE.md has no block of layers"
        )
    }

    @Test func everyModuleStandsInOneLayer() {
        #expect(list.modules.sorted() == tree.modules)
        #expect(Set(list.modules).count == list.modules.count)
    }

    @Test func modulesImportOnlyFromLowerLayers() {
        #expect(tree.files.count > 100, "the sources were found")
        #expect(list.violations(in: tree) == [])
    }

    /// So that the load test can disagree with the server that it puts to the test.
    @Test func loadTestImportsNothingOfTheServer() throws {
        let allowed: Set = ["Digests", "HTTPWire", "JSONText", "Reactor", "WebSocketWire"]
        let files = try SourceTree.readLoadTest().files.filter(\.isSwift)
        #expect(files.count > 10, "the sources were found")
        for file in files {
            let own = file.imports.filter { list.layer(of: $0) != nil }
            #expect(allowed.isSuperset(of: own), "\(file.path): \(own)")
        }
    }

    /// The pure modules: nothing of the kernel, nothing of the network.
    @Test func modulesBelowTheReactorImportOnlyWhatIsListedHere() throws {
        let allowed = [
            "Addresses": ["Glibc"],  // the texts of addresses
            "Bounds": ["HeapModule", "Synchronization"],  // queues; atomic counters
            // The messages that protoc generates, and the type of their bytes; expiries.
            "ClientWire": ["Foundation", "FoundationEssentials", "HeapModule", "SwiftProtobuf"],
            "Files": ["Glibc"],  // open(2), read(2)
            "Locking": ["Glibc"],  // the mutex
            "News": ["Glibc"],  // logarithms and exponentials
            "PubSub": ["DequeModule"],
            "Radar": ["HeapModule"],
            "Replay": ["Foundation", "Yams"],  // reads its recordings
            "Statistics": ["DequeModule"],
            "Tasks": ["Foundation"],  // the wall clock
        ]
        let reactor = try #require(list.layer(of: "Reactor"))
        let own = Set(list.modules)
        for file in tree.files where (list.layer(of: file.module) ?? 0) < reactor {
            let others = file.imports.filter { !own.contains($0) }
            let isOfDomain = file.path.hasPrefix("Sources/Domains/")
            let unexpected = others.filter { name in
                // Logarithms, sines and the like.
                if isOfDomain, name == "Glibc" { return false }
                return allowed[file.module]?.contains(name) != true
            }
            #expect(unexpected == [], "\(file.path)")
        }
    }
}

@Suite("Layers: the checks themselves", .timeLimit(.minutes(10)))
struct LayerListTests {
    private let list = LayerList(
        markdown: """
            # Layers

            ```layers
            Low
            Left Right

            High
            ```
            """
    )

    private func violations(_ module: String, _ text: String) throws -> [String] {
        let file = SourceTree.File(module: module, path: "\(module)/A.swift", text: text)
        return try #require(list).violations(in: SourceTree(files: [file]))
    }

    @Test func blockIsReadLineByLine() throws {
        #expect(try #require(list).layers == [["Low"], ["Left", "Right"], ["High"]])
        #expect(try #require(list).layer(of: "Right") == 1)
        #expect(try #require(list).layer(of: "Foundation") == nil)
    }

    @Test(arguments: ["", "```\nLow\n```", "```layers\nLow", "```layers\n```\n```layers\n```"])
    func textWithoutExactlyOneBlockIsRefused(markdown: String) {
        #expect(LayerList(markdown: markdown) == nil)
    }

    @Test(arguments: [
        ("Base/JSONText/JSONReader.swift", "JSONText"), ("Hub/Routing/A/B.swift", "Routing"),
        ("Domains/Aurora/Model/Oval.swift", "Aurora"), ("Domains/Aurora/App/A.swift", "AuroraApp"),
        ("Domains/Aurora/Commands/A.swift", "AuroraCommands"),
        ("HubServer/Shard/Shard.swift", "HubServer"), ("varde/Varde.swift", "varde"),
    ])
    func pathNamesTheModule(path: String, module: String) {
        #expect(SourceTree.module(path.split(separator: "/")) == module)
    }

    @Test func importsOfLowerLayersAndOfOthersAreAllowed() throws {
        #expect(try violations("High", "import Foundation\nimport Left\nimport Low\n") == [])
    }

    @Test func importsOfHigherAndEqualLayersAreNamed() throws {
        #expect(
            try violations("Left", "import Low\nimport High\n@testable import Right\n") == [
                "Left/A.swift: Left imports High of a higher layer",
                "Left/A.swift: Left imports Right of its own layer",
            ]
        )
    }

    @Test func moduleInNoLayerIsNamed() throws {
        #expect(try violations("New", "") == ["New/A.swift: New is in no layer"])
    }

    @Test(arguments: [
        ("import Low", "Low"), ("  import Low.Part", "Low"), ("@testable import Low", "Low"),
        ("@preconcurrency public import Low", "Low"), ("import struct Low.Thing", "Low"),
        ("import func Low.thing", "Low"),
    ])
    func importIsRecognised(line: Substring, module: String) {
        #expect(importedModule(line) == module)
    }

    @Test(arguments: ["", "// import Low", "let important = 1", "import", "important Low"])
    func otherLinesAreNoImports(line: Substring) {
        #expect(importedModule(line) == nil)
    }
}
