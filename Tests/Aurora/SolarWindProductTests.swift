import Expectations

@testable import Aurora

@Suite("Solar wind products", .timeLimit(.minutes(10)))
struct SolarWindProductTests {
    private let now = at("2026-09-26T18:55:00Z")

    private func excerpt(_ name: String) throws -> [UInt8] {
        try recording("spaceweather/\(name).2026-09-26.excerpt.json")
    }

    @Test func propagatedProductCarriesPlasmaAndField() throws {
        let wind = try PropagatedSolarWind.decode(
            excerpt("propagated-solar-wind-1-hour"),
            now: now
        )
        expectEqual(wind.minutes.count, 15)
        expectEqual(wind.notes, PayloadNotes())
        expectEqual(
            wind.minutes.first,
            SolarWindMinute(
                time: at("2026-09-26T17:54:00Z"),
                speed: 458.4,
                density: 6.56,
                by: 2.57,
                bz: -2.62,
                bt: 3.79
            )
        )
        expectEqual(wind.minutes.last?.time, at("2026-09-26T18:48:00Z"))
    }

    @Test func activeCraftIsKeptWhateverItsName() throws {
        let plasma = try RTSWPlasma.decode(excerpt("rtsw_wind_1m"), now: now)
        expectEqual(plasma.minutes.count, 13)
        expectEqual(
            plasma.minutes.last,
            SolarWindMinute(
                time: at("2026-09-26T18:51:00Z"),
                speed: 457.7,
                density: 5.15
            )
        )
        let field = try RTSWField.decode(excerpt("rtsw_mag_1m"), now: now)
        expectEqual(field.minutes.count, 8)
        expect(field.minutes.allSatisfy { $0.speed == nil && $0.bz != nil })
    }

    @Test func dayOfFieldOfAnOlderCraftIsRead() throws {
        let bytes = try recording("spaceweather/rtsw_mag_1m.2024-04-24.json")
        let field = try RTSWField.decode(bytes, now: at("2024-04-24T23:40:00Z"))
        expectEqual(field.minutes.count, 1412)
        expectEqual(
            field.minutes.last,
            SolarWindMinute(
                time: at("2024-04-24T23:35:00Z"),
                by: 1.79,
                bz: 1.83,
                bt: 3.5
            )
        )
    }

    @Test func legacyRowsOfAWeekAreRead() throws {
        let now = at("2026-04-18T14:35:00Z")
        let field = try LegacySolarWind.decodeField(
            recording("spaceweather/mag-7-day.2026-04-18.legacy-rows.json"),
            now: now
        )
        let plasma = try LegacySolarWind.decodePlasma(
            recording("spaceweather/plasma-7-day.2026-04-18.legacy-rows.json"),
            now: now
        )
        expectEqual(field.minutes.count, 9777)
        expectEqual(
            field.minutes.last,
            SolarWindMinute(
                time: at("2026-04-18T14:29:00Z"),
                by: -1.97,
                bz: -3.44,
                bt: 7.58
            )
        )
        // Of 9692 rows, one has no number at all.
        expectEqual(plasma.minutes.count, 9691)
        expectEqual(plasma.minutes.filter { $0.speed == nil }.count, 33)
        expect(plasma.minutes.allSatisfy { $0.density != nil })
    }

    @Test func bareNaNIsRepairedAndReported() throws {
        let bytes = try recording("spaceweather/rtsw_wind_1m.bare-nan.synthetic.json.txt")
        let plasma = try RTSWPlasma.decode(bytes, now: now)
        expect(plasma.notes.isRepaired)
        expectEqual(plasma.notes.nonFiniteCount, 2)
        let times = ["18:48", "18:49", "18:50", "18:51"].map { at("2026-09-26T\($0):00Z") }
        expectEqual(plasma.minutes.map(\.time), times)
        expectEqual(plasma.minutes.map(\.speed), [455.2, 455.7, nil, 457.7])
        expectEqual(plasma.minutes[2].density, 4.96)
    }

