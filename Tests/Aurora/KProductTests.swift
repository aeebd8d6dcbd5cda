import Expectations

@testable import Aurora

@Suite("Planetary K products", .timeLimit(.minutes(10)))
struct KProductTests {
    @Test func bothShapesOfTheStormReadTheSame() throws {
        let now = at("2024-05-13T00:00:00Z")
        let base = "spaceweather/noaa-planetary-k-index.2024-05-12-g5"
        let objects = try PlanetaryK.decode(recording("\(base).reformatted.json"), now: now)
        let rows = try PlanetaryK.decode(
            recording("\(base).legacy-rows.reformatted.json"),
            now: now
        )
        expectEqual(objects, rows)
        expectEqual(objects.intervals.count, 32)
        expectEqual(objects.intervals[12], KInterval(start: at("2024-05-10T12:00:00Z"), kp: 2.67))
        expectEqual(objects.intervals.map(\.kp).max(), 9)
        expectEqual(objects.notes, PayloadNotes())
    }

    @Test(arguments: [
        ("noaa-planetary-k-index.2026-08-01.objects", "2026-08-01T12:00:00Z"),
        ("noaa-planetary-k-index.2026-02-09.legacy-rows", "2026-02-10T00:00:00Z"),
    ])
    func recordedIndexIsRead(file: String, now: String) throws {
        let bytes = try recording("spaceweather/\(file).json")
        let product = try PlanetaryK.decode(bytes, now: at(now))
        expect(product.intervals.count > 50)
        expectEqual(product.notes, PayloadNotes())
        for pair in zip(product.intervals, product.intervals.dropFirst()) {
            expectEqual(pair.1.start - pair.0.start, KInterval.length)
        }
    }

    @Test(arguments: [
        ("2025-04-17-g4.legacy-rows", "2025-04-17T06:00:00Z", 7.67),
        ("2026-02-09.legacy-rows", "2026-02-09T12:00:00Z", 5.33),
        ("2026-08-01.objects", "2026-08-01T12:00:00Z", 5.67),
    ])
    func recordedForecastReachesIntoTheFuture(file: String, now: String, kpMax: Double) throws {
        let name = "spaceweather/noaa-planetary-k-index-forecast.\(file).json"
        let product = try KForecast.decode(recording(name), now: at(now))
        expectEqual(product.intervals.count, 81)
        expect(Set(product.intervals.map(\.status)).isSuperset(of: [.observed, .predicted]))
        try expect(require(product.intervals.last).start > at(now))
        expectEqual(product.intervals.map(\.kp).max(), kpMax)
        expectEqual(product.notes, PayloadNotes())
    }

    @Test func forecastTellsObservedFromEstimatedFromPredicted() throws {
        let name = "spaceweather/noaa-planetary-k-index-forecast.2026-08-01.objects.json"
        let product = try KForecast.decode(recording(name), now: at("2026-08-01T08:00:00Z"))
        let counts = KForecastInterval.Status.allCases.map { status in
            product.intervals.filter { $0.status == status }.count
        }
        expectEqual(counts, [58, 6, 17])
        let estimated = try require(product.intervals.first { $0.status == .estimated })
        expectEqual(estimated.start, at("2026-08-01T06:00:00Z"))
        expectEqual(estimated.kp, 2)
    }

    @Test func forecastRowOfUnknownStatusIsPredicted() throws {
        let json = #"[{"time_tag":"2026-01-01T00:00:00","kp":"2.33","observed":"guessed"}]"#
        let product = try KForecast.decode(Array(json.utf8), now: at("2026-01-01T01:00:00Z"))
        expectEqual(
            product.intervals,
            [
                KForecastInterval(start: at("2026-01-01T00:00:00Z"), kp: 2.33, status: .predicted)
            ]
        )
    }

    @Test func forecastFartherThanAnyForecastIsLeftOut() throws {
        let json = """
            [{"time_tag":"2026-01-11T00:00:00","kp":1,"observed":"predicted"},
            {"time_tag":"2026-01-11T03:00:00","kp":1,"observed":"predicted"}]
            """
        let product = try KForecast.decode(Array(json.utf8), now: at("2026-01-01T00:00:00Z"))
        expectEqual(product.intervals.map(\.start), [at("2026-01-11T00:00:00Z")])
    }

    @Test func recordedMinutesAreRead() throws {
        let bytes = try recording("spaceweather/planetary_k_index_1m.2026-07-09.json")
        let product = try KMinutes.decode(bytes, now: at("2026-07-09T10:05:00Z"))
        expectEqual(product.minutes.count, 358)
        expectEqual(product.minutes.first, KMinute(time: at("2026-07-09T04:03:00Z"), kp: 0.67))
        expectEqual(product.minutes.last, KMinute(time: at("2026-07-09T10:00:00Z"), kp: 1.67))
    }

    @Test func wholeIndexStandsInForMissingEstimate() throws {
        let json = """
            [{"time_tag":"2026-07-09T04:03:00","kp_index":3,"estimated_kp":null},
            {"time_tag":"2026-07-09T04:04:00","kp_index":3,"estimated_kp":2.67}]
            """
        let product = try KMinutes.decode(Array(json.utf8), now: at("2026-07-09T05:00:00Z"))
        expectEqual(product.minutes.map(\.kp), [3, 2.67])
    }

