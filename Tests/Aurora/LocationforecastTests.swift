import Expectations

@testable import Aurora

@Suite("Locationforecast", .timeLimit(.minutes(10)))
struct LocationforecastTests {
    @Test(arguments: [
        ("newyork-2020-07-20", "2020-07-20T01:30:57Z", 82, "2020-07-20T11:00:00Z", 69.5, 26.5, 3.8),
        ("oslo-2023-11-17", "2023-11-17T18:40:09Z", 85, "2023-11-17T19:00:00Z", 7.1, -2.7, 1.5),
        (
            "tromso-clear.synthetic", "2025-01-01T17:40:11Z", 10, "2025-01-01T18:00:00Z", 4.7, -6,
            3.2
        ),
    ])
    func recordedForecastIsRead(
        file: String,
        updated: String,
        count: Int,
        first: String,
        cloud: Double,
        temperature: Double,
        windSpeed: Double
    ) throws {
        let bytes = try recording("weather/metno-locationforecast-compact.\(file).json")
        let forecast = try Locationforecast.decode(bytes, now: at(updated).minutes(600))
        expectEqual(forecast.updatedAt, at(updated))
        expectEqual(forecast.steps.count, count)
        let step = try require(forecast.steps.first)
        expectEqual(step.time, at(first))
        expectEqual(step.cloud, cloud)
        expectEqual(step.temperature, temperature)
        expectEqual(step.windSpeed, windSpeed)
        expect(step.symbol != nil)
        expectEqual(forecast.notes, PayloadNotes())
    }

    @Test func lastStepHasOnlyAnInstant() throws {
        let bytes = try recording("weather/metno-locationforecast-compact.oslo-2023-11-17.json")
        let forecast = try Locationforecast.decode(bytes, now: at("2023-11-17T18:50:00Z"))
        let step = try require(forecast.steps.last)
        expectEqual(step.cloud, 99.6)
        expectNil(step.symbol)
    }

    @Test func symbolOfTheShortestPeriodWins() throws {
        let json = """
            {"properties":{"timeseries":[{"data":{
            "next_12_hours":{"summary":{"symbol_code":"rain"}},
            "next_6_hours":{"summary":{"symbol_code":"fog"},"details":{}},"instant":{"details":{}}},
            "time":"2026-01-01T00:00:00Z"}],"meta":{"updated_at":"2026-01-01T00:00:00Z"}}}
            """
        let forecast = try Locationforecast.decode(
            Array(json.utf8),
            now: at("2026-01-01T00:00:00Z")
        )
        expectEqual(forecast.steps, [WeatherStep(time: at("2026-01-01T00:00:00Z"), symbol: "fog")])
    }

    @Test(
        arguments: [
            ("0", 0.0), ("100", 100), ("100.1", nil), ("-0.1", nil), ("null", nil), ("\"50\"", 50),
            ("NaN", nil),
        ] as [(String, Double?)]
    )
    func cloudIsPercent(value: String, cloud: Double?) throws {
        let json = """
            {"properties":{"meta":{"updated_at":"2026-01-01T00:00:00Z"},"timeseries":[
            {"time":"2026-01-01T00:00:00Z","data":{"instant":{"details":{
            "cloud_area_fraction":\(value)}}}}]}}
            """
        let forecast = try Locationforecast.decode(
            Array(json.utf8),
            now: at("2026-01-01T00:00:00Z")
        )
        expectEqual(forecast.steps.map(\.cloud), [cloud])
        expectEqual(forecast.notes.isRepaired, (value == "NaN"))
    }

    @Test(arguments: [
        (#"{"properties":{"timeseries":[]}}"#, PayloadError.missingField("updated_at")),
        (
            #"{"properties":{"meta":{"updated_at":"2026-01-01T00:00:00Z"},"timeseries":[]}}"#,
            .noRows
        ),
        (#"{"properties":{"meta":{"updated_at":"2026-01-01T00:00:00Z"}}}"#, .noRows),
        (
            #"{"properties":{"meta":{"updated_at":"2026-01-03T00:00:00Z"},"timeseries":[]}}"#,
            .onlyFutureTimes(rowCount: 0)
        ),
        (#"{"properties":{"meta":{"updated_at":"x"}}}"#, .invalidTime("x", row: 0)),
        (#"{"properties":{"timeseries":[{"data":{}}]}}"#, .invalidTime(nil, row: 1)),
        (#"{"properties":[]}"#, .unexpected(byte: 0x5B, offset: 14, wanted: "an object")),
    ])
    func foreignBodyIsRefused(json: String, error: PayloadError) {
        #expect(throws: error) {
            _ = try Locationforecast.decode(Array(json.utf8), now: at("2026-01-01T00:00:00Z"))
        }
    }

    @Test func everyTruncationIsRefused() throws {
        let json = """
            {"type":"Feature","geometry":{"coordinates":[18.9,69.6,6]},"properties":{"meta":{
            "updated_at":"2026-01-01T00:00:00Z"},"timeseries":[{"time":"2026-01-01T00:00:00Z",
            "data":{"instant":{"details":{"cloud_area_fraction":12.5}}}}]}}
            """
        let bytes = Array(json.utf8)
        let now = at("2026-01-01T00:00:00Z")
        _ = try Locationforecast.decode(bytes, now: now)
        for length in 0..<bytes.count {
            #expect(throws: PayloadError.self, "length \(length)") {
                _ = try Locationforecast.decode(Array(bytes.prefix(length)), now: now)
            }
        }
    }
}

@Suite("Weather step", .timeLimit(.minutes(10)))
struct WeatherStepTests {
    private let start = at("2026-01-01T12:00:00Z")

    private func forecast(hours: [Int]) -> Locationforecast {
        Locationforecast(
            updatedAt: start,
            steps: hours.map { WeatherStep(time: start.minutes(60 * $0), cloud: Double($0)) }
        )
    }

    @Test(
        arguments: [
            (-1, nil), (0, 0), (59, 0), (60, 1), (179, 2), (180, 3), (539, 3), (540, 9), (899, 9),
            (900, nil), (1439, nil), (1440, 24), (1499, 24), (1500, nil),
        ] as [(Int, Double?)]
    )
    func stepHoldsUntilTheNextOrItsEnd(minute: Int, cloud: Double?) {
        let forecast = forecast(hours: [0, 1, 2, 3, 9, 24])
        expectEqual(forecast.step(at: start.minutes(minute))?.cloud, cloud)
    }

    @Test func noStepsMeanNoWeather() {
        expectNil(forecast(hours: []).step(at: start))
    }
}