    @Test func craftInChargeMayChangeWithinTheFile() throws {
        let json = """
            [{"time_tag":"2026-09-26T18:52:00","active":true,"proton_speed":400,"proton_density":4},
            {"time_tag":"2026-09-26T18:51:00","active":false,"proton_speed":900,"proton_density":9},
            {"time_tag":"2026-09-26T18:51:00","active":true,"proton_speed":410},
            {"time_tag":"2026-09-26T18:51:00","active":true,"proton_speed":420,"proton_density":5},
            {"time_tag":"2026-09-26T18:50:00","active":null,"proton_speed":430,"proton_density":6},
            {"time_tag":"2026-09-26T18:49:00","proton_speed":440,"proton_density":7}]
            """
        let plasma = try RTSWPlasma.decode(Array(json.utf8), now: now)
        expectEqual(
            plasma.minutes,
            [
                SolarWindMinute(time: at("2026-09-26T18:51:00Z"), speed: 410, density: 5),
                SolarWindMinute(time: at("2026-09-26T18:52:00Z"), speed: 400, density: 4),
            ]
        )
    }

    @Test func fileWithoutAnActiveMarkIsRefused() {
        let json = #"[{"time_tag":"2026-09-26T18:52:00","proton_speed":1,"proton_density":1}]"#
        #expect(throws: PayloadError.missingField("active")) {
            _ = try RTSWPlasma.decode(Array(json.utf8), now: now)
        }
    }

    @Test(
        arguments: [
            ("speed", 149.9, nil), ("speed", 150, 150), ("speed", 3000, 3000),
            ("speed", 3000.1, nil),
            ("density", -0.1, nil), ("density", 0, 0), ("density", 300, 300),
            ("density", 300.1, nil),
            ("bz", -150.1, nil), ("bz", -150, -150), ("bz", 150, 150), ("bz", 150.1, nil),
            ("by", -150.1, nil), ("by", -150, -150), ("bt", -0.1, nil), ("bt", 150, 150),
            ("bt", 150.1, nil), ("speed", -9999.9, nil), ("bz", -9999, nil),
        ] as [(String, Double, Double?)]
    )
    func numberOutsideItsRangeIsMissing(name: String, value: Double, read: Double?) throws {
        var row = ["speed": 400.0, "density": 5, "by": 1, "bz": 2, "bt": 3]
        row[name] = value
        let members = row.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        let json = #"[{"time_tag":"2026-09-26T18:00:00Z",\#(members)}]"#
        let wind = try PropagatedSolarWind.decode(Array(json.utf8), now: now)
        let minute = try require(wind.minutes.first)
        let values = [
            "speed": minute.speed, "density": minute.density, "by": minute.by, "bz": minute.bz,
            "bt": minute.bt,
        ]
        expectEqual(values[name], .some(read))
        expectEqual(wind.notes.rejectedNumberCount, (read == nil ? 1 : 0))
    }

    @Test func rowOfZerosIsAGap() throws {
        let json = """
            [["time_tag","speed","density","by","bz","bt"],
            ["2026-09-26T18:00:00Z",0,0,0,0,0],
            ["2026-09-26T18:01:00Z",400,0,0,-1,1]]
            """
        let wind = try PropagatedSolarWind.decode(Array(json.utf8), now: now)
        expectEqual(
            wind.minutes,
            [
                SolarWindMinute(
                    time: at("2026-09-26T18:01:00Z"),
                    speed: 400,
                    density: 0,
                    by: 0,
                    bz: -1,
                    bt: 1
                )
            ]
        )
    }

    @Test func missingColumnIsNamed() {
        let json = #"[["time_tag","speed","by","bz","bt"],["2026-09-26T18:00:00Z",400,0,0,0]]"#
        #expect(throws: PayloadError.missingField("density")) {
            _ = try PropagatedSolarWind.decode(Array(json.utf8), now: now)
        }
    }

    @Test func shortRowIsNamed() throws {
        let json = """
            [["time_tag","speed","density","temperature","bx","by","bz","bt","vx","vy","vz","p"],
            ["2026-09-26T17:54:00Z",458.4,6.56,135787,0.59,2.57,-2.62,3.79,-457.5,16.2,-22.3,"p"],
            ["2026-09-26T17:55:00Z",458.4,6.56,135787,0.59,2.57,-2.62,3.79,-457.5]]
            """
        let error = PayloadError.wrongColumnCount(row: 2, found: 9, wanted: 12)
        #expect(throws: error) {
            _ = try PropagatedSolarWind.decode(Array(json.utf8), now: now)
        }
        expectEqual(error.description, "row 2 has 9 of 12 columns")
    }

    @Test func secondsWithinAMinuteAreCutOff() {
        let minute = SolarWindMinute(time: at("2026-09-26T18:00:59.999Z"), speed: 400)
        expectEqual(minute.time, at("2026-09-26T18:00:00Z"))
    }

    @Test func newerNumbersCoverOlderOnesAndGapsDoNot() {
        let time = at("2026-09-26T18:00:00Z")
        let old = SolarWindMinute(time: time, speed: 400, density: 5, by: 1)
        let new = SolarWindMinute(time: time, speed: 410, bz: -2, bt: 3)
        expectEqual(
            old.overlaid(by: new),
            SolarWindMinute(time: time, speed: 410, density: 5, by: 1, bz: -2, bt: 3)
        )
    }
}

