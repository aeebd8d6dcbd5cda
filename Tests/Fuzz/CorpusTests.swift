import Expectations
import Foundation
import FuzzKit
import FuzzTargets

/// What `make fuzz` begins with and what it once found, through the same functions.
@Suite(
    "Fuzz: every input of the corpus is accepted or refused as its target says",
    .timeLimit(.minutes(10))
)
struct CorpusTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `Fuzz`, and those of the domains.
    private static let folders: [URL] = {
        let domains = root.appending(path: "Sources/Domains")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: domains.path)) ?? []
        let ofDomains = names.sorted().map { domains.appending(path: "\($0)/Fuzz") }
        return [root.appending(path: "Fuzz")]
            + ofDomains.filter { FileManager.default.fileExists(atPath: $0.path) }
    }()

    private static func seeds(of target: String) throws -> URL {
        let found = folders.map { $0.appending(path: "Corpus/\(target)") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
        expectEqual(found.count, 1, "\(target) has one folder of seeds")
        return try require(found.first)
    }

    private static let targetNames = FuzzTarget.all.map(\.name)

    private func inputNames(of target: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.seeds(of: target).path).sorted()
    }

    @Test func everyTargetHasANameOfItsOwnAndAFolder() throws {
        expectEqual(Set(Self.targetNames).count, Self.targetNames.count)
        let seeds = try Self.folders.flatMap {
            try FileManager.default.contentsOfDirectory(atPath: $0.path + "/Corpus")
        }
        expectEqual(seeds.sorted(), Self.targetNames.sorted())
    }

    /// The fuzzer does not start without.
    @Test func everyDictionaryThatATargetNamesIsThere() throws {
        for name in Set(FuzzTarget.all.map(\.dictionary)) {
            let words = Self.folders.compactMap {
                try? Data(contentsOf: $0.appending(path: "Dictionaries/\(name).dict"))
            }
            Expectations.expect(words.count == 1 && words.first?.isEmpty == false, "\(name)")
        }
    }

    @Test(arguments: targetNames)
    func targetTakesItsCorpus(_ name: String) throws {
        let target = try require(FuzzTarget.all.first { $0.name == name })
        let inputs = try inputNames(of: name)
        Expectations.expect(!inputs.isEmpty, "a target has seeds")
        for input in inputs {
            let url = try Self.seeds(of: name).appending(path: input)
            let bytes = Array(try Data(contentsOf: url))
            Expectations.expect(
                bytes.count <= target.lengthMax,
                "\(input) is longer than the fuzzer's inputs"
            )
            #expect(throws: Never.self, "\(name)/\(input)") { try target.check(bytes) }
        }
    }

    @Test(arguments: targetNames)
    func targetTakesTheEmptyInputAndEveryByte(_ name: String) throws {
        let target = try require(FuzzTarget.all.first { $0.name == name })
        #expect(throws: Never.self) { try target.check([]) }
        for byte in UInt8.min...UInt8.max {
            #expect(throws: Never.self, "byte \(byte)") { try target.check([byte]) }
        }
    }
}
