import Aurora
import Duties
import Expectations
import Foundation
import HubTesting
import Service
import Wire

@testable import AuroraApp

/// The types that the app's documentation implies: one member for each key of its samples, none of them
/// optional, whole numbers where the samples have whole numbers.
private enum Documented {
    struct Now: Decodable {
        struct Location: Decodable {
            var name: String
            var lat, lon: Double
        }
        struct SolarWind: Decodable {
            var speed: Int
            var density, bz: Double
        }
        var score: Int
        var level, confidence, headline: String
        var location: Location
        var solarWind: SolarWind
        var kpIndex: Double
        var cloudCoverage: Int
        var visibility, recommendation, updated: String
    }

    struct Tonight: Decodable {
        var score: Int
        var level, confidence, headline, summary, bestTime: String
        var tips: [String]
        var updated: String
    }

    struct Hourly: Decodable {
        struct Weather: Decodable {
            var cloudCoverage, temperature, windSpeed: Int
            var conditions: String
        }
        struct Hour: Decodable {
            var time: String
            var hour, probability: Int
            var kp: Double
            var weather: Weather
            var visibility: String
        }
        struct Meta: Decodable {
            var cached, fallback: Bool
            var timestamp: String
        }
        var status, location: String
        var hours: Int
        var hourlyForecast: [Hour]
        var generatedAt: String
        var meta: Meta
    }

    struct Forecast: Decodable {
        struct Weather: Decodable {
            var cloudCoverage: Int
            var conditions: String
        }
        struct Day: Decodable {
            var date: String
            var probability: Int
            var peakTime: String
            var kpForecast: [Double]
            var weather: Weather
            var rating: String
        }
        var status, location: String
        var daysCount: Int
        var days: [Day]
        var generatedAt: String
    }

    struct Oval: Decodable {
        struct Point: Decodable {
            var lat, lon, intensity: Double
        }
        var timestamp: String
        var coordinates: [Point]
        var kpIndex: Double
        var ovalPosition: String
        var tromsøVisibility: Bool
    }
}

@Suite("The app's own types decode every answer", .timeLimit(.minutes(10)))
struct AuroraContractTests {
    private static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!

    /// What there is to know.
    enum Knowledge: CaseIterable {
        /// Of every feed of the demo at its start.
        case everything
        /// The same, a day or a week later, when every upstream has fallen silent.
        case stale, longStale
        /// Kp and nothing else has ever come.
        case onlyKp
        /// The grid and nothing else has ever come.
        case onlyOvation
    }

    private func withHub(
        _ knowledge: Knowledge,
        _ body: (AuroraRoutes) throws -> Void
    ) async throws {
        let first = try await require(DemoNights.inputs.value.first?.time)
        var pipeline = AuroraPipeline(places: [.tromso], rules: [])
        for input in try await DemoNights.inputs.value where input.time == first {
            guard let payload = input.payload, knowledge.includes(payload) else { continue }
            _ = pipeline.take(payload, now: input.time) { "id" }
        }
        let now = AuroraContractTests.start + knowledge.age
        _ = pipeline.take(nil, now: now) { "id" }
        try await withTemporaryStore(migrations: AuroraTables.migrations) { [pipeline] store in
            let service = AuroraService(
                pipeline: pipeline,
                store: store,
                clock: HubClock(.recording(start: now, speed: 1, anchor: HubClock.wall)),
                outbox: OutboxRouter(endpoints: [], wake: {}),
                logger: silentLogger
            )
            try body(
                AuroraRoutes(
                    service: service,
                    keys: AuroraKeys(keys: ["app"], allowsMissing: false)
                )
            )
        }
    }

    private func decode<Form: Decodable>(
        _ form: Form.Type,
        _ target: String,
        _ api: AuroraRoutes
    ) throws -> Form {
        let head = HTTPRequestHead(
            target: "/api/aurora/\(target)",
            headers: ["X-API-Key": "app"]
        )
        let response = try require(api.respond(to: ServerRequest(head: head, body: [], peer: nil)))
        try require(response.head.status == 200, "\(target)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(form, from: Data(response.body))
    }

    @Test(arguments: Knowledge.allCases)
    func answersDecode(knowledge: Knowledge) async throws {
        try await withHub(knowledge) { api throws in
            let now = try decode(Documented.Now.self, "now", api)
            expect((0...100).contains(now.score))
            let tonight = try decode(Documented.Tonight.self, "tonight", api)
            expect((0...100).contains(tonight.score))
            let hourly = try decode(Documented.Hourly.self, "hourly", api)
            expectEqual(hourly.hourlyForecast.count, 24)
            // A day later the forecasts still reach over all 24 hours.
            let hasForecasts = knowledge == .everything || knowledge == .stale
            expectEqual(hourly.meta.fallback, !hasForecasts)
            for count in 1...7 {
                let forecast = try decode(Documented.Forecast.self, "forecast?days=\(count)", api)
                expectEqual(forecast.days.count, count)
                let ratings = forecast.days.map(\.rating)
                expect(ratings.allSatisfy { Level(rawValue: $0) != nil })
                expect(forecast.days.allSatisfy { !$0.kpForecast.isEmpty })
            }
        }
    }

    @Test func ovalDecodes() async throws {
        try await withHub(.everything) { api throws in
            try expect(decode(Documented.Oval.self, "oval", api).coordinates.count > 50)
        }
    }

    /// What came last, however old it is.
    @Test func staleNumbersAreThoseThatCameLast() async throws {
        var fresh: Documented.Now?
        try await withHub(.everything) { fresh = try decode(Documented.Now.self, "now", $0) }
        let last = try require(fresh)
        try await withHub(.stale) { api throws in
            let now = try decode(Documented.Now.self, "now", api)
            expectEqual(now.solarWind.speed, last.solarWind.speed)
            expectEqual(now.solarWind.density, last.solarWind.density)
            expectEqual(now.solarWind.bz, last.solarWind.bz)
            expect(now.kpIndex > 0)
        }
    }
}

extension AuroraContractTests.Knowledge {
    fileprivate var age: Duration {
        switch self {
        case .everything, .onlyKp, .onlyOvation: .zero
        case .stale: .seconds(86_400)
        case .longStale: .seconds(7 * 86_400)
        }
    }

    fileprivate func includes(_ payload: AuroraPayload) -> Bool {
        switch self {
        case .everything, .stale, .longStale: true
        case .onlyKp: payload.part == .kp
        case .onlyOvation: payload.part == .ovation
        }
    }
}
