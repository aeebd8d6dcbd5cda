import Expectations
import Foundation

@testable import AuroraTools
@testable import Replay

@Suite("Scales and bulletins made from planetary K", .timeLimit(.minutes(10)))
struct KpBulletinsTests {
    private func scales(at clock: String) throws -> [String: [String: Any]] {
        let object = try demo.object(.scales, at: time(clock))
        return try require(object as? [String: [String: Any]])
    }

    private func geomagnetic(_ scales: [String: [String: Any]]) -> [String] {
        ["-1", "0", "1", "2", "3"].map {
            (scales[$0]?["G"] as? [String: Any])?["Scale"] as? String ?? "missing"
        }
    }

    @Test func scalesRiseWithTheStormAndRememberIt() throws {
        try expectEqual(geomagnetic(scales(at: "2024-12-09T12:00:00Z")).prefix(2), ["0", "0"])
        let storm = try scales(at: "2024-12-09T20:57:00Z")
        // Kp 7.67 is nearest to 8.
        expectEqual(geomagnetic(storm).prefix(3), ["4", "4", "4"])
        expectEqual(storm["0"]?["DateStamp"] as? String, "2024-12-09")
        expectEqual(storm["0"]?["TimeStamp"] as? String, "20:55:00", "every five minutes")
        expectEqual((storm["0"]?["G"] as? [String: Any])?["Text"] as? String, "severe")
        try expectEqual(geomagnetic(scales(at: "2024-12-10T11:00:00Z")).prefix(2), ["4", "0"])
    }

    @Test func messageIsThereForEachLevelThatWasReached() throws {
        try expectEqual(demo.bytes(.bulletins, at: time("2024-12-09T12:00:00Z")), Array("[]".utf8))
        let storm = try demo.objects(.bulletins, at: time("2024-12-09T20:57:00Z"))
        let ids = storm.compactMap { $0["product_id"] as? String }
        expectEqual(ids, ["K08A", "K07A", "K06A", "K05A", "K04A"], "newest first")
        let newest = try require(storm.first?["message"] as? String)
        expect(newest.hasPrefix("Space Weather Message Code: ALTK08\r\nSerial Number: "))
        expect(newest.contains("\r\nALERT: Geomagnetic K-index of 8\r\n"))
        expect(newest.contains("\r\nSynoptic Period: 1800-2100 UTC\r\n"))
        expect(newest.hasSuffix("\r\nNOAA Scale: G4 - Severe"))
        let times = try storm.map { try require($0["issue_datetime"] as? String) }
        expectEqual(times, times.sorted(by: >))
        expect(times.allSatisfy { $0 > "2024-12-09 18:00" && $0 < "2024-12-09 19:31" })
    }

    @Test func messageIsNotThereBeforeItsTime() throws {
        let early = try demo.objects(.bulletins, at: time("2024-12-09T18:20:00Z"))
        let late = try demo.objects(.bulletins, at: time("2024-12-09T20:57:00Z"))
        expect(early.count < late.count)
        let newest = early.compactMap { $0["issue_datetime"] as? String }.max() ?? ""
        expect(newest <= "2024-12-09 18:20:00.000")
    }

    @Test(arguments: clocks)
    func bothAreJSONAtAnyTime(clock: Timestamp) throws {
        try expectEqual(demo.object(.scales, at: clock).count, 5)
        _ = try demo.objects(.bulletins, at: clock)
    }
}
