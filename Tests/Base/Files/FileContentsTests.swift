import Expectations
import Foundation

@testable import Base

@Suite("Files", .timeLimit(.minutes(10)))
struct FileContentsTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "varde-files-\(UUID().uuidString)")

    /// Runs `body` with the path of a file of `bytes`.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        try Data(bytes).write(to: file)
        try body(file.path)
    }

    @Test(arguments: [0, 1, 7, 1 << 20, (1 << 20) + 1])
    func fileUpToTheLimitIsReadWhole(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        try withFile(bytes) { path in
            try expectEqual(contents(ofFile: path, lengthMax: length), bytes)
            try expectEqual(contents(ofFile: path, lengthMax: length + 1), bytes)
            try checkIsReadable(path)
            guard length > 0 else { return }
            let problem = "length \(length) over limit \(length - 1)"
            #expect(throws: FileError(path: path, problem: problem)) {
                try contents(ofFile: path, lengthMax: length - 1)
            }
        }
    }

    @Test func pipeIsNotOpenedToBeChecked() throws {
        try withFile([]) { path in
            let pipe = path + "-pipe"
            expectEqual(mkfifo(pipe, 0o600), 0)
            // Opening it would wait for a writer, for ever.
            try checkIsReadable(pipe)
            expect(isPipe(pipe) && !isPipe(path) && !isPipe(path + "-nowhere"))
        }
    }

    @Test func errorHasTheReasonOfTheSystem() throws {
        try withFile([]) { path in
            let cases = [
                (path + "-nowhere", "No such file or directory"), (path + "/a", "Not a directory"),
                (folder.path, "Is a directory"),
            ]
            for (path, reason) in cases {
                let error = FileError(path: path, problem: "cannot be read: \(reason)")
                expectEqual(error.description, "\(path): cannot be read: \(reason)")
                #expect(throws: error) { try contents(ofFile: path, lengthMax: 10) }
                #expect(throws: error) { try text(ofFile: path, lengthMax: 10) }
                #expect(throws: error) { try checkIsReadable(path) }
            }
        }
    }

    @Test func textIsInUTF8() throws {
        try withFile(Array("blå".utf8)) { path in
            let read = try text(ofFile: path, lengthMax: 10)
            expectEqual(read, "blå")
        }
        try withFile([0x62, 0xFF]) { path in
            let error = FileError(path: path, problem: "found bytes that are not UTF-8")
            #expect(throws: error) { try text(ofFile: path, lengthMax: 10) }
        }
    }

    @Test func pipeAndDeviceAreReadUpToTheLimit() throws {
        let error = FileError(path: "/dev/zero", problem: "length 11 over limit 10")
        #expect(throws: error) { try contents(ofFile: "/dev/zero", lengthMax: 10) }
        try expectEqual(contents(ofFile: "/dev/null", lengthMax: 10), [])
    }
}
