import Configuration
import Expectations
import Service

@testable import Duties

/// Each kind of family: topics that are followed, a domain that publishes events, a domain that derives values.
enum BoardFamily: CaseIterable, CustomTestStringConvertible {
    case topics, events, values

    var testDescription: String { "\(self)" }

    var subjects: any AlertSubjects {
        switch self {
        case .topics: FollowedTopics()
        case .events: Things(rowPrefix: "thing:", fieldsDomain: "things")
        case .values: Things(rowPrefix: "", fieldsDomain: nil)
        }
    }

    /// The id of the subject with the topic `orders:1`.
    var id: String { self == .topics ? "orders:1" : "1" }

    var rowSubject: String { subjects.rowPrefix + id }
}

/// The subjects of a domain with topics `orders:{id}`.
struct Things: AlertSubjects {
    let rowPrefix: String
    let fieldsDomain: String?

    func subject(_ id: String) -> AlertSubject? {
        guard id.count == 1 else { return nil }
        return AlertSubject(
            topic: Topic(trusted: "orders:\(id)"),
            alertsTopic: Topic(trusted: "orders:\(id):alerts"),
            domain: "orders",
            id: id
        )
    }
}

/// The state of a rule before an input.
enum RuleStanding: CaseIterable, CustomTestStringConvertible {
    /// Nothing is stored, and no board is there.
    case unknown
    case idle
    /// The hold ends later, or now.
    case pending, held
    case untold
    case raised
    /// The cooldown ends later, or now.
    case cooling, cooled

    static let now = Timestamp(iso8601: "2026-01-02T10:00:00Z")!
    static let alert = RaisedAlert(id: "a1", since: now - .seconds(90), severity: .warning)

    var testDescription: String { "\(self)" }

    var state: AlertState? {
        switch self {
        case .unknown: nil
        case .idle: .idle
        case .pending: .pending(since: RuleStanding.now - .seconds(30))
        case .held: .pending(since: RuleStanding.now - .seconds(60))
        case .untold:
            .untold(
                alert: RuleStanding.alert,
                keepUntil: nil,
                until: RuleStanding.now + .seconds(30)
            )
        case .raised: .raised(alert: RuleStanding.alert, keepUntil: nil)
        case .cooling: .cooling(until: RuleStanding.now + .seconds(30))
        case .cooled: .cooling(until: RuleStanding.now)
        }
    }
}

/// Held for a minute, and as long after its end not raised again.
func heldRule() throws -> AlertRule {
    try AlertRule(
        name: "large",
        topics: "orders:*",
        when: AlertExpression("total >= 100"),
        hold: .seconds(60),
        cooldown: .seconds(60),
        severity: .warning
    )
}

extension AlertBoards {
    /// Boards with one subject where the rule stands there, and the total is 150.
    static func of(_ family: BoardFamily, _ standing: RuleStanding) -> AlertBoards {
        var boards = AlertBoards(family.subjects)
        guard let state = standing.state else { return boards }
        let row = AlertRow(rule: "large", subject: family.rowSubject, alertState: state)
        let fields = family.subjects.fieldsDomain.map {
            StateRow(domain: $0, key: family.id, value: Array(#"{"total":150}"#.utf8))
        }
        expectEqual(boards.restore(alerts: [row], fields: fields.map { [$0] } ?? []), [])
        return boards
    }

    /// Brings a value in the way of the family.
    mutating func take(
        _ total: Int,
        _ family: BoardFamily,
        _ rules: [AlertRule]
    ) -> Outcome {
        let now = RuleStanding.now
        let data = Array(#"{"total":\#(total)}"#.utf8)
        switch family {
        case .topics:
            let publication = Publication(
                topic: Topic(trusted: "orders:1"),
                offset: 1,
                cursor: 1,
                time: now,
                payload: data
            )
            return take([publication], rules: { _ in rules }, now: now, newID: { "n" })
        case .events:
            let event = Event(
                id: "e",
                type: "orders.changed",
                source: "/orders",
                subject: "1",
                time: now,
                data: data
            )
            return take([event], of: "1", rules: { _ in rules }, now: now, newID: { "n" })
        case .values:
            return evaluate(
                "1",
                values: ["total": .number(Double(total))],
                headline: AlertHeadline(plain: "a headline"),
                rules: { _ in rules },
                now: now,
                newID: { "n" }
            )
        }
    }
}

/// Publications of `orders` are a feed; each has the tag `act` with the value 7.
struct OrdersAreFeeds: QuotedFeeds {
    func isFeed(_ topic: Topic) -> Bool { topic.namespace == "orders" }

    func fieldNames(of topic: Topic) -> [String] { [] }

    func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]? {
        fields.values.isEmpty ? nil : ["act": "7"]
    }

    func isForRules(_ publication: Publication) -> Bool { true }

    func alertsTopics(of feed: Topic) -> [Topic] { [] }
}
