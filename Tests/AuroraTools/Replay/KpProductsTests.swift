import Expectations
import Foundation

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct KpProductsTests {
    @Test(arguments: clocks)
    func weekEndsWithTheLastWindowThatIsOver(clock: Timestamp) throws {
        let rows = try demo.objects(.planetaryK, at: clock)
        expectEqual(rows.count, 56)
        let last = try require(rows.last).time("time_tag")
        let age = clock - last
        expect(age >= .seconds(3 * 3600))
        expect(age < .seconds(6 * 3600))
        for (earlier, later) in zip(rows, rows.dropFirst()) {
            try expectEqual(later.time("time_tag") - earlier.time("time_tag"), KpTable.window)
        }
        expect(rows.allSatisfy { (0...9).contains($0["Kp"] as? Double ?? -1) })
        expect(rows.allSatisfy { $0["a_running"] is Int && $0["station_count"] is Int })
    }

    @Test func stormShowsAfterItsWindow() throws {
        func newest(_ clock: String) throws -> Double? {
            try demo.objects(.planetaryK, at: time(clock)).last?["Kp"] as? Double
        }
        try expectEqual(newest("2024-12-09T20:59:59.999Z"), 1.33)
        try expectEqual(newest("2024-12-09T21:00Z"), 7.67)
        try expectEqual(newest("2024-12-10T00:00Z"), 3.33)
        try expectEqual(newest("2024-12-10T21:00Z"), 7.67, "the night repeats")
    }

    /// The night repeats, and so does each day of the outlook: A and Kp are those of the rows.
    @Test func outlookHasTheDaysOfTheRecording() throws {
        let clock = time("2024-12-09T16:20Z")
        let body = try demo.bytes(.outlook, at: clock)
        let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
        expectEqual(lines[0], ":Product: 27-day Space Weather Outlook Table 27DO.txt")
        expectEqual(lines[1], ":Issued: 2024 Dec 09 0000 UTC")
        let rows = lines.filter { !$0.hasPrefix("#") && !$0.hasPrefix(":") }
            .map { $0.split(separator: " ").map(String.init) }
        expectEqual(rows.count, 27)
        expectEqual(rows[0].prefix(3), ["2024", "Dec", "09"])
        expectEqual(rows[26].prefix(3), ["2025", "Jan", "04"])
        // The greatest K index of a night is 8-, written as 8.
        expectEqual(Set(rows.dropFirst().map { $0[5] }), ["8"])
        expectEqual(Set(rows.dropFirst().map { $0[4] }).count, 1)
        expectEqual(body.last, UInt8(ascii: "\n"))
    }

    @Test(arguments: clocks)
    func minutesEndFiveMinutesAgo(clock: Timestamp) throws {
        let rows = try demo.objects(.planetaryKMinutes, at: clock)
        expectEqual(rows.count, 358)
        let last = try require(rows.last).time("time_tag")
        expectEqual(last, clock.roundedDown(to: .minutes(1)) - .minutes(5))
        for (earlier, later) in zip(rows, rows.dropFirst()) {
            try expectEqual(later.time("time_tag") - earlier.time("time_tag"), .minutes(1))
        }
        for row in rows {
            let estimate = try require(row["estimated_kp"] as? Double)
            let nearest = try require(row["kp_index"] as? Int)
            expectEqual(nearest, Int(estimate.rounded()))
            let sign = estimate == Double(nearest) ? "Z" : estimate < Double(nearest) ? "M" : "P"
            expectEqual(row["kp"] as? String, "\(nearest)\(sign)")
        }
    }

    @Test(
        arguments: [
            ("2024-12-09T17:59Z", 4), ("2024-12-09T18:00Z", 4), ("2024-12-09T18:45Z", 14),
            ("2024-12-09T19:30Z", 23), ("2024-12-09T20:59Z", 23), ("2024-12-09T21:45Z", 17),
            ("2024-12-09T22:30Z", 10),
        ] as [(String, UInt8)]
    )
    func estimateClimbsFromWindowToWindow(instant: String, thirds: UInt8) {
        expectEqual(demo.aurora.planetaryK.estimate(at: time(instant)), thirds)
    }

    @Test(arguments: clocks)
    func forecastReachesThreeDaysAhead(clock: Timestamp) throws {
        let rows = try demo.objects(.planetaryKForecast, at: clock)
        expectEqual(rows.count, 81)
        let issued = KpForecast.issue(at: clock)
        expect(issued <= clock)
        expect(clock - issued <= .minutes(12 * 60))
        let today = issued.roundedDown(to: Timeline.day)
        try expectEqual(rows[0].time("time_tag"), today - Timeline.day * 7)
        try expectEqual(require(rows.last).time("time_tag"), today + Timeline.day * 3)
        for row in rows {
            let window = try row.time("time_tag")
            let expected =
                window + KpTable.window <= issued
                ? "observed" : window < today + Timeline.day ? "estimated" : "predicted"
            expectEqual(row["observed"] as? String, expected)
        }
    }

    @Test func forecastNamesTheScaleOfAStorm() throws {
        let rows = try demo.objects(.planetaryKForecast, at: time("2024-12-09T23:00Z"))
        let storm = try require(rows.first { $0["time_tag"] as? String == "2024-12-09T18:00:00" })
        expectEqual(storm["kp"] as? Double, 7.67)
        expectEqual(storm["noaa_scale"] as? String, "G4")
        let calm = rows.filter { ($0["kp"] as? Double ?? 9) < 4.5 }
        expect(calm.count > 50)
        expect(calm.allSatisfy { $0["noaa_scale"] is NSNull })
    }

    @Test(arguments: [
        ("2024-12-09T00:29:59Z", "2024-12-08T22:05Z"), ("2024-12-09T00:30Z", "2024-12-09T00:30Z"),
        ("2024-12-09T12:29Z", "2024-12-09T00:30Z"), ("2024-12-09T22:04Z", "2024-12-09T12:30Z"),
        ("2024-12-09T22:05Z", "2024-12-09T22:05Z"),
    ])
    func forecastIsIssuedThreeTimesADay(clock: String, issued: String) {
        expectEqual(KpForecast.issue(at: time(clock)), time(issued))
    }
}
