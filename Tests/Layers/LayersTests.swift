import Expectations
import Foundation

@Suite("Layers: who may import whom", .timeLimit(.minutes(10)))
struct LayersTests {
    private let tree: SourceTree
    private let list: LayerList

    init() throws {
        tree = try SourceTree.read()
        list = try LayerList.read()
    }

    @Test func everyPartStandsInOneLayer() {
        expectEqual(list.parts.sorted(), Set(tree.files.map(list.part)).sorted())
        expectEqual(Set(list.parts).count, list.parts.count)
    }

    @Test func partsUseOnlyLowerLayers() {
        expect(tree.files.count > 100, "the sources were found")
        expectEqual(list.violations(in: tree), [])
    }

    /// What a domain needs of the hub, `DomainKit` exports.
    @Test func domainImportsItsModelAndDomainKit() {
        let app = /Sources\/Domains\/\w+\/App\/.*/
        let files = tree.files.filter { $0.path.wholeMatch(of: app) != nil }
        expect(files.count > 100, "the sources were found")
        for file in files {
            let domain = file.module.dropLast("App".count)
            let others = file.imports.filter { name in
                list.modules.contains(name[...]) && !name.hasPrefix(domain) && name != "DomainKit"
            }
            expectEqual(others, [], "\(file.path)")
        }
    }

    /// So that the load test can disagree with the server that it puts to the test.
    @Test func loadTestImportsNothingOfTheServer() throws {
        let allowed: Set = ["Base", "Reactor", "Wire"]
        let files = try SourceTree.readLoadTest().files.filter(\.isSwift)
        expect(files.count > 10, "the sources were found")
        for file in files {
            let own = file.imports.filter { list.modules.contains($0[...]) }
            expect(allowed.isSuperset(of: own), "\(file.path): \(own)")
        }
    }

