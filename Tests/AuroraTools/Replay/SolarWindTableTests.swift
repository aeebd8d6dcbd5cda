import Expectations

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct SolarWindTableTests {
    private let noPlasma = made(
        #"[{"time_tag":"2026-04-11T14:33:00","active":true,"proton_speed":null}]"#
    )

    @Test func legacyPairKeepsItsValuesAndGaps() throws {
        let table = try SolarWindTable(
            field: recorded("spaceweather/mag-7-day.2026-04-18.legacy-rows.json"),
            plasma: recorded("spaceweather/plasma-7-day.2026-04-18.legacy-rows.json")
        )
        expectEqual(table.first, time("2026-04-11T14:32Z"))
        expectEqual(table.end, time("2026-04-18T14:31Z"))
        let both = table[time("2026-04-11T14:33:30Z")]
        expectEqual(both.rows, [.field, .plasma])
        expectEqual(both.bz, 0.14)
        expectEqual(both.bt, 4.63)
        expectEqual(both.speed, 575.6)
        expectEqual(both.temperature, 146_775)
        expectEqual(
            table[time("2026-04-11T14:32Z")].rows,
            .field,
            "the field began a minute earlier"
        )
        expect(table[time("2026-04-11T14:32Z")].speed.isNaN)
        let empty = table.minutes.count { $0.rows.isEmpty }
        expect(empty > 0, "the recording has gaps in time")
        expectEqual(table.minutes.count { $0.rows.contains(.plasma) && $0.speed.isNaN }, 34)
    }

    @Test func stormPairKeepsItsNulls() throws {
        let table = try SolarWindTable(
            field: recorded("spaceweather/rtsw_mag_1m.2024-05-10-g5.reformatted.json"),
            plasma: recorded("spaceweather/rtsw_wind_1m.2024-05-10-g5.reformatted.json")
        )
        expectEqual(table.minutes.count, 1440)
        expect(table.minutes.allSatisfy { $0.rows == [.field, .plasma] })
        expectEqual(table.minutes.map(\.bz).filter(\.isFinite).min(), -47.46)
        let missing = table.minutes.count { $0.speed.isNaN }
        expect(missing > 500, "39 % of the speeds are missing")
        expectEqual(table[time("2024-05-11T11:59Z")].speed, 817.6)
    }

    @Test func inactiveCraftIsLeftOut() throws {
        let recording = try SolarWindTable(
            field: recorded("spaceweather/rtsw_mag_1m.2024-04-24.json"),
            plasma: made("[]")
        )
        let newest = recording[time("2024-04-24T23:35Z")]
        expectEqual(newest.bt, 3.5, "ACE is active, DSCOVR beside it is not")
        let active = made(
            """
            [{"time_tag":"2026-04-11T14:33:00","active":true,"bt":3.5,"bx_gsm":1,"by_gsm":2},
             {"time_tag":"2026-04-11T14:33:00","active":false,"bt":5.48,"bz_gsm":9}]
            """
        )
        let minute = try SolarWindTable(field: active, plasma: noPlasma)[time("2026-04-11T14:33Z")]
        expectEqual(minute.bt, 3.5)
        expect(minute.bz.isNaN)
    }

    @Test func minuteOutsideTheRecordingHasNoRows() throws {
        let table = try SolarWindTable(field: noPlasma, plasma: noPlasma)
        expect(table[time("2026-04-11T14:32Z")].rows.isEmpty)
        expectEqual(table[time("2026-04-11T14:33Z")].rows, [.field, .plasma])
        expect(table[time("2026-04-11T14:34Z")].rows.isEmpty)
    }

    @Test(arguments: [
        ("[]", "holds no rows"),
        ("[[\"time_tag\"]]", "has no column 'bx_gsm'"),
        ("[[\"bt\"]]", "has no column 'time_tag'"),
        (
            #"[["time_tag","bx_gsm","by_gsm","bz_gsm","bt"],["2026-04-11 14:32:00.000","1"]]"#,
            "has a row of 2 of 5 columns"
        ),
        (#"[{"time_tag":"yesterday","active":true}]"#, "has the time 'yesterday'"),
        (
            #"[{"time_tag":"2026-04-11T14:33","active":true,"bt":-2e9}]"#,
            "or made.json has the value -2e+09"
        ),
    ])
    func unusableFieldIsRefused(text: String, problem: String) {
        let plasma = made(
            text == "[]" ? "[]" : "[{\"time_tag\":\"2026-04-11T14:33\",\"active\":true}]"
        )
        #expect(throws: RecordingError(path: "made.json", problem: problem)) {
            try SolarWindTable(field: made(text), plasma: plasma)
        }
    }

    @Test(arguments: ["", "<html>", "[{\"time_tag\":\"2026-", "{}", "[1]"])
    func whatIsNotTheProductIsRefused(text: String) {
        #expect(throws: RecordingError.self) {
            try SolarWindTable(field: made(text), plasma: noPlasma)
        }
    }

    @Test(arguments: [(14 * 1440 - 1, true), (14 * 1440, false)])
    func spanIsLimited(minutes: Int, isAccepted: Bool) throws {
        let last = time("2026-04-11T14:33Z") + .minutes(minutes)
        let late = made(#"[{"time_tag":"\#(last.iso8601)","active":true}]"#)
        if isAccepted {
            let table = try SolarWindTable(field: late, plasma: noPlasma)
            expectEqual(table.minutes.count, SolarWindTable.minuteCountMax)
        } else {
            #expect(throws: RecordingError.self) {
                try SolarWindTable(field: late, plasma: noPlasma)
            }
        }
    }
}
