import Expectations
import Foundation

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct OvationProductTests {
    @Test(arguments: clocks)
    func timesMoveAlongWithTheClock(clock: Timestamp) throws {
        let file = try demo.object(.ovation, at: clock)
        let observed = try file.time("Observation Time")
        let forecast = try file.time("Forecast Time")
        expect(observed <= clock)
        expect(clock - observed < .minutes(10))
        expect((.minutes(55)...(.minutes(96))).contains(forecast - observed), "the recorded lead")
        expectEqual((file["coordinates"] as? [[Int]])?.count, OvationGrid.cellCount)
        expectEqual(file["type"] as? String, "MultiPoint")
    }

    @Test func gridIsThatOfTheSegment() throws {
        func largest(_ clock: String) throws -> UInt8 {
            let bytes = try demo.bytes(.ovation, at: time(clock))
            return try require(OvationGrid(SourceFile(path: clock, bytes: bytes)).values.max())
        }
        try expectEqual(largest("2024-12-09T18:29:59Z"), 16)
        try expectEqual(largest("2024-12-09T18:30Z"), 49)
        try expectEqual(largest("2024-12-09T19:20Z"), 100)
        try expectEqual(largest("2024-12-09T21:50Z"), 49)
        try expectEqual(largest("2024-12-10T00:10Z"), 16)
        try expectEqual(largest("2024-12-20T19:20Z"), 100)
        try expectEqual(largest("2024-12-08T19:20Z"), 16)
    }

    @Test func segmentOffTheScheduleMakesAVersionOfItsOwn() throws {
        let shifted = try recording(
            yaml: demoYAML.replacing(
                "at: 2024-12-09T19:20Z, recording: ovation",
                with: "at: 2024-12-09T19:23Z, recording: ovation"
            )
        )
        func version(_ clock: String) -> Timestamp {
            shifted.aurora.version(of: .ovation, at: time(clock))
        }
        expectEqual(version("2024-12-09T19:22:59Z"), time("2024-12-09T19:20Z"))
        expectEqual(version("2024-12-09T19:23Z"), time("2024-12-09T19:23Z"))
        expectEqual(version("2024-12-09T19:29Z"), time("2024-12-09T19:23Z"))
        expectEqual(version("2024-12-09T19:30Z"), time("2024-12-09T19:30Z"))
    }
}
