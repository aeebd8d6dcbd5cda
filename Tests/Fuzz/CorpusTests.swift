import Foundation
import FuzzKit
import FuzzTargets
import Testing

/// What `make fuzz` begins with and what it once found, through the same functions.
@Suite(
    "Fuzz: every input of the corpus is accepted or refused as its target says",
    .timeLimit(.minutes(10))
)
struct CorpusTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    private static let targetNames = FuzzTarget.all.map(\.name)

    private func inputNames(of target: String) throws -> [String] {
        let path = Self.folder.appending(path: target).path
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func everyTargetHasANameOfItsOwnAndAFolder() throws {
        #expect(Set(Self.targetNames).count == Self.targetNames.count)
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(folders.sorted() == Self.targetNames.sorted())
    }

    /// The fuzzer does not start without.
    @Test func everyDictionaryThatATargetNamesIsThere() throws {
        let folder = Self.folder.deletingLastPathComponent().appending(path: "Dictionaries")
        for name in Set(FuzzTarget.all.map(\.dictionary)) {
            let words = try Data(contentsOf: folder.appending(path: "\(name).dict"))
            #expect(!words.isEmpty, "\(name)")
        }
    }

    @Test(arguments: targetNames)
    func targetTakesItsCorpus(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try inputNames(of: name)
        #expect(!inputs.isEmpty, "a target has seeds")
        for input in inputs {
            let url = Self.folder.appending(path: "\(name)/\(input)")
            let bytes = Array(try Data(contentsOf: url))
            #expect(bytes.count <= target.lengthMax, "\(input) is longer than the fuzzer's inputs")
            #expect(throws: Never.self, "\(name)/\(input)") { try target.check(bytes) }
        }
    }

    @Test(arguments: targetNames)
    func targetTakesTheEmptyInputAndEveryByte(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        #expect(throws: Never.self) { try target.check([]) }
        for byte in UInt8.min...UInt8.max {
            #expect(throws: Never.self, "byte \(byte)") { try target.check([byte]) }
        }
    }
}
