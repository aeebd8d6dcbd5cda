import AllDomains
import ConfigurationTesting
import Expectations
import Foundation
import Repository

/// A reader who types the examples of a how-to page gets what the page promises: the hub refuses
/// publications to namespaces that are not configured.
@Suite("How-to pages: example publications", .timeLimit(.minutes(10)))
struct ExamplePublicationTests {
    private static let folder = repositoryRoot + "/docs/how-to"
    /// Of the secrets that the configurations read from variables.
    private static let environment = ["HOOK_SECRET": "whsec_" + String(repeating: "A", count: 32)]
    private static let pages = try! FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".md") }.sorted()

    @Test(arguments: pages)
    func namespaceOfEachExampleIsConfiguredOrOpen(_ page: String) throws {
        let text = try String(contentsOfFile: "\(Self.folder)/\(page)", encoding: .utf8)
        let known = try Self.openNamespaces().union(Self.configuredNamespaces(of: text))
        for topic in Self.publishedTopics(of: text) {
            let namespace = String(topic.prefix { $0 != ":" })
            expect(
                known.contains(namespace),
                "\(page) publishes to \(topic), and configures no namespace \(namespace)"
            )
        }
    }

    @Test func examplesOfAllFormsAreFound() throws {
        let found = try Set(
            Self.pages.flatMap { page in
                Self.publishedTopics(
                    of: try String(contentsOfFile: "\(Self.folder)/\(page)", encoding: .utf8)
                ).map { "\(page) \($0)" }
            }
        )
        expect(
            found.isSuperset(of: [
                "publish-from-sql.md orders:42", "publish-from-sql.md orders:", "tracing.md chat:7",
                "inspect.md chat:room",
            ])
        )
        let forms = """
            SELECT varde.publish ( 'a:1', '{}'); -d '{ "channel" : "b:1" }'
            -d '{"channels":["c:1", "d:1"],"data":1}' varde publish --url URL e:1 '{}'
            client.newSubscription("f:1").publish({}); varde.publish(channel, data)
            """
        expectEqual(Self.publishedTopics(of: forms), ["a:1", "b:1", "c:1", "d:1", "e:1", "f:1"])
        try expect(Self.openNamespaces().isSuperset(of: ["chat", "demo", "aurora"]))
        let page = "```yaml\nnamespaces:\n  - name: a\n```\nb\n```yaml\nlisten: []\n```\n"
        try expectEqual(Self.configuredNamespaces(of: page), ["a"])
    }

    /// The topics that the examples of a page publish to, in the order of the alphabet.
    private static func publishedTopics(of page: String) -> [String] {
        let quoted = #/["']([^"']*)["']/#
        let lists = page.matches(of: #/"channels"\s*:\s*\[([^\]]*)\]/#)
            .flatMap { $0.1.matches(of: quoted).map { String($0.1) } }
        let topics =
            page.matches(of: #/varde\.publish\s*\(\s*'([^']+)'/#).map { String($0.1) }
            + page.matches(of: #/"channel"\s*:\s*"([^"]+)"/#).map { String($0.1) }
            + page.matches(of: #/newSubscription\(\s*"([^"]+)"/#).map { String($0.1) }
            + page.matches(of: #/varde publish (?:--\S+ \S+ )*([a-z]\S*:\S*)/#).map { String($0.1) }
        return Set(lists + topics).sorted()
    }

    /// The namespaces of the configurations that a page shows.
    private static func configuredNamespaces(of page: String) throws -> Set<String> {
        let blocks = page.components(separatedBy: "```").filter { $0.hasPrefix("yaml\n") }
            .map { String($0.dropFirst("yaml\n".count)) }
        let names = try blocks.filter {
            $0.hasPrefix("namespaces:") || $0.contains("\nnamespaces:")
        }
        .flatMap { block in
            try load(block, domains: allDomains.configurations, environment: environment)
                .configuration.namespaces
        }
        return Set(names.map(\.name))
    }

    /// The namespaces that `varde dev` opens, and those of the domains.
    private static func openNamespaces() throws -> Set<String> {
        let source = try String(
            contentsOfFile: repositoryRoot + "/Sources/varde/Starting/DevelopmentHub.swift",
            encoding: .utf8
        )
        let list = try require(source.firstMatch(of: #/static let namespaces = \[([^\]]*)\]/#)).1
        let development = list.matches(of: #/"([^"]+)"/#).map { String($0.1) }
        let ofDomains = allDomains.flatMap { $0.manifest.namespaces.map(\.name) }
        return Set(development + ofDomains)
    }
}
