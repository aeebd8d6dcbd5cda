import AllDomains
import Aurora
import AuroraApp
import Expectations
import HubTesting

@testable import Hub

@Suite("Alert rules of requests and files", .timeLimit(.minutes(10)))
struct AlertRuleReaderTests {
    private func read(
        _ json: String
    ) throws -> (settings: Configuration.Alert, rule: AlertRule) {
        try AlertRuleReader.rule(
            json: Array(json.utf8),
            owner: nil,
            vocabulary: AlertVocabulary(allDomains)
        )
    }

    private func problems(_ json: String) -> [String] {
        do {
            _ = try read(json)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func wholeRuleIsReadAndWritten() throws {
        let json =
            #"{"name":"storm","topics":"aurora:*","when":"score >= 70","until":"score < 65","#
            + #""hold":"5m","keep":"15m","cooldown":"30m","severity":"info","escalate":["#
            + #"{"severity":"critical","when":"kp_index >= 8"}],"quiet":{"from":"22:00","#
            + #""to":"07:00","zone":"+01:00"}}"#
        let (settings, rule) = try read(json)
        expectEqual(rule.escalations.map(\.severity), [.critical])
        expectEqual(
            rule.quiet,
            QuietHours(from: "22:00", to: "07:00", zone: QuietHours.zone("+01:00")!)
        )
        expectEqual(String(decoding: settings.json, as: UTF8.self), json)
        try expectEqual(read(String(decoding: settings.json, as: UTF8.self)).rule, rule)
    }

    @Test(arguments: ["aurora:*", "aurora:tromso", "*"])
    func languageOfTheDomainIsKept(topics: String) throws {
        let json =
            #"{"name":"a","topics":"\#(topics)","when":"score > 1","language":"en"}"#
        let (settings, rule) = try read(json)
        expectEqual(rule.language, "en")
        let text = String(decoding: settings.json, as: UTF8.self)
        expect(text.contains(#""language":"en""#))
        try expectEqual(read(text).rule, rule)
    }

    @Test func languageWithoutTextsIsRefused() {
        expectEqual(
            problems(#"{"name":"a","topics":"aurora:*","when":"score > 1","language":"sv"}"#).first?
                .hasSuffix(#"language: found "sv", expected one of nb, en"#),
            true
        )
        expectEqual(
            problems(#"{"name":"a","topics":"orders:*","when":"total > 1","language":"en"}"#).first?
                .contains("expected none"),
            true
        )
    }

    @Test func leastRuleIsWrittenWithItsDefaultsAndReadsBack() throws {
        let (settings, rule) = try read(#"{"name":"a","topics":"aurora:*","when":"score > 1"}"#)
        let text = String(decoding: settings.json, as: UTF8.self)
        expectEqual(
            text,
            #"{"name":"a","topics":"aurora:*","when":"score > 1","hold":"0s","keep":"0s","#
                + #""cooldown":"0s","severity":"info","escalate":[]}"#
        )
        try expectEqual(read(text).rule, rule)
    }

    @Test(arguments: [
        (
            #"{"name":"a","topics":"aurora:*","when":"score >= "}"#,
            #"rule:1:40: when: column 10: expected a number or a name after '>='; found the end"#
        ),
        (
            #"{"name":"a","topics":"aurora:*","when":"scor >= 5"}"#,
            #"rule:1:40: when: column 1: no event has a field "scor", did you mean "score"?"#
        ),
        (
            #"{"name":"a","topics":"radar:*","when":"slop.direction == \"rising\""}"#,
            #"rule:1:39: when: column 1: no event has a field "slop.direction", did you mean "#
                + #""slope.direction"?"#
        ),
        (
            #"{"name":"a","topics":"aurora:*"}"#,
            "rule:1:1: when: found nothing, the key is required"
        ),
        (
            #"{"name":"a","topics":"aurora:*","when":"score > 1","untill":"score < 1"}"#,
            #"rule:1:52: unknown key "untill", did you mean "until"?"#
        ),
        ("name: a", "rule: not JSON: byte 0: expected a value"),
        ("", "rule: not JSON: byte 0: expected a value"),
    ])
    func whatIsWrongIsSaidWithItsPlace(json: String, problem: String) {
        expectEqual(problems(json), [problem])
    }

    @Test func everyProblemOfARuleIsSaidAtOnce() {
        let found = problems(
            #"{"name":"a","topics":"aurora:*","when":"x > 1","until":"score <","#
                + #""escalate":[{"severity":"critical","when":"kp >= 8"}]}"#
        )
        expectEqual(found.count, 3, "\(found)")
    }

    @Test func escalationThatIsNoneIsRefused() {
        let found = problems(
            #"{"name":"a","topics":"aurora:*","when":"score > 1","severity":"warning","#
                + #""escalate":[{"severity":"info","when":"score > 2"}]}"#
        )
        expectEqual(found.count, 1)
        expectEqual(
            found.first?.contains("escalate: an escalation to info is none"),
            true,
            "\(found)"
        )
    }

    @Test func topicOfNoKnownDomainHasAnyField() throws {
        #expect(throws: Never.self) {
            try read(#"{"name":"a","topics":"chat:*","when":"anything.at.all > 1"}"#)
        }
    }

    // MARK: Files

    @Test(arguments: [
        "- {name: a, topics: 'aurora:*', when: score > 1}",
        #"[{"name":"a","topics":"aurora:*","when":"score > 1"}]"#,
        "listen: nonsense\nalerts:\n  - {name: a, topics: 'aurora:*', when: score > 1}",
    ])
    func rulesOfAFileAreNamed(text: String) throws {
        try expectEqual(
            checkedRules(
                yaml: text,
                name: "rules.yaml",
                vocabulary: AlertVocabulary(allDomains)
            ),
            ["a"]
        )
    }

    @Test(arguments: [
        ("- {name: a, topics: 'aurora:*', when: scor > 1}", "rules.yaml:1:39: alerts[0].when: "),
        ("alerts: 5", "rules.yaml:1:9: alerts: found 5"),
        ("listen: []", "rules.yaml: found no key"), ("5", "rules.yaml: found no list"),
        ("- {name: a", "rules.yaml:"), ("", "rules.yaml: found nothing"),
    ])
    func fileThatIsWrongSaysWhere(text: String, beginning: String) {
        do {
            _ = try checkedRules(
                yaml: text,
                name: "rules.yaml",
                vocabulary: AlertVocabulary(allDomains)
            )
            Issue.record("it was accepted")
        } catch {
            expect(error.description.hasPrefix(beginning), "\(error)")
        }
    }

    // MARK: Fields

    @Test func everyFieldOfTheSkyIsKnown() throws {
        let values = [UInt8](repeating: 90, count: Ovation.valueCount)
        let now = try require(Timestamp(iso8601: "2024-12-09T17:10:00Z"))
        let grid = try require(Ovation(observation: now, forecast: now, values: values))
        var pipeline = AuroraPipeline(places: [.tromso], rules: [])
        _ = pipeline.take(.ovation(grid), now: now) { "id" }
        let derivation = try require(pipeline.derivations["tromso"])
        let names = Set(alertFields(derivation).map(\.name))
        expect(names.isSubset(of: AuroraAlertFields.names))
        expect(names.contains("score"))
    }
}
