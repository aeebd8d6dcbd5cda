import Expectations

@testable import Aurora

@Suite("The oval on the map", .timeLimit(.minutes(10)))
struct OvalTests {
    private func grid(_ file: String) throws -> Ovation {
        let bytes = try recording("spaceweather/ovation_aurora_latest.\(file).json")
        return try Ovation.decode(bytes, now: at("2026-09-01T00:00:00Z"))
    }

    @Test(arguments: ["2026-08-01-quiet", "2024-12-09-active", "2024-03-03-storm"])
    func recordedGridIsAboutAHundredPointsAllAroundThePole(file: String) throws {
        for hemisphere in [OvalShape.Hemisphere.north, .south] {
            let grid = try grid(file)
            let points = OvalShape(grid, hemisphere).points
            expect((70...108).contains(points.count), "\(points.count)")
            expectEqual(Set(points).count, points.count)
            expect(Set(points.map(\.longitude)).count >= 30, "all around")
            for point in points {
                expect((-180...179).contains(point.longitude))
                expect((30...89).contains(abs(point.latitude)))
                expectEqual((point.latitude > 0), (hemisphere == .north))
                let cell = (point.longitude + 360) % 360
                expectEqual(grid.value(longitude: cell, latitude: point.latitude), point.value)
                expect(point.value > 0)
            }
        }
    }

    /// One longitude with a band of aurora: its brightest cell and the edges where it has halved.
    @Test func bandIsItsCrestAndTheEdgesAtHalf() throws {
        var values = [UInt8](repeating: 0, count: Ovation.valueCount)
        for (latitude, value) in [(64, 9), (65, 20), (66, 30), (67, 40), (68, 21), (69, 19)] {
            values[20 * 181 + latitude + 90] = UInt8(value)
        }
        let time = at("2026-01-01T00:00:00Z")
        let grid = try require(Ovation(observation: time, forecast: time, values: values))
        let shape = OvalShape(grid, .north)
        expectEqual(
            shape.points,
            [
                .init(latitude: 65, longitude: 20, value: 20),
                .init(latitude: 67, longitude: 20, value: 40),
                .init(latitude: 68, longitude: 20, value: 21),
            ]
        )
        expectEqual(OvalShape(grid, .south).points, [])
        expectEqual(shape.crest(near: 18.96), 67)
        expectNil(shape.crest(near: 31))
    }

    @Test func evenGridIsOnePointWhereItIsNearestAndTheFarEdge() throws {
        let shape = OvalShape(evenOvation(50, observation: at("2026-01-01T00:00:00Z")), .north)
        expectEqual(shape.points.count, 72)
        expectEqual(Set(shape.points.map(\.latitude)), [30, 89])
        expectEqual(shape.crest(near: -179.6), 30)
    }

    // MARK: The form

    /// A band of 60 at one latitude, seen from Tromsø on a December evening.
    private func map(latitude: Int, value: UInt8 = 60, cloud: Double? = 0, now: String) throws
        -> OvalMap?
    {
        var values = [UInt8](repeating: 0, count: Ovation.valueCount)
        for longitude in 0..<360 { values[longitude * 181 + latitude + 90] = value }
        let now = at(now)
        let grid = try require(
            Ovation(observation: now.minutes(-10), forecast: now.minutes(40), values: values)
        )
        var sky = Sky(now: now, kp: nil, cloud: cloud)
        sky.weatherHours = 2
        var state = sky.state
        state.apply(.ovation(grid), now: now)
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: now,
            previousLevel: nil
        )
        return OvalMap(OvalShape(grid, .north), derivation)
    }

    @Test(
        arguments: [
            (75, .north, true), (72, .north, true), (71, .overhead, true), (68, .overhead, true),
            (67, .south, true), (60, .south, false), (80, .north, false),
        ] as [(Int, OvalMap.Position, Bool)]
    )
    func positionAndVisibilityAreSeenFromThePlace(
        latitude: Int,
        position: OvalMap.Position,
        isVisible: Bool
    ) throws {
        let map = try require(map(latitude: latitude, now: "2025-12-21T20:00:00Z"))
        expectEqual(map.position, position)
        expectEqual(map.isVisible, isVisible)
    }

    @Test func skyDecidesWhetherAnAuroraOverheadCanBeSeen() throws {
        let evening = "2025-12-21T20:00:00Z"
        try expectEqual(map(latitude: 69, cloud: 100, now: evening)?.isVisible, false)
        try expectEqual(map(latitude: 69, now: "2025-06-21T20:00:00Z")?.isVisible, false)
        try expectEqual(map(latitude: 69, cloud: nil, now: evening)?.isVisible, true)
        try expectEqual(map(latitude: 69, value: 9, now: evening)?.isVisible, false)
        try expectEqual(map(latitude: 69, value: 10, now: evening)?.isVisible, true)
    }

    /// The limit is 90 minutes after the time that the grid is for.
    @Test(
        arguments: [(0, nil), (90, nil), (91, 5460), (6 * 60, 21_600), (60 * 60, 216_000)]
            as [(Int, Int?)]
    )
    func gridThatIsTooOldIsAMapWithItsAgeThatPromisesNothing(minutes: Int, age: Int?) throws {
        let sky = Sky(now: at("2025-12-21T20:00:00Z"), cloud: nil, ovation: 50)
        let state = sky.state
        let grid = try require(state.ovation)
        let derivation = deriveConditions(
            place: .tromso,
            state: state,
            now: grid.forecast.minutes(minutes),
            previousLevel: nil
        )
        let map = try require(OvalMap(OvalShape(grid, .north), derivation))
        let fresh = try require(OvalMap(OvalShape(grid, .north), sky.derivation))
        expectEqual(map.time, fresh.time)
        expectEqual(map.position, fresh.position)
        expectEqual(map.shape, fresh.shape)
        expectEqual(map.staleAge, age.map { .seconds($0) })
        if age != nil { expect(!map.isVisible) }
        let keys = try JSONReader.fields(of: map.json()[...])
        expectEqual(keys.dropFirst(5).map(\.key), (age == nil ? [] : ["stale", "age_seconds"]))
        expectEqual(
            keys.dropFirst(5).map { text(Array($0.value)) },
            (age.map { ["true", "\($0)"] } ?? [])
        )
    }

    @Test func withoutAGridThereIsNoMap() throws {
        let grid = evenOvation(50, observation: at("2025-12-21T20:00:00Z"))
        expectNil(OvalMap(OvalShape(grid, .north), Sky(ovation: nil).derivation))
    }

    @Test func formHasTheDocumentedKeysAndItsOwnSpelling() throws {
        let map = try require(map(latitude: 71, now: "2025-12-21T20:00:00Z"))
        let members = try JSONReader.fields(of: map.json()[...])
        expectEqual(
            members.map(\.key),
            [
                "timestamp", "coordinates", "kp_index", "oval_position", "tromsø_visibility",
            ]
        )
        expectEqual(text(Array(members[0].value)), #""2025-12-21T20:40:00.000Z""#)
        let points = try JSONReader.elements(of: members[1].value)
        expectEqual(points.count, 36)
        expectEqual(points.first.map { text(Array($0)) }, #"{"lat":71,"lon":-180,"intensity":0.6}"#)
        expectEqual(
            members.dropFirst(2).map { text(Array($0.value)) },
            ["2", #""overhead""#, "true"]
        )
    }
}