@Suite("Bodies that are cut short", .timeLimit(.minutes(10)))
struct TruncatedBodyTests {
    @Test(arguments: [
        (AuroraProduct.propagatedSolarWind, "propagated-solar-wind-1-hour.2026-09-26.excerpt.json"),
        (.rtswPlasma, "rtsw_wind_1m.bare-nan.synthetic.json.txt"),
        (.rtswField, "rtsw_mag_1m.2026-09-26.excerpt.json"),
        (.planetaryK, "noaa-planetary-k-index.2024-05-12-g5.reformatted.json"),
        (.planetaryK, "noaa-planetary-k-index.2024-05-12-g5.legacy-rows.reformatted.json"),
        (.kForecast, "noaa-planetary-k-index-forecast.2026-02-09.legacy-rows.json"),
    ])
    func everyTruncationOfASmallBodyIsRefused(product: AuroraProduct, file: String) throws {
        let now = at("2026-09-26T18:55:00Z")
        var bytes = try recording("spaceweather/\(file)")
        while [0x0A, 0x0D, 0x20].contains(bytes.last) { bytes.removeLast() }
        _ = try product.decode(bytes, now: now)
        for length in 0..<bytes.count {
            #expect(throws: PayloadError.self, "length \(length)") {
                _ = try product.decode(Array(bytes.prefix(length)), now: now)
            }
        }
    }

    @Test func byteOrderMarkBeforeABodyIsPassedOver() throws {
        let now = at("2026-01-01T06:00:00Z")
        let body = Array(#"[{"time_tag":"2026-01-01T00:00:00","Kp":1}]"#.utf8)
        let marked = try AuroraProduct.planetaryK.decode([0xEF, 0xBB, 0xBF] + body, now: now)
        try expectEqual(AuroraProduct.planetaryK.decode(body, now: now), marked)
    }

    @Test(arguments: AuroraProduct.allCases)
    func foreignBodyIsRefusedByEveryProduct(product: AuroraProduct) throws {
        let now = at("2026-09-26T18:55:00Z")
        let bodies: [[UInt8]] = [
            [], [UInt8](repeating: 0, count: 4096), Array("<html>503</html>".utf8),
            Array("null".utf8), Array("[]".utf8), Array("{}".utf8), Array("[[]]".utf8),
            Array("[{}]".utf8), Array("[null]".utf8), Array("[0,0,0]".utf8),
            Array(#"{"status":"error"}"#.utf8), [0xEF, 0xBB, 0xBF], [0xEF, 0xBB, 0x5B, 0x5D],
        ]
        for body in bodies {
            // A month without a message is a statement, too.
            if product == .bulletins, body.starts(with: Array("[]".utf8)) { continue }
            if product == .bulletins, body == Array("[[]]".utf8) { continue }
            #expect(throws: PayloadError.self, "\(text(body).prefix(20))") {
                _ = try product.decode(body, now: now)
            }
        }
    }
}
