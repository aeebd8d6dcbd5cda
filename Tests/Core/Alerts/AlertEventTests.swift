import Core
import Expectations

@Suite("Alert events", .timeLimit(.minutes(10)))
struct AlertEventTests {
    private let fields: [String: AlertValue] = [
        "score": .number(78.5), "level": .text("excellent"), "kp": .number(4),
    ]

    private func event(
        _ transition: AlertTransition,
        fields: [String: AlertValue],
        domain: String = "aurora",
        headline: AlertHeadline = AlertHeadline(plain: "Nordlys over hele himmelen"),
        rule: AlertRule = .auroraExcellent
    ) -> Event {
        alertEvent(
            transition,
            of: rule,
            domain: domain,
            id: "event-1",
            source: "/aurora",
            subject: "tromso",
            fields: fields,
            headline: headline,
            now: after(900)
        )
    }

    @Test func raisedAlertTellsWhatTheRuleLookedAt() {
        let event = event(.raised(raised(0, .info)), fields: fields)
        expectEqual(event.id, "event-1")
        expectEqual(event.type, "aurora.alert.raised")
        expectEqual(event.source, "/aurora")
        expectEqual(event.subject, "tromso")
        expectEqual(event.time, after(900))
        expectEqual(
            String(decoding: event.data, as: UTF8.self),
            #"{"alert_id":"alert-0","rule":"aurora-excellent","severity":"info","#
                + #""state":"raised","since":"2025-12-21T18:00:00.000Z","#
                + #""headline":"Nordlys over hele himmelen","#
                + #""values":{"score":78.5,"level":"excellent"}}"#
        )
    }

    @Test func clearedAlertTellsHowLongItLasted() {
        let event = event(
            .cleared(raised(0, .info), after: .milliseconds(900_999), because: .over),
            fields: fields
        )
        expectEqual(event.type, "aurora.alert.cleared")
        expectEqual(
            String(decoding: event.data, as: UTF8.self),
            #"{"alert_id":"alert-0","rule":"aurora-excellent","severity":"info","#
                + #""state":"cleared","since":"2025-12-21T18:00:00.000Z","duration_seconds":900,"#
                + #""reason":"over","headline":"Nordlys over hele himmelen","#
                + #""values":{"score":78.5,"level":"excellent"}}"#
        )
    }

    private let bilingual = AlertHeadline([
        .init(language: "nb", line: "Nordlys"), .init(language: "en", line: "Aurora"),
    ])

    @Test(arguments: [(nil, "Nordlys"), ("nb", "Nordlys"), ("en", "Aurora"), ("sv", "Nordlys")])
    func headlineIsInTheLanguageOfTheRuleAndAllLanguagesAreBesideIt(
        language: String?,
        line: String
    ) throws {
        let rule = try AlertRule(
            name: "a",
            topics: "aurora:*",
            when: AlertExpression("score > 1"),
            severity: .info,
            language: language
        )
        let event = event(
            .raised(raised(0, .info)),
            fields: fields,
            headline: bilingual,
            rule: rule
        )
        let text = String(decoding: event.data, as: UTF8.self)
        let headlines = #""headlines":{"nb":"Nordlys","en":"Aurora"}"#
        expect(text.contains(#""headline":"\#(line)",\#(headlines),"values""#))
    }

    @Test func missingValueIsNull() {
        let event = event(
            .cleared(raised(0, .info), after: .zero, because: .withdrawn),
            fields: ["score": .number(.nan)]
        )
        let text = String(decoding: event.data, as: UTF8.self)
        expect(text.contains(#""reason":"withdrawn""#))
        expect(text.contains(#""values":{"score":null,"level":null}"#))
    }

    @Test func domainIsTheFirstWordOfTheType() {
        expectEqual(
            event(.raised(raised(0, .info)), fields: [:], domain: "radar").type,
            "radar.alert.raised"
        )
    }
}