    @Test func rowsAreSortedAndTheFirstOfTwoForOneTimeWins() throws {
        let json = """
            [{"time_tag":"2026-01-01T03:00:00","Kp":2},{"time_tag":"2026-01-01T00:00:00Z","Kp":1},
            {"time_tag":"2026-01-01 03:00:00.000","Kp":5}]
            """
        let product = try PlanetaryK.decode(Array(json.utf8), now: at("2026-01-02T00:00:00Z"))
        expectEqual(
            product.intervals,
            [
                KInterval(start: at("2026-01-01T00:00:00Z"), kp: 1),
                KInterval(start: at("2026-01-01T03:00:00Z"), kp: 2),
            ]
        )
    }

    @Test(arguments: [
        ("0", 0.0), ("9", 9.0), ("9.01", nil), ("-0.01", nil), ("\"4.33\"", 4.33), ("\"-1\"", nil),
        ("\"nan\"", nil), ("\"inf\"", nil), ("\"many\"", nil), ("null", nil), ("true", nil),
        ("[1]", nil),
    ])
    func kpIsANumberOrATextInRange(json: String, kp: Double?) throws {
        let body = #"[{"time_tag":"2026-01-01T00:00:00","Kp":\#(json)}]"#
        let now = at("2026-01-01T01:00:00Z")
        guard let kp else {
            #expect(throws: PayloadError.noUsableRows("none has a Kp")) {
                _ = try PlanetaryK.decode(Array(body.utf8), now: now)
            }
            let next = body.dropLast() + #",{"time_tag":"2026-01-01T00:30:00","Kp":1}]"#
            let product = try PlanetaryK.decode(Array(next.utf8), now: now)
            expectEqual(product.intervals.map(\.kp), [1])
            let isRejected = !["null", "true", "[1]"].contains(json)
            expectEqual(product.notes.rejectedNumberCount, (isRejected ? 1 : 0))
            return
        }
        let product = try PlanetaryK.decode(Array(body.utf8), now: now)
        expectEqual(product.intervals.map(\.kp), [kp])
        expectEqual(product.notes, PayloadNotes())
    }

    @Test func rowsInTheFutureAreLeftOutAndCounted() throws {
        let json = """
            [["time_tag","Kp"],["2026-01-01 00:00:00","1"],["2026-01-01 00:05:00","2"],\
            ["2026-01-01 00:05:01","3"]]
            """
        let product = try PlanetaryK.decode(Array(json.utf8), now: at("2026-01-01T00:00:00Z"))
        expectEqual(product.intervals.map(\.kp), [1, 2])
        expectEqual(product.notes.futureRowCount, 1)
        #expect(throws: PayloadError.onlyFutureTimes(rowCount: 3)) {
            _ = try PlanetaryK.decode(Array(json.utf8), now: at("2025-12-31T00:00:00Z"))
        }
    }

    @Test func renamedFieldIsAnErrorAndNotAnEmptyProduct() {
        let objects = #"[{"time_tag":"2026-01-01T00:00:00","k":1}]"#
        let rows = #"[["time_tag","k"],["2026-01-01 00:00:00","1"]]"#
        for json in [objects, rows] {
            #expect(throws: PayloadError.missingField("Kp")) {
                _ = try PlanetaryK.decode(Array(json.utf8), now: at("2026-01-01T01:00:00Z"))
            }
        }
    }

    @Test(arguments: [
        ("", PayloadError.empty),
        (" \n", .empty),
        ("<!DOCTYPE html><html><body>Maintenance</body></html>", .notJSON(firstByte: 0x3C)),
        ("\0\0\0\0", .notJSON(firstByte: 0)),
        ("[]", .noRows),
        (#"[["time_tag","Kp"]]"#, .noRows),
        (#"{"error":"x"}"#, .unexpected(byte: 0x7B, offset: 0, wanted: "an array")),
        (
            #"[["time_tag","Kp"],["2026-01-01 00:00:00"]]"#,
            .wrongColumnCount(row: 1, found: 1, wanted: 2)
        ),
        (
            #"[["time_tag","Kp"],["2026-01-01 00:00:00","1"],["2026-01-01 03:00:00","1","2"]]"#,
            .wrongColumnCount(row: 2, found: 3, wanted: 2)
        ),
        (#"[["time_tag","Kp"],["yesterday","1"]]"#, .invalidTime("yesterday", row: 1)),
        (#"[{"time_tag":null,"Kp":1}]"#, .invalidTime(nil, row: 1)),
        (#"[{"Kp":1}]"#, .invalidTime(nil, row: 1)),
        (
            #"[{"time_tag":"2026-01-01T00:00:00","Kp":1},[]]"#,
            .unexpected(byte: 0x5B, offset: 43, wanted: "an object")
        ),
        ("[0,0,0]", .unexpected(byte: 0x30, offset: 1, wanted: "an array")),
    ])
    func foreignBodyIsRefusedWithItsReason(body: String, error: PayloadError) {
        #expect(throws: error) {
            _ = try PlanetaryK.decode(Array(body.utf8), now: at("2026-01-02T00:00:00Z"))
        }
    }

    @Test func rowsAreLimited() throws {
        let row = #"["2026-01-01 00:00:00","1"]"#
        func body(_ count: Int) -> [UInt8] {
            let rows = [#"["time_tag","Kp"]"#] + [String](repeating: row, count: count)
            return Array("[\(rows.joined(separator: ","))]".utf8)
        }
        let now = at("2026-01-01T01:00:00Z")
        let countMax = AuroraLimits.rowCountMax
        try expectEqual(PlanetaryK.decode(body(countMax), now: now).intervals.count, 1)
        #expect(throws: PayloadError.tooManyRows(countMax: countMax)) {
            _ = try PlanetaryK.decode(body(countMax + 1), now: now)
        }
    }
}
