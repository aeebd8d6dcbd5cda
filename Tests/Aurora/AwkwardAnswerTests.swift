import Expectations
import SeededRandom

@testable import Aurora

/// Answers as SWPC and MET Norway have sent them, or might: nulls, fill values, numbers out of range,
/// other spacecraft, missing rows. Each has the values that are right for it.
@Suite("Awkward answers of the upstreams", .timeLimit(.minutes(10)))
struct AwkwardAnswerTests {
    private static let now = at("2026-01-01T11:55:00Z")

    /// The first value of each row that is used, by its time.
    private static func values(_ payload: AuroraPayload) -> [String: Double?] {
        func values<Row>(
            _ rows: [Row],
            _ time: (Row) -> Timestamp,
            _ value: (Row) -> Double?
        ) -> [String: Double?] {
            Dictionary(rows.map { (String(time($0).iso8601.dropFirst(11).prefix(5)), value($0)) }) {
                first,
                _ in first
            }
        }
        return switch payload {
        case .solarWind(let wind): values(wind.minutes, \.time) { $0.speed ?? $0.bz }
        case .kMinutes(let minutes): values(minutes.minutes, \.time) { $0.kp }
        case .planetaryK(let kp): values(kp.intervals, \.start) { $0.kp }
        case .kForecast(let kp): values(kp.intervals, \.start) { $0.kp }
        case .weather(_, let weather): values(weather.steps, \.time) { $0.cloud }
        case .bulletins(let bulletins): values(bulletins.bulletins, \.issued) { Double($0.serial) }
        case .kOutlook, .ovation, .scales: [:]
        }
    }

    private static func row(_ clock: String, _ fields: String) -> String {
        #"{"time_tag":"2026-01-01T\#(clock):00",\#(fields)}"#
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var product: AuroraProduct
        var body: String
        /// Nil where no row can be used.
        var values: [String: Double]?

        var testDescription: String { "\(product): \(body.prefix(200))" }
    }

