import Expectations

@testable import Aurora

@Suite("OVATION", .timeLimit(.minutes(10)))
struct OvationTests {
    private let now = at("2024-12-09T17:05:00Z")

    /// A body with one cell replaced or repeated, small enough to fail early where it should.
    private func body(
        cells: [String],
        observation: String = "2024-12-09T16:57:00Z",
        forecast: String = "2024-12-09T17:52:00Z"
    ) -> [UInt8] {
        let grid = cells.joined(separator: ",")
        let times = #""Observation Time":"\#(observation)","Forecast Time":"\#(forecast)""#
        return Array(#"{\#(times),"coordinates":[\#(grid)],"type":"MultiPoint"}"#.utf8)
    }

    private func allCells(_ value: (Int, Int) -> Int) -> [String] {
        var cells: [String] = []
        cells.reserveCapacity(Ovation.valueCount)
        for longitude in 0..<Ovation.longitudeCount {
            for latitude in -90...90 {
                cells.append("[\(longitude),\(latitude),\(value(longitude, latitude))]")
            }
        }
        return cells
    }

    @Test(arguments: [
        ("2026-08-01-quiet", "2026-08-01T18:16:00Z", "2026-08-01T19:52:00Z", 16),
        ("2024-12-09-active", "2024-12-09T16:57:00Z", "2024-12-09T17:52:00Z", 49),
        ("2024-03-03-storm", "2024-03-03T15:07:00Z", "2024-03-03T16:20:00Z", 100),
    ])
    func recordedGridIsRead(
        file: String,
        observation: String,
        forecast: String,
        valueMax: UInt8
    ) throws {
        let bytes = try recording("spaceweather/ovation_aurora_latest.\(file).json")
        let ovation = try Ovation.decode(bytes, now: at(observation).minutes(10))
        expectEqual(ovation.observation, at(observation))
        expectEqual(ovation.forecast, at(forecast))
        expectEqual(ovation.values.count, Ovation.valueCount)
        expectEqual(ovation.values.max(), valueMax)
        expectEqual(ovation.notes, PayloadNotes())
    }

    @Test func cellsMayComeInAnyOrderWithAnySpace() throws {
        let cells = allCells { ($0 + $1 + 90) % 101 }.reversed().map {
            $0.replacing(",", with: " ,\n\t")
        }
        let json =
            #"{"type":"MultiPoint","coordinates": [ \#(cells.joined(separator: " ,\r\n")) ] ,"#
            + #""Forecast Time":"2024-12-09T17:52:00","Observation Time":"2024-12-09 16:57:00"}"#
        let ovation = try Ovation.decode(Array(json.utf8), now: now)
        expectEqual(ovation.observation, at("2024-12-09T16:57:00Z"))
        expectEqual(ovation.value(longitude: 0, latitude: -90), 0)
        expectEqual(ovation.value(longitude: 19, latitude: 70), 179 % 101)
        expectEqual(ovation.value(longitude: 359, latitude: 90), 539 % 101)
    }

    @Test func gridThatLacksMoreThanOneCellInAHundredAndGridOfZerosAreRefused() throws {
        let cells = allCells { _, latitude in latitude == 70 ? 1 : 0 }
        let gap = AuroraLimits.ovationGapMax
        let read = try Ovation.decode(body(cells: Array(cells.dropLast(gap))), now: now)
        expectEqual(read.value(longitude: 359, latitude: 90), 0)
        #expect(throws: PayloadError.invalidGrid("64508 of 65160 cells")) {
            _ = try Ovation.decode(body(cells: Array(cells.dropLast(gap + 1))), now: now)
        }
        #expect(throws: PayloadError.invalidGrid("all values are 0")) {
            _ = try Ovation.decode(body(cells: allCells { _, _ in 0 }), now: now)
        }
    }

    /// The grid of fives, in which the cell at 0, 0 comes as something else.
    private func grid(cell: String) -> [UInt8] {
        var cells = allCells { _, _ in 5 }
        cells[90] = cell
        return body(cells: cells)
    }

    @Test(
        arguments: [
            ("[0,0,3.0]", 3), ("[0,0,1.5]", 2), ("[0,0,\"7\"]", 7), ("[0.0,-0,7]", 7),
            ("[\"0\",\"0\",\"7.4\"]", 7), ("[0,0,100]", 100), ("[0,0,1e1]", 10), ("[0,0,0]", 0),
        ] as [(String, Int)]
    )
    func cellMayHaveDecimalsAndTexts(cell: String, value: Int) throws {
        let ovation = try Ovation.decode(grid(cell: cell), now: now)
        expectEqual(ovation.value(longitude: 0, latitude: 0), value)
        expectEqual(ovation.value(longitude: 0, latitude: 1), 5)
        expectEqual(ovation.notes, PayloadNotes())
    }

    @Test(arguments: [
        "[0,0,null]", "[0,0,101]", "[0,0,255]", "[0,0,-1]", "[0,0,-999.9]", "[0,0,NaN]",
        "[0,0,true]", "[0,0,\"\"]", "[0,0,\"n/a\"]", "[0,0,[5]]", "[0,0]", "[0,0,5,5]", "[]", "0",
        "null", "{}", "[360,0,5]", "[-1,0,5]", "[0,-91,5]", "[0,91,5]", "[null,0,5]", "[0,0.5,5]",
        "[1e300,0,5]",
    ])
    func badCellIsLeftOutOfTheGrid(cell: String) throws {
        let ovation = try Ovation.decode(grid(cell: cell), now: now)
        expectEqual(ovation.value(longitude: 0, latitude: 0), 0)
        expectEqual(ovation.values.filter { $0 == 5 }.count, Ovation.valueCount - 1)
        expectEqual(ovation.notes.rejectedNumberCount, 1)
    }

    @Test(arguments: [["[0,-90,5]", "[0,-90,5]"], ["[0,0,05]"], ["[0 0 5]"], ["[0,0,]"]])
    func repeatedCellAndWhatIsNoJSONAreRefused(cells: [String]) {
        #expect(throws: PayloadError.self) {
            _ = try Ovation.decode(body(cells: cells), now: now)
        }
    }

    @Test func timesAreRequiredAndReadable() {
        let cells = allCells { _, _ in 1 }.joined(separator: ",")
        let grid = #""coordinates":[\#(cells)]"#
        let cases: [(String, PayloadError)] = [
            (#"{\#(grid)}"#, .missingField("Observation Time")),
            (
                #"{"Observation Time":"2024-12-09T16:57:00Z",\#(grid)}"#,
                .missingField("Forecast Time")
            ),
            (#"{"Observation Time":5,\#(grid)}"#, .invalidTime(nil, row: 1)),
            (#"{"Observation Time":"noon",\#(grid)}"#, .invalidTime("noon", row: 1)),
        ]
        for (json, error) in cases {
            #expect(throws: error) { _ = try Ovation.decode(Array(json.utf8), now: now) }
        }
        #expect(throws: PayloadError.missingField("coordinates")) {
            _ = try Ovation.decode(Array(#"{"type":"MultiPoint"}"#.utf8), now: now)
        }
    }

    @Test(arguments: [
        ("2024-12-09T17:10:00Z", "2024-12-09T17:52:00Z", true),
        ("2024-12-09T17:10:01Z", "2024-12-09T17:52:00Z", false),
        ("2024-12-09T16:57:00Z", "2024-12-09T23:05:00Z", true),
        ("2024-12-09T16:57:00Z", "2024-12-09T23:05:01Z", false),
    ])
    func timesFromTheFutureAreRefused(observation: String, forecast: String, isRead: Bool) {
        let cells = allCells { _, _ in 1 }
        let bytes = body(cells: cells, observation: observation, forecast: forecast)
        let ovation = try? Ovation.decode(bytes, now: now)
        expectEqual((ovation != nil), isRead)
    }

    @Test func truncationIsRefused() throws {
        let bytes = try recording("spaceweather/ovation_aurora_latest.2024-12-09-active.json")
        for length in [1, 100, 200, 1000, bytes.count / 2, bytes.count - 30, bytes.count - 1] {
            #expect(throws: PayloadError.self, "length \(length)") {
                _ = try Ovation.decode(Array(bytes.prefix(length)), now: now)
            }
        }
    }

    @Test func gridHasItsSizeAndRange() {
        let time = at("2024-12-09T16:57:00Z")
        func ovation(_ value: UInt8, _ count: Int) -> Ovation? {
            Ovation(
                observation: time,
                forecast: time,
                values: [UInt8](repeating: value, count: count)
            )
        }
        expect(ovation(100, Ovation.valueCount) != nil)
        expectNil(ovation(101, Ovation.valueCount))
        expectNil(ovation(1, Ovation.valueCount - 1))
        expectNil(ovation(1, Ovation.valueCount + 1))
    }
}
