import AllDomains
import Aurora
import AuroraApp
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository

@testable import Hub

@Suite("Configured parts: from texts to what they stand for", .timeLimit(.minutes(10)))
struct ConfiguredPartsTests {
    private static let secret = WebhookSecret(key: [UInt8](repeating: 7, count: 32)).revealed

    private func parts(
        _ yaml: String,
        environment: [String: String] = [:]
    ) throws -> ConfiguredParts {
        let loaded = try LoadedConfiguration(
            file: (name: "varde.yaml", text: yaml),
            domains: allDomains.configurations
        )
        return try ConfiguredParts(loaded, environment: environment, domains: allDomains)
    }

    /// All that is wrong, as an operator reads it.
    private func problems(_ yaml: String, environment: [String: String] = [:]) -> [String] {
        do {
            _ = try parts(yaml, environment: environment)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    private func places(of parts: ConfiguredParts) -> [Place]? {
        parts.domains.lazy.compactMap { $0 as? AuroraDomain }.first?.places
    }

    // MARK: What holds up

    @Test func nothingConfiguredHasOneAddressTheShippedRuleAndNoPlace() throws {
        let parts = try parts("")
        let places = parts.listeners.map { "\($0.place) \($0.kind)" }
        expectEqual(places, ["address(127.0.0.1:8000) public"])
        expect(parts.domains.isEmpty)
        expectEqual(parts.alertRules, [.auroraExcellent])
        expect(parts.endpoints.isEmpty)
        expectNil(parts.tls)
        expectEqual(parts.namespaces.names, ["alerts", "hub", "radar-app"])
    }

    @Test func whatTheHubTellsOfItselfIsForThoseWithATokenUnlessConfiguredOtherwise() throws {
        func decisions(_ yaml: String) throws -> [AccessDecision] {
            let parts = try parts(yaml)
            return [false, true].map {
                parts.rules.subscribe(to: .webhooks, by: .anonymous, isGranted: $0)
            }
        }
        let shipped = try decisions("")
        expectEqual(shipped.last, .allowed)
        expect(shipped.first != .allowed)
        let open = try decisions("namespaces:\n  - name: hub\n    anonymous_subscribe: true\n")
        expectEqual(open, [.allowed, .allowed])
    }

    @Test func domainBringsItsPlaceItsNamespaceAndItsTopics() throws {
        let parts = try parts("aurora:\n  user_agent: tests/1 a@b.example\n")
        expectEqual(places(of: parts), [.tromso])
        let limit = parts.namespaces.historyLimit(of: auroraTopic(.tromso))
        expectEqual(limit, HistoryLimit(count: 1000, age: .seconds(86_400), bytes: 4 << 20))
        let topic = auroraTopic(.tromso)
        expectEqual(parts.rules.subscribe(to: topic, by: .anonymous, isGranted: false), .allowed)
    }

    @Test func demoHoldsUp() throws {
        let path = repositoryRoot + "/demo/varde.yaml"
        let yaml = try String(contentsOfFile: path, encoding: .utf8)
        let parts = try parts(yaml)
        expectEqual(places(of: parts)?.map(\.id), ["tromso"])
        expectEqual(places(of: parts)?.map(\.zone.name), ["Europe/Oslo"])
        expectEqual(parts.endpoints.map(\.name), ["demo"])
    }

    @Test func ruleIsCompiledWithAllItsValues() throws {
        let yaml = """
            alerts:
              - name: kp-high
                topics: aurora:*
                when: kp_index >= 6
                until: kp_index < 5
                hold: 5m
                keep: 10m
                cooldown: 1h
                severity: warning
            """
        let expected = try AlertRule(
            name: "kp-high",
            topics: "aurora:*",
            when: AlertExpression("kp_index >= 6"),
            until: AlertExpression("kp_index < 5"),
            hold: .seconds(300),
            keep: .seconds(600),
            cooldown: .seconds(3600),
            severity: .warning
        )
        try expectEqual(parts(yaml).alertRules, [expected])
    }

    // MARK: Rules

    @Test func badConditionsAreReportedWhereTheyStand() {
        let yaml = """
            alerts:
              - name: good
                topics: aurora:*
                when: score >= 50
              - name: bad
                topics: aurora:*
                when: score >=
                until: score <> 5
            """
        let found = problems(yaml)
        expectEqual(found.count, 2)
        expect(found.contains { $0.hasPrefix("varde.yaml:7:11: alerts[1].when: ") }, "\(found)")
        expect(found.contains { $0.hasPrefix("varde.yaml:8:12: alerts[1].until: ") }, "\(found)")
    }

    @Test func everyBadPartIsReportedAtOnce() {
        let yaml = """
            alerts:
              - name: bad
                topics: aurora:*
                when: score >=
            webhooks:
              - name: pager
                url: https://example.org/hook
                secret: no-secret-at-all
            """
        let found = problems(yaml)
        expectEqual(found.count, 2)
        expectEqual(
            found.last,
            "varde.yaml:8:13: webhooks[0].secret: webhook secret does not begin with 'whsec_'"
        )
    }

    // MARK: Webhooks

    private func webhook(_ secretLine: String) -> String {
        """
        webhooks:
          - name: pager
            url: https://example.org/hook
            \(secretLine)
            types: [aurora.alert.*]
            timeout: 5s
        """
    }

    private func endpoint(
        _ secretLine: String,
        environment: [String: String] = [:]
    ) throws -> WebhookEndpoint {
        try require(parts(webhook(secretLine), environment: environment).endpoints.first)
    }

    private var revealed: String { ConfiguredPartsTests.secret }

    @Test func secretStandsInTheFileItself() throws {
        let endpoint = try endpoint("secret: \(revealed)")
        expectEqual(endpoint.name, "pager")
        expectEqual(endpoint.url, "https://example.org/hook")
        expectEqual(endpoint.timeout, .seconds(5))
        expectEqual(endpoint.secrets.map(\.revealed), [revealed])
        let topic = Topic(trusted: "aurora:tromso:alerts")
        for (type, isWanted) in [
            ("aurora.alert.raised", true), ("aurora.conditions.updated", false),
        ] {
            let event = Event(
                id: "1",
                type: type,
                source: "/",
                subject: nil,
                time: Timestamp(milliseconds: 0),
                data: Array("{}".utf8)
            )
            expectEqual(endpoint.filter.matches(event, topic: topic), isWanted)
        }
    }

    @Test func secretStandsInTheEnvironment() throws {
        let endpoint = try endpoint(
            "secret_env: PAGER_SECRET",
            environment: ["PAGER_SECRET": revealed]
        )
        expectEqual(endpoint.secrets.map(\.revealed), [revealed])
    }

    @Test func secretStandsInAFileOfItsOwn() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "varde-secret-\(UUID().uuidString)").path
        try (revealed + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try expectEqual(endpoint("secret_file: \(path)").secrets.map(\.revealed), [revealed])
    }

    @Test(arguments: ["secret_env: PAGER_SECRET", "secret_file: /nonexistent/varde/secret"])
    func secretThatIsNotThereIsReported(secretLine: String) {
        let key = secretLine.prefix { $0 != ":" }
        let location = "varde.yaml:4:\(key.count + 7): webhooks[0].\(key)"
        expectEqual(
            problems(webhook(secretLine), environment: ["PAGER_SECRET": "  "]),
            ["\(location): nothing found where the secret should be"]
        )
    }

    @Test(arguments: [
        ("whsec_!", "webhook secret is not base64 with padding after 'whsec_'"),
        ("whsec_AAAA", "webhook secret has 3 bytes, not 24 to 64"),
    ])
    func secretThatIsNoneIsReportedWithoutBeingShown(secret: String, message: String) {
        expectEqual(
            problems(webhook("secret_env: PAGER_SECRET"), environment: ["PAGER_SECRET": secret]),
            ["varde.yaml:4:17: webhooks[0].secret_env: \(message)"]
        )
    }

    // MARK: Places and addresses

    @Test func placeThatCannotBeATopicIsReported() {
        let yaml = """
            aurora:
              user_agent: tests/1 a@b.example
              places:
                - id: tromso
                  name: Tromsø
                  latitude: 69.6
                  longitude: 18.9
                - id: \(String(repeating: "a", count: 65))
                  name: Long
                  latitude: 69.6
                  longitude: 18.9
            """
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("varde.yaml:8:11: aurora.places[1]"), true, "\(found)")
    }

    @Test(arguments: ["", "  client_certificates: required\n  client_ca: /nonexistent/ca.pem\n"])
    func certificateThatIsNotThereIsReportedLast(more: String) {
        let files = "  certificate: /nonexistent/chain.pem\n  key: /nonexistent/key.pem\n"
        let yaml = "tls:\n" + files + more
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(found.first?.contains("/nonexistent/"), true, "\(found)")
    }
}
