import Expectations
import Foundation

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct SolarWindProductsTests {
    private static let delay = Duration.minutes(5)

    @Test(arguments: clocks)
    func propagatedHasHeaderNumbersAndZones(clock: Timestamp) throws {
        let json = try JSONSerialization.jsonObject(
            with: Data(demo.bytes(.propagatedSolarWind, at: clock))
        )
        let rows = try require(json as? [[Any]])
        expectEqual(
            rows.first as? [String],
            [
                "time_tag", "speed", "density", "temperature", "bx", "by", "bz", "bt", "vx", "vy",
                "vz", "propagated_time_tag",
            ]
        )
        expect((1...55).contains(rows.count - 1), "an hour at most, a gap in the recording or not")
        let newestAllowed = clock.roundedDown(to: .minutes(1)) - SolarWindProductsTests.delay
        var previous: Timestamp?
        for row in rows.dropFirst() {
            expectEqual(row.count, 12)
            let measured = try time(of: row[0])
            let arrival = try time(of: row[11])
            expectEqual((row[0] as? String)?.hasSuffix(":00Z"), true)
            expectEqual((row[11] as? String)?.hasSuffix("Z"), true)
            expect(previous.map { $0 < measured } ?? true, "oldest first")
            expect(measured <= newestAllowed, "nothing from the future")
            expect(measured > clock - .minutes(61))
            expect((25 * 60...90 * 60).contains((arrival - measured).inSeconds))
            expect(row[1..<8].allSatisfy { $0 is NSNumber || $0 is NSNull })
            previous = measured
        }
    }

    @Test func propagatedTellsWhenTheWindArrives() throws {
        let quiet = try JSONSerialization.jsonObject(
            with: Data(demo.bytes(.propagatedSolarWind, at: time("2024-12-09T16:00Z")))
        )
        let row = try require((quiet as? [[Any]])?.last)
        let speed = try require(row[1] as? Double)
        let delay = try time(of: row[11]) - time(of: row[0])
        expect(abs(delay.inSeconds - 1.5e6 / speed) <= 0.5)
    }

    @Test func arrivalOfWindWithoutASpeedIsThatOfTheSpeedBefore() throws {
        let clock = time("2024-12-09T20:40Z")
        let json = try JSONSerialization.jsonObject(
            with: Data(demo.bytes(.propagatedSolarWind, at: clock))
        )
        let rows = try require(json as? [[Any]]).dropFirst()
        var speed: Double?
        var heldCount = 0
        for row in rows {
            if let measured = row[1] as? Double { speed = measured } else { heldCount += 1 }
            guard let speed else { continue }
            let delay = try time(of: row[11]) - time(of: row[0])
            expect(abs(delay.inSeconds - 1.5e6 / speed) <= 0.5)
        }
        expect(heldCount > 3, "the storm has minutes without a speed")
    }

    @Test(arguments: clocks)
    func dayOfTheFieldIsNewestFirst(clock: Timestamp) throws {
        let rows = try demo.objects(.field, at: clock)
        try expectDay(rows, at: clock, keys: ["bt", "bx_gsm", "by_gsm", "bz_gsm", "bz_gse"])
        try expectKeys(rows[0], of: "spaceweather/rtsw_mag_1m.2026-09-26.excerpt.json")
    }

    @Test(arguments: clocks)
    func dayOfThePlasmaIsNewestFirst(clock: Timestamp) throws {
        let rows = try demo.objects(.plasma, at: clock)
        try expectDay(
            rows,
            at: clock,
            keys: ["proton_speed", "proton_density", "proton_temperature"]
        )
        try expectKeys(rows[0], of: "spaceweather/rtsw_wind_1m.2026-09-26.excerpt.json")
    }

    private func expectKeys(_ row: [String: Any], of path: String) throws {
        let json = try JSONSerialization.jsonObject(with: Data(recorded(path).bytes))
        let rows = try require(json as? [[String: Any]])
        expectEqual(row.keys.sorted(), rows[0].keys.sorted())
    }

    private func expectDay(_ rows: [[String: Any]], at clock: Timestamp, keys: [String]) throws {
        expect(rows.count > 1300)
        expect(rows.count <= 1440)
        let newestAllowed = clock.roundedDown(to: .minutes(1)) - SolarWindProductsTests.delay
        var previous = newestAllowed + .minutes(1)
        for row in rows {
            let measured = try row.time("time_tag")
            expect(measured < previous, "newest first")
            previous = measured
        }
        try expect(rows[0].time("time_tag") > newestAllowed - .minutes(5))
        expect(previous > newestAllowed - Timeline.day)
        expect(rows.allSatisfy { $0["active"] as? Bool == true })
        expect(rows.allSatisfy { row in keys.allSatisfy { row[$0] != nil } })
        expectEqual((rows[0]["time_tag"] as? String)?.hasSuffix("Z"), false)
    }

    @Test func stormIsThatOfTheRecordingWithItsGaps() throws {
        let source = try SolarWindTable(
            field: recorded("spaceweather/rtsw_mag_1m.2024-05-10-g5.reformatted.json"),
            plasma: recorded("spaceweather/rtsw_wind_1m.2024-05-10-g5.reformatted.json")
        )
        let shift = time("2024-12-09T19:10Z") - time("2024-05-10T17:10Z")
        let span = time("2024-12-09T19:10Z")..<time("2024-12-09T20:40Z")
        let clock = time("2024-12-10T12:00Z")
        var rowCount = 0
        for row in try demo.objects(.field, at: clock) + demo.objects(.plasma, at: clock) {
            let presented = try row.time("time_tag")
            guard span.contains(presented) else { continue }
            rowCount += 1
            let recorded = source[presented - shift]
            let values =
                row["bt"] == nil
                ? [("proton_speed", recorded.speed), ("proton_density", recorded.density)]
                : [("by_gsm", recorded.by), ("bz_gsm", recorded.bz), ("bt", recorded.bt)]
            for (name, value) in values {
                let served = (row[name] as? Double).map { Float($0) }
                expectEqual(served, (value.isNaN ? nil : value), "\(name) at \(presented.iso8601)")
            }
        }
        expectEqual(rowCount, 180)
    }

    @Test func pastBeforeTheFirstNightIsQuiet() throws {
        let rows = try demo.objects(.field, at: time("2024-12-09T16:00Z"))
        let lowest = rows.compactMap { $0["bz_gsm"] as? Double }.min()
        try expect(require(lowest) > -5)
    }
}
