import Core
import Expectations

@Suite("Webhook filters", .timeLimit(.minutes(10)))
struct WebhookFilterTests {
    private func event(
        _ type: String = "aurora.alert.raised",
        data: String = #"{"severity":"warning"}"#
    ) -> Event {
        Event(
            id: "1",
            type: type,
            source: "/aurora",
            subject: "tromso",
            time: evening,
            data: Array(data.utf8)
        )
    }

    private let topic = Topic(trusted: "aurora:tromso:alerts")

    @Test func emptyFilterLetsEverythingPass() throws {
        let filter = try WebhookFilter()
        expect(filter.matches(event(), topic: topic))
        expect(
            filter.matches(event("radar.refreshed", data: "null"), topic: Topic(trusted: "radar:1"))
        )
    }

    @Test(arguments: [
        (["aurora.alert.raised"], true), (["aurora.alert.cleared"], false),
        (["aurora.alert.cleared", "aurora.alert.raised"], true), (["aurora.*"], true),
        (["aurora.alert.*"], true), (["aurora.alert.raised.*"], false), (["*"], true),
        (["radar.*"], false), (["aurora"], false), (["Aurora.*"], false),
    ])
    func typesAreMatchedWholeOrByBeginning(types: [String], expected: Bool) throws {
        try expectEqual(WebhookFilter(types: types).matches(event(), topic: topic), expected)
    }

    @Test(arguments: [
        (["aurora:tromso:alerts"], true), (["aurora:tromso"], false), (["aurora:*"], true),
        (["radar:1", "aurora:tromso:*"], true), (["*"], true), (["radar:*"], false),
    ])
    func topicsAreMatchedWholeOrByBeginning(topics: [String], expected: Bool) throws {
        try expectEqual(WebhookFilter(topics: topics).matches(event(), topic: topic), expected)
    }

    @Test(arguments: [
        (["warning"], true), (["info"], false), (["critical", "warning"], true),
    ])
    func severitiesAreReadFromTheData(severities: [String], expected: Bool) throws {
        let filter = try WebhookFilter(severities: severities)
        expectEqual(filter.matches(event(), topic: topic), expected)
    }

    @Test(arguments: [
        "{}", #"{"severity":null}"#, #"{"severity":3}"#, #"{"alert":{"severity":"info"}}"#, "[]",
        "\"info\"", "{", "",
    ])
    func eventWithoutASeverityHasNoneOfThem(data: String) throws {
        let filter = try WebhookFilter(severities: ["info", "warning", "critical"])
        expect(!filter.matches(event(data: data), topic: topic))
    }

    @Test func allListsHaveToMatch() throws {
        let filter = try WebhookFilter(
            types: ["aurora.*"],
            topics: ["aurora:*"],
            severities: ["warning"]
        )
        expect(filter.matches(event(), topic: topic))
        expect(!filter.matches(event("radar.refreshed"), topic: topic))
        expect(!filter.matches(event(), topic: Topic(trusted: "radar:1")))
        expect(!filter.matches(event(data: #"{"severity":"info"}"#), topic: topic))
    }

    @Test(arguments: ["", "aurora*", "*.alert", "aurora.*.raised", "**", "a b", "å", "aurora:*"])
    func badTypeIsRefused(text: String) {
        #expect(throws: WebhookFilterError.badPattern(key: "types", text)) {
            try WebhookFilter(types: [text])
        }
    }

    @Test(arguments: ["", "aurora*", "*:alerts", "aurora.*", String(repeating: "t", count: 256)])
    func badTopicIsRefused(text: String) {
        #expect(throws: WebhookFilterError.badPattern(key: "topics", text)) {
            try WebhookFilter(topics: [text])
        }
    }

    @Test func unknownSeverityIsRefused() {
        #expect(throws: WebhookFilterError.unknownSeverity("Warning")) {
            try WebhookFilter(severities: ["info", "Warning"])
        }
    }

    @Test func listsAreLimited() throws {
        let names = (1...101).map { "type.\($0)" }
        #expect(throws: Never.self) { try WebhookFilter(types: Array(names.dropLast())) }
        #expect(throws: WebhookFilterError.tooMany(key: "types", count: 101)) {
            try WebhookFilter(types: names)
        }
    }

    @Test func errorsNameTheValue() {
        expectEqual(
            "\(WebhookFilterError.tooMany(key: "types", count: 101))",
            "101 types over limit 100"
        )
        expectEqual(
            "\(WebhookFilterError.badPattern(key: "topics", "a*"))",
            "'a*' in topics is neither a name nor a beginning followed by '*'"
        )
        expectEqual(
            "\(WebhookFilterError.unknownSeverity("bad"))",
            "severity 'bad' is none of info, warning, critical"
        )
    }
}