    private static let good = [
        AuroraProduct.kMinutes: row("11:50", #""estimated_kp":3,"kp_index":3"#),
        .planetaryK: row("11:50", #""Kp":3"#),
        .kForecast: row("11:50", #""kp":3,"observed":"predicted""#),
        .propagatedSolarWind: row("11:50", #""speed":3e2,"density":5,"by":1,"bz":-3,"bt":4"#),
        .rtswField: row("11:50", #""active":true,"by_gsm":1,"bz_gsm":3,"bt":4"#),
        .rtswPlasma: row("11:50", #""active":true,"proton_speed":300,"proton_density":5"#),
        .bulletins: bulletin("2026-01-01 11:50:00", serial: 3),
    ]

    private static func bulletin(_ time: String?, serial: Int) -> String {
        let time = time.map { "\"\($0)\"" } ?? "null"
        return #"{"product_id":"K06A","issue_datetime":\#(time),"message":"# + "\""
            + #"Space Weather Message Code: ALTK06\r\nSerial Number: \#(serial)\r\n"#
            + #"ALERT: Geomagnetic K-index of 6\r\n"#
            + #"Threshold Reached: 2026 Jan 01 1149 UTC""# + "}"
    }

    private static func expected(_ product: AuroraProduct) -> [String: Double] {
        let isSpeed = [.propagatedSolarWind, .rtswPlasma].contains(product)
        return ["11:50": isSpeed ? 300 : 3]
    }

    /// One bad row beside a good one, in both orders.
    @Test(arguments: good.keys.sorted { $0.rawValue < $1.rawValue })
    func rowWithoutAReadableTimeIsSkipped(product: AuroraProduct) throws {
        let good = try require(AwkwardAnswerTests.good[product])
        let name = product == .bulletins ? "issue_datetime" : "time_tag"
        let time = product == .bulletins ? "2026-01-01 11:50:00" : "2026-01-01T11:50:00"
        for bad in ["null", "\"\"", "\"-\"", "0", "\"2026-13-01T00:00:00\"", "{}", "true"] {
            let row = good.replacing("\"\(name)\":\"\(time)\"", with: "\"\(name)\":\(bad)")
            expect(row != good)
            for body in ["[\(row),\(good)]", "[\(good),\(row)]", "[\(row),\(good),\(row)]"] {
                let payload = try product.decode(Array(body.utf8), now: AwkwardAnswerTests.now)
                expectEqual(
                    AwkwardAnswerTests.values(payload),
                    AwkwardAnswerTests.expected(product),
                    "\(body)"
                )
            }
        }
        let none = good.replacing("\"\(name)\":\"\(time)\"", with: "\"\(name)\":null")
        #expect(throws: PayloadError.invalidTime(nil, row: 1)) {
            _ = try product.decode(Array("[\(none),\(none)]".utf8), now: AwkwardAnswerTests.now)
        }
    }

    private static let cases = [
        // Missing primaries: the next best field of the row.
        Case(
            product: .kMinutes,
            body: "[\(row("11:50", #""estimated_kp":null,"kp_index":4"#))]",
            values: ["11:50": 4]
        ),
        Case(
            product: .kMinutes,
            body: "[\(row("11:50", #""estimated_kp":-1,"kp_index":"4""#))]",
            values: ["11:50": 4]
        ),
        Case(
            product: .kMinutes,
            body: "[\(row("11:50", #""estimated_kp":null,"kp_index":-99"#))]",
            values: nil
        ),
        // Fill values and empty rows.
        Case(
            product: .propagatedSolarWind,
            body: """
                [["time_tag","speed","density","by","bz","bt"],
                ["2026-01-01 11:48:00.000","-99999","-99999","-99999","-99999","-99999"],
                ["2026-01-01 11:49:00.000",null,null,null,null,null],
                ["2026-01-01 11:50:00.000","350","5","0","-3","3"],
                ["2026-01-01 11:51:00.000","9999.9","5","0","-3","3"]]
                """,
            values: ["11:50": 350, "11:51": -3]
        ),
        Case(
            product: .propagatedSolarWind,
            body:
                "[\(row("11:50", #""speed":null,"density":null,"by":null,"bz":null,"bt":null"#))]",
            values: nil
        ),
        // The spacecraft in charge: marked by a truth value, a number or a text.
        Case(
            product: .rtswPlasma,
            body: """
                [\(row("11:50", #""source":"DSCOVR","active":1,"proton_speed":400,"proton_density":5"#)),
                \(row("11:50", #""source":"ACE","active":0,"proton_speed":500,"proton_density":6"#)),
                \(row("11:49", #""source":"DSCOVR","active":0,"proton_speed":410,"proton_density":5"#)),
                \(row("11:49", #""source":"SOLAR1","active":"1","proton_speed":420,"proton_density":5"#)),
                \(row("11:48", #""source":"SOLAR1","active":"True","proton_speed":430,"proton_density":5"#)),
                \(row("11:47", #""source":"SOLAR1","active":2,"proton_speed":440,"proton_density":5"#)),
                \(row("11:46", #""source":"SOLAR1","active":"no","proton_speed":450,"proton_density":5"#))]
                """,
            values: ["11:50": 400, "11:49": 420, "11:48": 430]
        ),
        Case(
            product: .rtswField,
            body: "[\(row("11:50", #""active":false,"by_gsm":1,"bz_gsm":3,"bt":4"#))]",
            values: nil
        ),
        Case(
            product: .rtswField,
            body: "[\(row("11:50", #""active":null,"by_gsm":1,"bz_gsm":3,"bt":4"#))]",
            values: nil
        ),
        Case(
            product: .weather,
            body: """
                {"properties":{"meta":{"updated_at":"2026-01-01T11:00:00Z"},"timeseries":[
                {"time":null,"data":{"instant":{"details":{"cloud_area_fraction":1}}}},
                {"time":"2026-01-01T11:00:00Z","data":{"instant":{"details":{"cloud_area_fraction":2}},
                "next_1_hours":null}},
                {"time":"2026-01-01T12:00:00Z","data":{"instant":{"details":
                {"cloud_area_fraction":"3"}}}},null]}}
                """,
            values: ["11:00": 2, "12:00": 3]
        ),
    ]

    @Test(arguments: cases)
    func answerHasItsRightValues(example: Case) throws {
        let body = Array(example.body.utf8)
        guard let values = example.values else {
            let error = #expect(throws: PayloadError.self) {
                _ = try example.product.decode(body, now: AwkwardAnswerTests.now)
            }
            guard case .noUsableRows? = error else {
                Issue.record("\(error.map { "\($0)" } ?? "none")")
                return
            }
            return
        }
        let payload = try example.product.decode(body, now: AwkwardAnswerTests.now)
        expectEqual(AwkwardAnswerTests.values(payload), values)
    }

    @Test func lineOfTheScalesWithoutATimeIsSkippedUnlessItIsThatOfNow() throws {
        func body(now: String, today: String) -> [UInt8] {
            func line(_ date: String) -> String {
                #"{"DateStamp":\#(date),"TimeStamp":"11:00:00","R":{"Scale":"1"},"S":null,"G":{}}"#
            }
            return Array(#"{"0":\#(line(now)),"1":\#(line(today))}"#.utf8)
        }
        let date = #""2026-01-01""#
        for bad in ["null", "\"\"", "5"] {
            let scales = try StormScales.decode(
                body(now: date, today: bad),
                now: AwkwardAnswerTests.now
            )
            expectEqual(scales.lines.map(\.period), [.now])
            #expect(throws: PayloadError.self) {
                _ = try StormScales.decode(
                    body(now: bad, today: date),
                    now: AwkwardAnswerTests.now
                )
            }
        }
    }

    /// Ten good rows in which one cell becomes something else: the nine others are as they were.
    @Test func oneCellNeverChangesAnotherRow() throws {
        let seed: UInt64 = 20_260_101
        var random = SeededGenerator(seed: seed)
        let cells = [
            "null", "\"\"", "\"n/a\"", "-999.9", "1e9", "NaN", "true", "[]", "{}", "\"NaN\"",
            "Infinity", "0", "\"0\"",
        ]
        for round in 0..<400 {
            let (product, good) = AwkwardAnswerTests.good.sorted {
                $0.key.rawValue < $1.key.rawValue
            }
            .filter { $0.key != .bulletins }.randomElement(using: &random)!
            var rows = (0..<10).map { good.replacing("11:50", with: "11:4\($0)") }
            let whole = try product.decode(
                Array("[\(rows.joined(separator: ","))]".utf8),
                now: AwkwardAnswerTests.now
            )
            let index = Int.random(in: 0..<10, using: &random)
            var fields = rows[index].dropFirst().dropLast().split(separator: ",").map(String.init)
            let field = Int.random(in: 0..<fields.count, using: &random)
            let name = fields[field].prefix { $0 != ":" }
            fields[field] = "\(name):\(cells.randomElement(using: &random)!)"
            rows[index] = "{\(fields.joined(separator: ","))}"
            let body = "[\(rows.joined(separator: ","))]"
            let context: Comment = "seed \(seed), round \(round): \(body)"
            let payload = try product.decode(Array(body.utf8), now: AwkwardAnswerTests.now)
            var (before, after) = (
                AwkwardAnswerTests.values(whole), AwkwardAnswerTests.values(payload)
            )
            before["11:4\(index)"] = nil
            after["11:4\(index)"] = nil
            expectEqual(before, after, context)
            expectEqual(before.count, 9, context)
        }
    }
}
