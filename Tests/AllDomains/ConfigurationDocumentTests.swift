import AllDomains
import ConfigurationTesting
import Expectations
import Foundation
import RadarApp
import Repository

@Suite("Configuration: its two pages", .timeLimit(.minutes(10)))
struct ConfigurationDocumentTests {
    @Test func documentHasEveryKeyWithItsTypeAndDefault() throws {
        let documented = try documentedKeys()
        let known = ConfigurationSchema.whole.keys
        expectEqual(documented.map(\.path), known.map(\.path), "in the order of the schema")
        for key in known
        where !documented.contains(where: { $0 == (key.path, key.type, key.defaultText) }) {
            Issue.record("missing: | `\(key.path)` | \(key.type) | `\(key.defaultText)` | … |")
        }
    }

    @Test func everyKeyHasAMeaning() throws {
        for row in try rows() {
            expectEqual(row.count, 5)
            expect(row.last?.count ?? 0 > 10, "\(row)")
        }
    }

    @Test func exampleOfTheDocumentIsAccepted() throws {
        let blocks = try document().split(separator: "```")
        let example = try require(blocks.first { $0.hasPrefix("yaml\n") })
        let configuration = try load(
            String(example.dropFirst("yaml\n".count)),
            domains: allDomains.configurations
        ).configuration
        expectEqual(configuration.namespaces.map(\.name), ["chat"])
        expectEqual(configuration.webhooks.first?.secretSource, .environment("PAGER_SECRET"))
        expectEqual(
            configuration[RadarSection.self]?.sources.first?.keySource,
            .environment("CLAUDE_KEY")
        )
    }

    @Test func everyVariableOfTheDocumentIsRead() throws {
        let text = try document() + reference()
        let names = text.split(whereSeparator: { !$0.isLetter && $0 != "_" })
            .filter { $0.hasPrefix("VARDE_") }
        expect(Set(names).count >= 14)
        // Keys of providers are for sources that have none.
        let sources = "{name: a, kind: anthropic, model: m}, {name: b, kind: openai, model: m}"
        let newsSource = "{name: a, kind: newsapi, query: {country: us}}"
        for name in names {
            // No key accepts a control character.
            let environment = [String(name): "\u{1}"]
            let error = #expect(throws: ConfigurationError.self) {
                try load(
                    "radar: {sources: [\(sources)]}\nnews: {sources: [\(newsSource)]}",
                    domains: allDomains.configurations,
                    environment: environment
                )
            }
            expectEqual(error?.description.contains("environment \(name): "), true)
        }
    }

    private func documentedKeys() throws -> [(path: String, type: String, defaultText: String)] {
        try rows().map { row in
            (row[0].filter { $0 != "`" }, row[1], row[2].filter { $0 != "`" })
        }
    }

    /// The cells of the rows whose first cell is a key in code style.
    private func rows() throws -> [[String]] {
        try reference().split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }

    private func document() throws -> String {
        try String(contentsOfFile: repositoryRoot + "/docs/CONFIGURATION.md", encoding: .utf8)
    }

    private func reference() throws -> String {
        try String(contentsOfFile: ConfigurationReference.path, encoding: .utf8)
    }
}
