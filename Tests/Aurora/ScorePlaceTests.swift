import Expectations
import Foundation

@testable import Aurora

/// Places from the equator to both poles in four states of the sun, judged by the view line of
/// OVATION's grid: the edge of the region from which an aurora can be seen near the horizon.
@Suite("Score by place: no chance where the oval is out of sight", .timeLimit(.minutes(10)))
struct ScorePlaceTests {
    struct State: Sendable, CustomTestStringConvertible {
        var file: String
        /// Of the time of the grid.
        var kp: Double
        /// By which the grid is moved from the poles, and its values raised: no grid of a great storm
        /// is recorded.
        var moved = 0
        var raised = 1.0

        var testDescription: String { "\(file) moved by \(moved)" }
    }

    private static let states = [
        State(file: "2026-08-01-quiet", kp: 1), State(file: "2024-12-09-active", kp: 3.33),
        State(file: "2024-03-03-storm", kp: 5.3),
        State(file: "2024-03-03-storm", kp: 8.67, moved: 8, raised: 1.4),
    ]

    /// Degrees north and east.
    private static let places: [(name: String, latitude: Double, longitude: Double)] = [
        ("Libreville", 0.4, 9.4), ("Nairobi", -1.3, 36.8), ("Singapore", 1.35, 103.8),
        ("Quito", -0.2, -78.5), ("Mexico City", 19.4, -99.1), ("Honolulu", 21.3, -157.9),
        ("Dubai", 25.2, 55.3), ("Delhi", 28.6, 77.2), ("Tokyo", 35.7, 139.7),
        ("New York", 40.7, -74), ("Chicago", 41.9, -87.6), ("Rome", 41.9, 12.5),
        ("Seattle", 47.6, -122.3), ("Paris", 48.9, 2.35), ("Winnipeg", 49.9, -97.1),
        ("London", 51.5, -0.1), ("Edmonton", 53.5, -113.5), ("Copenhagen", 55.7, 12.6),
        ("Moscow", 55.8, 37.6), ("Aberdeen", 57.1, -2.1), ("Oslo", 59.9, 10.8),
        ("Anchorage", 61.2, -149.9), ("Tórshavn", 62, -6.8), ("Yellowknife", 62.5, -114.4),
        ("Reykjavík", 64.1, -21.9), ("Fairbanks", 64.8, -147.7), ("Rovaniemi", 66.5, 25.7),
        ("Tromsø", 69.65, 18.96), ("Utqiaġvik", 71.3, -156.8), ("Resolute", 74.7, -94.9),
        ("Longyearbyen", 78.2, 15.6), ("North Pole", 90, 0), ("Cape Town", -33.9, 18.4),
        ("Buenos Aires", -34.6, -58.4), ("Hobart", -42.9, 147.3), ("Invercargill", -46.4, 168.4),
        ("Ushuaia", -54.8, -68.3), ("Mawson", -67.6, 62.9), ("McMurdo", -77.8, 166.7),
        ("South Pole", -90, 0),
    ]

    private static func grid(_ state: State) throws -> Ovation {
        let bytes = try recording("spaceweather/ovation_aurora_latest.\(state.file).json")
        let grid = try Ovation.decode(bytes, now: at("2026-08-02T00:00:00Z"))
        guard state.moved > 0 else { return grid }
        var values = [UInt8](repeating: 0, count: Ovation.valueCount)
        for longitude in 0..<Ovation.longitudeCount {
            for latitude in -90...90 {
                let source = latitude + (latitude < 0 ? -state.moved : state.moved)
                guard (-90...90).contains(source) else { continue }
                let value = Double(grid.value(longitude: longitude, latitude: source))
                values[longitude * Ovation.latitudeCount + latitude + 90] = UInt8(
                    min(100, value * state.raised)
                )
            }
        }
        return try require(
            Ovation(observation: grid.observation, forecast: grid.forecast, values: values)
        )
    }

    /// The ground distance to the nearest cell with an aurora to be seen, km. SWPC draws its view line
    /// about 1000 km from the aurora.
    private static func distance(to grid: Ovation, latitude: Double, longitude: Double) -> Double {
        var best = Double.infinity
        for cellLatitude in -90...90 where abs(cellLatitude) >= 30 {
            for cellLongitude in 0..<Ovation.longitudeCount
            where grid.value(longitude: cellLongitude, latitude: cellLatitude) >= 3 {
                let (a, b) = (radians(latitude), radians(Double(cellLatitude)))
                let across = cos(radians(Double(cellLongitude) - longitude))
                let cosine = sin(a) * sin(b) + cos(a) * cos(b) * across
                best = min(best, 6371 * acos(min(1, max(-1, cosine))))
            }
        }
        return best
    }

