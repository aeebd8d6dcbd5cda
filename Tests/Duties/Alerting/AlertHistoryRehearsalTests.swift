import Expectations

@testable import Duties

@Suite("Rehearsal of a rule on a history", .timeLimit(.minutes(10)))
struct AlertHistoryRehearsalTests {
    private let topic = Topic(trusted: "orders:1")
    private let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    private func rule(
        when: String = "total >= 100",
        hold: Int = 0,
        keep: Int = 0,
        cooldown: Int = 0,
        quiet: QuietHours? = nil
    ) throws -> AlertRule {
        try AlertRule(
            name: "large",
            topics: "orders:*",
            when: AlertExpression(when),
            hold: .seconds(hold),
            keep: .seconds(keep),
            cooldown: .seconds(cooldown),
            severity: .warning,
            escalations: [
                AlertEscalation(severity: .critical, when: AlertExpression("total >= 500"))
            ],
            quiet: quiet
        )
    }

    private func rehearse(
        _ rule: AlertRule,
        _ payloads: [(seconds: Int, payload: String)],
        until seconds: Int = 3600
    ) -> AlertHistoryRehearsal {
        let publications = payloads.enumerated().map { index, each in
            Publication(
                topic: topic,
                offset: UInt64(index + 1),
                cursor: UInt64(index + 1),
                time: start + .seconds(each.seconds),
                payload: Array(each.payload.utf8)
            )
        }
        return AlertHistoryRehearsal(
            rule,
            of: topic,
            publications,
            until: start + .seconds(seconds)
        )
    }

    private func totals(_ totals: (Int, Int)...) -> [(seconds: Int, payload: String)] {
        totals.map { ($0.0, #"{"total":\#($0.1)}"#) }
    }

    /// The seconds of its raise and its end, and its severity.
    private func course(_ found: AlertHistoryRehearsal) -> [String] {
        func seconds(_ time: Timestamp?) -> String {
            time.map { String(($0.milliseconds - start.milliseconds) / 1000) } ?? "…"
        }
        return found.alerts.map { "\(seconds($0.raised))-\(seconds($0.ended)) \($0.severity)" }
    }

    @Test func alertsAreThoseOfTheCrossings() throws {
        let found = rehearse(
            try rule(),
            totals((0, 10), (10, 150), (20, 600), (30, 120), (40, 5), (50, 100))
        )
        expectEqual(course(found), ["10-40 critical", "50-… warning"])
        expect(found.count == 6 && found.unreadable == 0 && found.missing == [])
        expectEqual(found.alerts[0].headline, "large: total 600", "that of the last escalation")
        expectEqual(found.alerts[0].values, Array(#"{"total":600}"#.utf8))
    }

    @Test func holdEndsBetweenPublications() throws {
        let payloads = totals((0, 150), (100, 150), (200, 1), (210, 150), (220, 1))
        expectEqual(course(rehearse(try rule(hold: 60), payloads)), ["60-200 warning"])
        expectEqual(course(rehearse(try rule(hold: 60), totals((0, 150)), until: 59)), [])
        expectEqual(
            course(rehearse(try rule(hold: 60), totals((0, 150)), until: 60)),
            ["60-… warning"]
        )
    }

    @Test func keepAndCooldownEndBetweenPublications() throws {
        let payloads = totals((0, 150), (10, 1), (70, 150), (500, 150))
        expectEqual(
            course(rehearse(try rule(keep: 60, cooldown: 300), payloads)),
            ["0-60 warning", "360-… warning"]
        )
    }

    @Test func alertsInQuietHoursComeAtTheirEnd() throws {
        let quiet = try require(
            QuietHours(
                from: "09:00",
                to: "10:30",
                zone: ClockZone(name: "UTC", minutesAhead: 0)
            )
        )
        let found = rehearse(try rule(quiet: quiet), totals((0, 150), (60, 1), (120, 150)))
        expectEqual(course(found), ["120-… warning"], "raised at 10:02, published at 10:30")
    }

    @Test func whatCannotBeReadAndWhatIsMissingIsReported() throws {
        let found = rehearse(
            try rule(when: "total >= 100 and customer.age > 5 or state == \"new\""),
            [(0, "[]"), (1, #""text""#), (2, #"{"total":150,"state":null}"#)]
        )
        expect(found.count == 1 && found.unreadable == 2)
        expectEqual(found.missing, ["customer.age", "state"])
        expectEqual(found.alerts, [])
    }

    @Test func withoutPublicationsThereIsNothing() throws {
        let found = rehearse(try rule(), [])
        expect(found.count == 0 && found.alerts == [] && found.missing == ["total"])
    }

    /// A clock that was set back.
    @Test func timeNeverFalls() throws {
        let found = rehearse(try rule(), totals((50, 150), (10, 1)))
        expectEqual(course(found), ["50-50 warning"])
    }
}
