import Core
import Expectations

@Suite("Index of alert rules", .timeLimit(.minutes(10)))
struct AlertRuleIndexTests {
    private func rule(_ name: String, _ topics: String, owner: String? = nil) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression("a > 1"),
            severity: .info,
            owner: owner
        )
    }

    private let topics = [
        "a", "a:b", "a:b:c", "a:bc", "ab", "b", "a:", "a:*", "*", "a:b:*", ":", "::",
        "a:" + String(repeating: "b", count: 246), "a:" + String(repeating: "b", count: 247),
    ]

    /// The index finds what each rule says of itself.
    @Test func rulesFoundAreThoseThatApply() throws {
        let patterns = ["a", "a:b", "a:*", "a:b:*", "*", "a:b:c:*", ":*"]
        let rules = try patterns.enumerated().map { try rule("r\($0.offset)", $0.element) }
        for count in 0...rules.count {
            let held = Array(rules.prefix(count))
            let index = AlertRuleIndex(held)
            for name in topics {
                let topic = try Topic(name)
                let expected = held.filter { $0.applies(to: topic) }.map(\.name)
                expectEqual(index.rules(for: topic).map(\.name).sorted(), expected, "\(name)")
                expectEqual(index.hasRules(for: topic), !expected.isEmpty, "\(name)")
            }
        }
    }

    @Test func removedRuleIsNotFound() throws {
        let rules = [
            try rule("r", "a:*"), try rule("r", "a:*", owner: "7"), try rule("s", "a:b"),
        ]
        var index = AlertRuleIndex(rules)
        let topic = try Topic("a:b")
        expectEqual(index.rules(for: topic).count, 3)
        index.remove(rules[0])
        expectEqual(index.rules(for: topic).map(\.key.description).sorted(), ["r@7", "s"])
        index.remove(rules[1])
        index.remove(rules[2])
        expect(index.isEmpty)
        expect(!index.hasRules(for: topic))
    }

    @Test func operatorComesBeforeUsers() {
        let owners: [AlertOwner] = [.user("b"), .operator, .user("a")]
        expectEqual(owners.sorted(), [.operator, .user("a"), .user("b")])
        expectEqual(AlertOwner(nil), .operator)
        expectEqual(AlertOwner("7").user, "7")
        expectEqual(owners.map(\.kind), [.user, .operator, .user])
    }
}