    private func score(_ place: Place, _ grid: Ovation, kp: Double, isGridKnown: Bool) -> Score {
        let now = grid.forecast
        var state = AuroraState()
        if isGridKnown { state.apply(.ovation(grid), now: now) }
        let minutes = [KMinute(time: now.minutes(-6), kp: kp)]
        state.apply(.kMinutes(KMinutes(minutes: minutes)), now: now)
        // A wind whose coupling is that of the Kp.
        let coupling = ExpectedActivity.coupling(kp: kp)
        let bz = -pow(coupling / pow(450, 4.0 / 3), 1.5)
        let wind = steadyWind(through: now.minutes(-6), count: 240, speed: 450, bz: bz)
        state.apply(.solarWind(SolarWind(minutes: wind)), now: now)
        return deriveConditions(place: place, state: state, now: now, previousLevel: nil)
            .explanation.score
    }

    @Test(arguments: states)
    func scoreIsJudgedByTheViewLine(state: State) throws {
        let grid = try ScorePlaceTests.grid(state)
        expectEqual(ScorePlaceTests.places.count, 40)
        for (name, latitude, longitude) in ScorePlaceTests.places {
            let place = try Place(id: "x", name: name, latitude: latitude, longitude: longitude)
            let score = score(place, grid, kp: state.kp, isGridKnown: true)
            let activity = try require(score.activity)
            let context: Comment = "\(name) \(state): \(activity), bound \(score.bound)"
            let distance = ScorePlaceTests.distance(
                to: grid,
                latitude: latitude,
                longitude: longitude
            )
            if distance > 1000 { expect(100 * activity < 10, context) }
            if distance > 2000 { expectEqual(activity, 0, context) }
            let seen = OvalView.bestValue(grid, latitude: latitude, longitude: longitude)
            if seen >= 10 {
                expectEqual(score.bound, 1, context)
                expectEqual(activity, score.mean, context)
            }
            // The grid's own part of the score always stays.
            expect(activity >= 0.5 * (score.ovation ?? 0), context)
        }
    }

    /// Kp and the solar wind are the same everywhere: without a grid, the model has the oval.
    @Test(arguments: states)
    func modelSetsTheBoundWithoutAGrid(state: State) throws {
        let grid = try ScorePlaceTests.grid(state)
        for (name, latitude, longitude) in ScorePlaceTests.places {
            let place = try Place(id: "x", name: name, latitude: latitude, longitude: longitude)
            let activity = score(place, grid, kp: state.kp, isGridKnown: false).activity ?? 0
            let position = GeomagneticPosition(latitude: latitude, longitude: longitude)
            if abs(position.latitude) < 35 { expectEqual(activity, 0, "\(name) \(state)") }
            if name == "Tromsø", state.kp > 3 { expect(activity > 0.4, "\(state)") }
        }
    }

    @Test func lossOfTheGridDoesNotRaiseTheBound() {
        for grid in stride(from: 0.0, through: 100, by: 10) {
            for kp in [0.0, 3, 6, 9] {
                let whole = OvalSight.value(
                    place: .tromso,
                    at: at("2025-01-01T22:00:00Z"),
                    ovation: grid,
                    kp: kp,
                    coupling: 8000
                )
                let withoutKp = OvalSight.value(
                    place: .tromso,
                    at: at("2025-01-01T22:00:00Z"),
                    ovation: grid,
                    kp: nil,
                    coupling: 8000
                )
                expect(withoutKp ?? 0 <= whole ?? 0)
                expect(whole ?? 0 >= grid)
            }
        }
        expectNil(
            OvalSight.value(
                place: .tromso,
                at: at("2025-01-01T22:00:00Z"),
                ovation: nil,
                kp: nil,
                coupling: nil
            )
        )
    }

    /// Of coming hours too: the night of a storm at the equator has no chance.
    @Test func comingHoursOutOfSightHaveNoChance() throws {
        let place = try Place(id: "x", name: "Libreville", latitude: 0.4, longitude: 9.4)
        let sky = Sky(now: at("2025-12-21T20:20:00Z"), place: place, kp: 9, cloud: 0)
        expect(sky.outlook.hours.allSatisfy { $0.score == 0 })
        expectEqual(sky.tonight.headline(.english), "Hardly any aurora tonight")
        let hour = try require(sky.outlook.nightHours.last)
        expectEqual(sky.outlook.chance(of: .moderate, in: hour), 0)
    }
}
