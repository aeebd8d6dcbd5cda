import Expectations
import HubTesting

@testable import Duties

private let now = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

private func silence(
    _ id: String,
    rule: String? = nil,
    subject: String? = nil,
    seconds: Int = 60
) -> AlertSilence {
    AlertSilence(
        id: id,
        rule: rule,
        subject: subject,
        created: now,
        until: now + .seconds(seconds),
        by: "ops",
        note: "planned work"
    )
}

@Suite("Silences", .timeLimit(.minutes(10)))
struct AlertSilencesTests {
    private let record = AlertRecord(
        id: "a",
        rule: "large",
        subject: "orders:1",
        topic: "orders:1:alerts",
        severity: "info",
        raised: now
    )

    @Test(
        arguments: [
            (nil, nil, true), ("large", nil, true), (nil, "orders:1", true),
            ("large", "orders:1", true), ("small", nil, false), (nil, "orders:2", false),
            ("large", "orders:2", false), ("small", "orders:1", false),
        ] as [(String?, String?, Bool)]
    )
    func silenceCoversItsRuleAndSubject(rule: String?, subject: String?, covers: Bool) {
        let silences = AlertSilences()
        silences.put(silence("1", rule: rule, subject: subject))
        expectEqual(silences.cover(record, now: now), covers)
    }

    @Test func silenceHoldsUntilItsEnd() {
        let silences = AlertSilences()
        silences.put(silence("1"))
        silences.put(silence("2", rule: "small", seconds: 30))
        expectEqual(silences.holding(now: now).map(\.id), ["2", "1"])
        let last = now + .seconds(60)
        expect(silences.cover(record, now: last - .milliseconds(1)))
        expect(!silences.cover(record, now: last))
        expectEqual(silences.holding(now: last), [])
        expectEqual(silences.ended(now: last), ["1", "2"])
        silences.remove(["1"])
        expect(!silences.cover(record, now: now))
    }

    @Test func silencesAreRestoredFromTheirRows() {
        let one = silence("1", rule: "large")
        let bad = StateRow(domain: AlertSilences.domain, key: "x", value: Array("{}".utf8))
        let silences = AlertSilences()
        silences.restore([one.row, bad], silentLogger)
        expectEqual(silences.holding(now: now), [one])
    }

    /// The bytes are part of the file format.
    @Test func rowIsAsItWasReleased() {
        let text =
            #"{"by":"ops","created":1767348000000,"id":"1","note":"planned work","rule":"large","#
            + #""until":1767348060000}"#
        let row = silence("1", rule: "large").row
        expectEqual(row.value.map { String(decoding: $0, as: UTF8.self) }, text)
    }
}

@Suite("Silences: requests", .timeLimit(.minutes(10)))
struct NewAlertSilenceTests {
    private func read(_ json: String) throws(RequestError) -> NewAlertSilence {
        try NewAlertSilence(json: Array(json.utf8), now: now)
    }

    @Test func everyFieldIsRead() throws {
        let json =
            #"{"rule":"large","subject":"orders:1","until":"2026-01-02T11:00:00Z","note":"a\nb"}"#
        let found = try read(json)
        expect(found.rule == "large" && found.subject == "orders:1" && found.note == "a\nb")
        expectEqual(found.until, now + .seconds(3600))
        let least = try read(#"{"until":"2026-01-02T10:00:00.001Z"}"#)
        expect(least.rule == nil && least.subject == nil && least.note == nil)
    }

    @Test(arguments: [
        ("", "body is not JSON"), ("[]", "body is [], expected an object"),
        ("{}", "until is missing"), (#"{"until":5}"#, "until is 5, expected"),
        (
            #"{"until":"tomorrow"}"#,
            "until is \"tomorrow\", expected a time in the future"
        ),
        (#"{"until":"2026-01-02T10:00:00Z"}"#, "until is \"2026-01-02T10:00:00Z\""),
        (#"{"until":"2026-01-02T11:00:00Z","rule":7}"#, "rule is 7"),
        (#"{"until":"2026-01-02T11:00:00Z","subject":" "}"#, "subject is empty"),
        (#"{"until":"2026-01-02T11:00:00Z","note":"\u0000x"}"#, "note has the control character"),
    ])
    func badRequestIsRefusedWithItsReason(json: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try read(json) }
        expectEqual(error.map { "\($0)".hasPrefix(reason) }, true, "\(error as Any)")
    }
}