    /// The pure modules: nothing of the kernel, nothing of the network.
    @Test func partsBelowTheReactorImportOnlyWhatIsListedHere() throws {
        let allowed = [
            "Base/Addresses": ["Glibc"],  // the texts of addresses
            "Base/Bounds": ["HeapModule", "Synchronization"],  // queues; atomic counters
            "Base/Files": ["Glibc"],  // open(2), read(2)
            "Base/Locking": ["Glibc"],  // the mutex
            "Base/Tasks": ["Foundation"],  // the wall clock
            // The messages that protoc generates, and the type of their bytes; expiries.
            "ClientWire": ["Foundation", "FoundationEssentials", "HeapModule", "SwiftProtobuf"],
            "Core/Hooks": ["DequeModule"],
            "Core/Lifecycle": ["DequeModule", "HeapModule"],
            "Core/Statistics": ["DequeModule"],
            "News": ["Glibc"],  // logarithms and exponentials
            "Topics": ["DequeModule"],
            "Radar": ["HeapModule"],
            "Replay": ["Foundation", "Yams"],  // reads its recordings
        ]
        let reactor = try require(list.layer(of: "Reactor"))
        let parts = tree.files.filter { (list.layer(of: list.part(of: $0)) ?? 0) < reactor }
        expect(parts.count > 100, "the sources were found")
        for file in parts {
            let others = file.imports.filter { !list.modules.contains($0[...]) }
            let isOfDomain = file.path.hasPrefix("Sources/Domains/")
            let unexpected = others.filter { name in
                // Logarithms, sines and the like.
                if isOfDomain, name == "Glibc" { return false }
                return allowed[list.part(of: file)]?.contains(name) != true
            }
            expectEqual(unexpected, [], "\(file.path)")
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
            Mixed/Under
            Mixed/Over

            High
            ```
            """
    )

    private func violations(_ module: String, _ text: String) throws -> [String] {
        try violations([SourceTree.File(module: module, path: "\(module)/A.swift", text: text)])
    }

    private func violations(_ files: [SourceTree.File]) throws -> [String] {
        try require(list).violations(in: SourceTree(files: files))
    }

    @Test func blockIsReadLineByLine() throws {
        try expectEqual(
            require(list).layers,
            [
                ["Low"], ["Left", "Right"], ["Mixed/Under"], ["Mixed/Over"], ["High"],
            ]
        )
        try expectEqual(require(list).layer(of: "Right"), 1)
        try expectNil(require(list).layer(of: "Foundation"))
    }

    @Test(arguments: ["", "```\nLow\n```", "```layers\nLow", "```layers\n```\n```layers\n```"])
    func textWithoutExactlyOneBlockIsRefused(markdown: String) {
        expectNil(LayerList(markdown: markdown))
    }

    @Test(arguments: [
        ("Base/JSONText/JSONReader.swift", "Base", "JSONText"), ("Wire/A.swift", "Wire", nil),
        ("System/CLinux/include/CLinux.h", "CLinux", "include"),
        ("Domains/Aurora/Model/Oval.swift", "Aurora", nil),
        ("Domains/Aurora/App/Routes/A.swift", "AuroraApp", "Routes"),
        ("Doors/Hooks/HookCaller.swift", "Hooks", nil), ("varde/Varde.swift", "varde", nil),
    ])
    func pathNamesTheModuleAndItsFolder(path: String, module: String, folder: String?) {
        let place = SourceTree.Place(module: module, folder: folder)
        expectEqual(SourceTree.module(path.split(separator: "/")), place)
    }

    @Test func folderIsAPartIfItIsListed() throws {
        let list = try require(list)
        let parts = [("Mixed", "Over"), ("Low", "Over"), ("Low", nil)].map { module, folder in
            list.part(of: SourceTree.File(module: module, folder: folder, path: "", text: ""))
        }
        expectEqual(parts, ["Mixed/Over", "Low", "Low"])
    }

    @Test func exportsOfAModuleAreOfItsLowestPart() throws {
        let list = try require(list)
        let files = ["Mixed", "Low"].map { module in
            SourceTree.File(module: module, path: "\(module)/Exports.swift", text: "")
        }
        expectEqual(files.map(list.part), ["Mixed/Under", "Low"])
    }

    private func mixed(_ folder: String, _ text: String) -> SourceTree.File {
        SourceTree.File(module: "Mixed", folder: folder, path: "\(folder).swift", text: text)
    }

    @Test func typeOfAHigherPartIsNamed() throws {
        let over = mixed("Over", "struct Roof {}")
        try expectEqual(
            violations([mixed("Under", "let roof = Roof()"), over]),
            [
                "Under.swift: Mixed/Under uses Roof of Mixed/Over"
            ]
        )
        for text in [
            "// Roof", #"let a = "Roof""#, "struct House { struct Roof {} }\nlet a = Roof()",
            "let a = House.Roof()", "func a<Element>() {}",
        ] {
            try expectEqual(violations([mixed("Under", text), over]), [], "\(text)")
        }
    }

    @Test func typeOfALowerPartIsUsed() throws {
        let under = mixed("Under", "struct Floor {}")
        try expectEqual(violations([under, mixed("Over", "let floor = Floor()")]), [])
    }

    @Test func importsOfLowerLayersAndOfOthersAreAllowed() throws {
        try expectEqual(violations("High", "import Foundation\nimport Left\nimport Low\n"), [])
    }

    @Test func importsOfHigherAndEqualLayersAreNamed() throws {
        try expectEqual(
            violations("Left", "import Low\nimport High\n@testable import Right\n"),
            [
                "Left/A.swift: Left imports High of a higher layer",
                "Left/A.swift: Left imports Right of its own layer",
            ]
        )
    }

    @Test func moduleInNoLayerIsNamed() throws {
        try expectEqual(violations("New", ""), ["New/A.swift: New is in no layer"])
    }

    @Test func moduleIsImportedAboveItsLowestPart() throws {
        try expectEqual(violations("High", "import Mixed"), [])
        try expectEqual(
            violations("Left", "import Mixed"),
            [
                "Left/A.swift: Left imports Mixed of a higher layer"
            ]
        )
    }

    @Test(arguments: [
        ("import Low", "Low"), ("  import Low.Part", "Low"), ("@testable import Low", "Low"),
        ("@preconcurrency public import Low", "Low"), ("import struct Low.Thing", "Low"),
        ("import func Low.thing", "Low"),
    ])
    func importIsRecognised(line: Substring, module: String) {
        expectEqual(importedModule(line), module)
    }

    @Test(arguments: ["", "// import Low", "let important = 1", "import", "important Low"])
    func otherLinesAreNoImports(line: Substring) {
        expectNil(importedModule(line))
    }
}
