import Expectations

@testable import Aurora

@Suite("NOAA's scales", .timeLimit(.minutes(10)))
struct StormScalesTests {
    private let afterStorm = "spaceweather/noaa-scales.2025-04-17-after-g4.json"
    private let now = at("2025-04-17T05:35:00Z")

    private func decoded(_ text: String) throws -> StormScales {
        try StormScales.decode(Array(text.utf8), now: now)
    }

    @Test func stormOfYesterdayAndTheStormsToComeAreRead() throws {
        let scales = try StormScales.decode(try recording(afterStorm), now: now)
        expectEqual(scales.lines.map(\.period), StormScales.Period.allCases)
        expectEqual(scales.lines.map(\.geomagneticStorm), [4, 0, 2, 0, 0])
        expectEqual(scales.lines.map(\.radioBlackout), [0, 0, nil, nil, nil])
        expectEqual(scales.line(.pastDay)?.time, at("2025-04-16T05:33:00Z"))
        expectEqual(scales.time, at("2025-04-17T05:33:00Z"))
        expectEqual(scales.notes, PayloadNotes())
    }

    @Test func radiationStormOfYesterdayIsRead() throws {
        let bytes = try recording("spaceweather/noaa-scales.2026-08-01.json")
        let scales = try StormScales.decode(bytes, now: at("2026-08-01T08:00:00Z"))
        expectEqual(scales.lines.map(\.radiationStorm), [1, 0, nil, nil, nil])
        expectEqual(scales.line(.tomorrow)?.geomagneticStorm, 2)
    }

    @Test func numbersAreTakenAsTextsAndAsNumbers() throws {
        let scales = try decoded(
            """
            {"0":{"DateStamp":"2025-04-17","TimeStamp":"05:33:00","R":{"Scale":1},\
            "S":{"Scale":"2"},"G":null},"4":{},"more":[1]}
            """
        )
        expectEqual(scales.lines.count, 1)
        expectEqual(scales.line(.now)?.radioBlackout, 1)
        expectEqual(scales.line(.now)?.radiationStorm, 2)
        expectNil(scales.line(.now)?.geomagneticStorm)
    }

    @Test(arguments: ["\"6\"", "-1", "2.5", "\"severe\"", "true"])
    func whatIsNoScaleIsMissingAndCounted(scale: String) throws {
        let scales = try decoded(
            """
            {"0":{"DateStamp":"2025-04-17","TimeStamp":"05:33:00","G":{"Scale":\(scale)}}}
            """
        )
        expectNil(scales.line(.now)?.geomagneticStorm)
        expectEqual(scales.notes.rejectedNumberCount, 1)
    }

    @Test func productWithoutNowOrFromTheFutureIsRefused() throws {
        #expect(throws: PayloadError.missingField("0")) { try decoded("{}") }
        #expect(throws: PayloadError.invalidTime("2025-04-17 soon", row: 0)) {
            try decoded(#"{"0":{"DateStamp":"2025-04-17","TimeStamp":"soon"}}"#)
        }
        let bytes = try recording(afterStorm)
        let early = at("2025-04-17T05:27:59Z")
        #expect(throws: PayloadError.onlyFutureTimes(rowCount: 1)) {
            try StormScales.decode(bytes, now: early)
        }
    }

    @Test func truncationAnywhereIsAnError() throws {
        let bytes = try recording(afterStorm)
        for length in 0..<bytes.count {
            #expect(throws: PayloadError.self, "length \(length)") {
                try StormScales.decode(Array(bytes.prefix(length)), now: now)
            }
        }
    }
}
