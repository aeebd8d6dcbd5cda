import CommandKit
import Expectations
import Foundation

@testable import varde

@Suite("varde check-config", .timeLimit(.minutes(10)))
struct CheckConfigCommandTests {
    /// What `varde serve` refuses is refused here, too, and all of it at once.
    @Test func keysThatCannotBeUsedAreProblemsBesideTheOthers() async throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "varde-check-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let yaml = """
            tokens: {secrets: [short]}
            api: {keys: ["sha256:zz", short]}
            tls: {certificate: /nonexistent/chain.pem, key: /nonexistent/key.pem}
            """
        try Data(yaml.utf8).write(to: file)
        let command = try CheckConfigCommand.parse(["--config", file.path])
        let error = await #expect(throws: Failure.self) { try await command.run() }
        let text = try require(error?.description)
        expect(text.contains("tokens.secrets[0]: secret has 5 bytes"))
        expect(text.contains("api.keys[0]"))
        expect(text.contains("api.keys[1]"))
        expect(text.contains("/nonexistent/chain.pem"))
    }
}
