import ConfigurationTesting
import Expectations
import Foundation
import HubTesting
import LoopTesting
import RadarApp

@testable import Hub

@Suite("Radar: where the keys of sources stand", .timeLimit(.minutes(10)))
struct ConfiguredKeyTests {
    private func parts(
        _ keys: String,
        environment: [String: String] = [:]
    ) throws -> RadarDomain {
        let yaml = "radar: {sources: [{name: a, kind: openai, model: m, \(keys)}]}"
        let parts = try ConfiguredParts(
            load(yaml, domains: [RadarDomain.configuration]),
            environment: environment,
            domains: [RadarDomain.self]
        )
        return try require(parts.domains.first as? RadarDomain)
    }

    @Test func keyIsLookedUpWhereItStands() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "varde-key-\(UUID().uuidString)").path
        try "from-file\n".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let environment = ["OPENAI": "from-environment"]
        for (keys, key) in [
            ("key: from-text", "from-text"), ("key_file: \(path)", "from-file"),
            ("key_env: OPENAI", "from-environment"),
        ] {
            let source = try require(parts(keys, environment: environment).sources.first)
            expectEqual(source.key, Secret(key))
            expectEqual(source.settings.name, "a")
        }
        let local = try parts("url: 'http://localhost/v1'").sources.first
        expectNil(local?.key)
    }

    @Test(arguments: [
        ("key_env: NOBODY", "key_env: nothing found where the key should be"),
        ("key_file: /nonexistent/varde/key", "key_file: nothing found where the key should be"),
        ("key_env: TORN", "key_env: found a text that is no key, expected ASCII without spaces"),
        ("key: 'hunter2 x'", "key: found a text that is no key, expected ASCII without spaces"),
        ("key: hunter2ø", "key: found a text that is no key, expected ASCII without spaces"),
    ])
    func keyThatIsNotThereOrNoneIsReported(keys: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try parts(keys, environment: ["TORN": "hunter2\r\nx"])
        }
        expectEqual(error?.problems.map(\.message), ["radar.sources[0].\(message)"])
        expectEqual(error?.problems.first?.location.hasPrefix("varde.yaml:1:"), true)
    }
}
