import Configuration

/// The body of `POST /api/alerts/rehearsal`: a rule, a topic, and the hours to look back.
struct RehearsalRequest {
    /// The maximum number of publications: the newest.
    static let countMax = 10_000
    /// The maximum of their lengths together.
    static let historyBytesMax = 16 << 20
    private static let hours = 1...168
    private static let hoursDefault = 24

    let rule: AlertRule
    let topic: Topic
    let length: Duration

    /// - Throws: `RequestError`, `ConfigurationError` for an invalid rule.
    init(json body: [UInt8], vocabulary: AlertVocabulary) throws {
        let fields = try RequestFields(body)
        let name = try fields.requiredText("topic", TextRule(lengthMax: Topic.nameLengthMax))
        guard let topic = try? Topic(name) else {
            throw RequestError.unexpected(
                field: "topic",
                expected: "the name of a topic",
                found: RequestError.excerpt(name.utf8)
            )
        }
        self.topic = topic
        let hours = try fields.wholeNumber(
            "hours",
            in: Self.hours,
            expected: "a number from \(Self.hours.lowerBound) to \(Self.hours.upperBound)"
        )
        length = .seconds(3600 * (hours ?? Self.hoursDefault))
        let json = try fields.requiredObject("rule", expected: "a rule")
        rule = try AlertRuleReader.rule(json: json, owner: nil, vocabulary: vocabulary).rule
        guard rule.applies(to: topic) else {
            throw RequestError.unexpected(
                field: "topic",
                expected: "one that \(rule.topics) matches",
                found: RequestError.excerpt(name.utf8)
            )
        }
    }
}
