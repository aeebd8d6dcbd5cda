import Core
import Expectations

@Suite("Alert rules", .timeLimit(.minutes(10)))
struct AlertRuleTests {
    private func make(
        name: String = "a",
        topics: String = "aurora:*",
        hold: Duration = .zero,
        keep: Duration = .zero,
        cooldown: Duration = .zero
    ) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression("a > 1"),
            hold: hold,
            keep: keep,
            cooldown: cooldown,
            severity: .info
        )
    }

    @Test(arguments: ["a", "aurora-excellent", "kp_7.1", String(repeating: "n", count: 64)])
    func nameIsAccepted(name: String) throws {
        try expectEqual(make(name: name).name, name)
    }

    @Test(arguments: ["", "Aurora", "a b", "å", "a:b", String(repeating: "n", count: 65)])
    func badNameIsRefused(name: String) {
        #expect(throws: AlertRuleError.badName(name)) { try make(name: name) }
    }

    @Test(arguments: [
        ("aurora:tromso", "aurora:tromso", true), ("aurora:tromso", "aurora:tromso:alerts", false),
        ("aurora:tromso", "aurora:troms", false), ("aurora:*", "aurora:tromso", true),
        ("aurora:*", "aurora:tromso:alerts", true), ("aurora:*", "aurora:", true),
        ("aurora:*", "auroras:tromso", false), ("aurora:*", "aurora", false),
        ("aurora:tromso:*", "aurora:tromso:alerts", true), ("*", "radar:1", true),
    ])
    func ruleAppliesToTheTopicsOfItsPattern(pattern: String, topic: String, expected: Bool) throws {
        try expectEqual(make(topics: pattern).applies(to: Topic(trusted: topic)), expected)
    }

    @Test(arguments: [
        "", "aurora*", "*:tromso", "aurora:*:alerts", "**", "a,b", "a b", "aurora:**",
    ])
    func badPatternIsRefused(pattern: String) {
        #expect(throws: AlertRuleError.badTopics(pattern)) { try make(topics: pattern) }
    }

    /// Their alerts are on a topic with a longer name.
    @Test func topicsHaveRoomForTheNameOfTheirAlerts() throws {
        let bytesMax = AlertRule.topicBytesMax
        expectEqual(bytesMax, 248)
        let longest = "aurora:" + String(repeating: "t", count: bytesMax - 7)
        try expect(make(topics: longest).applies(to: Topic(longest)))
        try expect(make().applies(to: Topic(longest)))
        try expectEqual(Topic(longest).alerts, Topic(longest + ":alerts"))
        for excess in 1...Topic.nameLengthMax - bytesMax {
            let name = longest + String(repeating: "t", count: excess)
            let error = AlertRuleError.longTopics(byteCount: bytesMax + excess)
            #expect(throws: error) { try make(topics: name) }
            #expect(throws: error) { try make(topics: name.dropLast(2) + ":*") }
            try expect(!make().applies(to: Topic(name)))
            try expectNil(Topic(name).alerts)
        }
    }

    @Test func durationsAreLimited() throws {
        let limit = AlertRule.durationMax
        #expect(throws: Never.self) { try make(hold: limit, keep: limit, cooldown: limit) }
        let over = limit + .milliseconds(1)
        let under = Duration.milliseconds(-1)
        #expect(throws: AlertRuleError.badDuration(key: "hold", over)) { try make(hold: over) }
        #expect(throws: AlertRuleError.badDuration(key: "keep", over)) { try make(keep: over) }
        #expect(throws: AlertRuleError.badDuration(key: "cooldown", under)) {
            try make(cooldown: under)
        }
    }

    @Test func errorsNameTheValue() {
        expectEqual(
            "\(AlertRuleError.badName("A"))",
            "rule name 'A' is not 1 to 64 of a-z, 0-9, '-', '_' and '.'"
        )
        expectEqual(
            "\(AlertRuleError.badTopics("a*"))",
            "topics 'a*' is neither a topic nor a pattern such as 'chat:*'"
        )
        expectEqual(
            "\(AlertRuleError.longTopics(byteCount: 250))",
            "topics has 250 bytes, expected at most 248: alerts are published on the topic"
                + " with ':alerts' behind its name"
        )
        expectEqual(
            "\(AlertRuleError.badDuration(key: "hold", .seconds(-1)))",
            "hold -1.0 seconds is not between 0 and 604800.0 seconds"
        )
    }

    @Test func fieldNamesOfBothConditionsAreListedOnce() {
        let rule = rule(when: "score >= 70 and kp > 3", until: "cloud > 80 or score < 65")
        expectEqual(rule.fieldNames, ["score", "kp", "cloud"])
    }

    @Test(arguments: [
        ("a > 1", 1), ("a > 1 and not (b < 2 or c == 3)", 3), (#"a == "good""#, 1),
        (#"a == "0123456789abcdef""#, 2), ("a == b", 17),
    ])
    func conditionCostsItsComparisons(condition: String, cost: Int) throws {
        try expectEqual(AlertExpression(condition).cost, cost)
    }

    @Test func ruleCostsAllItsConditions() throws {
        func rule(until: AlertExpression?, escalations: [AlertEscalation] = []) throws -> AlertRule
        {
            try AlertRule(
                name: "r",
                topics: "a:*",
                when: AlertExpression("a > 1 and b > 1"),
                until: until,
                severity: .info,
                escalations: escalations
            )
        }
        let base = try rule(until: nil).cost
        let critical = AlertEscalation(severity: .critical, when: try AlertExpression("a > 9"))
        try expectEqual(rule(until: AlertExpression("a < 1")).cost, base + 1)
        try expectEqual(rule(until: nil, escalations: [critical]).cost, base + 1)
        expect(AlertRule.auroraExcellent.cost < AlertRule.userCostMax / 10)
    }
}
