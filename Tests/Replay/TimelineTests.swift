import Expectations

@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct TimelineTests {
    private let timeline = Timeline(
        begins: time("2024-12-09T12:00Z"),
        before: [
            Timeline.Segment(
                at: time("2024-12-08T12:00Z"),
                table: 0,
                from: time("2026-01-01T00:00Z")
            )
        ],
        night: [
            Timeline.Segment(
                at: time("2024-12-09T12:00Z"),
                table: 1,
                from: time("2024-05-10T17:00Z")
            ),
            Timeline.Segment(
                at: time("2024-12-09T20:00Z"),
                table: 2,
                from: time("2024-03-03T15:00Z")
            ),
        ]
    )

    @Test(arguments: [
        ("2024-12-09T12:00Z", 1, "2024-05-10T17:00Z", "2024-12-09T12:00Z"),
        ("2024-12-09T19:59:59.999Z", 1, "2024-05-11T00:59:59.999Z", "2024-12-09T12:00Z"),
        ("2024-12-09T20:00Z", 2, "2024-03-03T15:00Z", "2024-12-09T20:00Z"),
        ("2024-12-10T11:59Z", 2, "2024-03-04T06:59Z", "2024-12-09T20:00Z"),
    ])
    func segmentPlaysFromItsTimeUntilTheNext(
        instant: String,
        table: Int,
        recorded: String,
        began: String
    ) {
        let expected = Timeline.Position(table: table, time: time(recorded), began: time(began))
        expectEqual(timeline.position(at: time(instant)), expected)
    }

    @Test(arguments: [1, 2, 30, 365, 10_000])
    func nightRepeatsEveryDayAfterIt(days: Int) {
        let shift = Timeline.day * days
        let first = timeline.position(at: time("2024-12-09T20:30Z"))
        let later = timeline.position(at: time("2024-12-09T20:30Z") + shift)
        expectEqual(later.table, first.table)
        expectEqual(later.time, first.time)
        expectEqual(later.began, first.began + shift)
    }

    @Test(arguments: [0, 1, 2, 30, 365, 10_000])
    func dayBeforeRepeatsIntoThePast(days: Int) {
        let instant = time("2024-12-09T11:59Z") - Timeline.day * days
        let expected = Timeline.Position(
            table: 0,
            time: time("2026-01-01T23:59Z"),
            began: time("2024-12-08T12:00Z") - Timeline.day * days
        )
        expectEqual(timeline.position(at: instant), expected)
    }

    @Test func spansEndWhereTheNextSegmentBegins() {
        expectEqual(
            timeline.spans.map(\.end),
            [
                time("2024-12-09T12:00Z"), time("2024-12-09T20:00Z"), time("2024-12-10T12:00Z"),
            ]
        )
    }
}
