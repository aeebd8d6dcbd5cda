import Expectations

@testable import Aurora

@Suite("Magnetic coordinates and the model of the oval", .timeLimit(.minutes(10)))
struct OvalModelTests {
    private struct Site {
        var latitude, longitude, magneticLatitude: Double
        /// On 21 December 2025 at 00, 06, 12 and 18 UT.
        var localTimes: [Double]
    }

    /// Computed with numpy from the coefficients of the dipole.
    private static let sites: [String: Site] = [
        "Tromsø": Site(
            latitude: 69.6492,
            longitude: 18.9553,
            magneticLatitude: 67.4916,
            localTimes: [2.562, 8.935, 15.063, 20.765]
        ),
        "Hobart": Site(
            latitude: -42.8821,
            longitude: 147.3272,
            magneticLatitude: -49.5920,
            localTimes: [10.025, 16.398, 22.527, 4.229]
        ),
        "Anchorage": Site(
            latitude: 61.2181,
            longitude: -149.9003,
            magneticLatitude: 61.9228,
            localTimes: [12.631, 19.004, 1.132, 6.834]
        ),
    ]

    @Test(arguments: sites.keys.sorted())
    func placeHasItsMagneticLatitudeAndLocalTime(name: String) throws {
        let site = try require(OvalModelTests.sites[name])
        let position = GeomagneticPosition(latitude: site.latitude, longitude: site.longitude)
        expect(abs(position.latitude - site.magneticLatitude) < 0.001)
        for (index, expected) in site.localTimes.enumerated() {
            let time = at("2025-12-21T00:00:00Z").minutes(360 * index)
            expect(abs(position.localTime(at: time) - expected) < 0.02, "\(index)")
        }
    }

    @Test func localTimeIsWithinADayAtEveryMoment() {
        for longitude in stride(from: -180.0, through: 180, by: 30) {
            let position = GeomagneticPosition(latitude: 65, longitude: longitude)
            for hour in 0..<48 {
                let time = position.localTime(at: at("2025-06-21T00:00:00Z").minutes(60 * hour))
                expect((0..<24).contains(time))
            }
        }
    }

    @Test(arguments: [(1.0, 9.5079), (3.33, 29.9261), (5.3, 70.0787)])
    func valueIsThatOfTheFormula(kp: Double, value: Double) {
        let found = OvalModel.value(kp: kp, latitude: 66, localTime: 23)
        expect(abs(found - value) < 0.001)
        expectEqual(OvalModel.value(kp: kp, latitude: -66, localTime: 23), found)
    }

    /// A grid, the Kp of its time, and the root mean square difference between the model and what places
    /// all around the pole see.
    @Test(
        arguments: [
            ("2026-08-01-quiet", 1.0, 3.5), ("2024-12-09-active", 3.33, 9.0),
            ("2024-03-03-storm", 5.3, 14.0),
        ]
    )
    func modelFollowsTheRecordedGrids(file: String, kp: Double, errorMax: Double) throws {
        let bytes = try recording("spaceweather/ovation_aurora_latest.\(file).json")
        let grid = try Ovation.decode(bytes, now: at("2026-08-02T00:00:00Z"))
        var errors: [Double] = []
        for latitude in [62.0, 65, 68, 70] {
            for longitude in stride(from: -180.0, to: 180, by: 30) {
                let place = (latitude: latitude, longitude: longitude)
                let seen = OvalView.bestValue(
                    grid,
                    latitude: place.latitude,
                    longitude: place.longitude
                )
                let position = GeomagneticPosition(
                    latitude: place.latitude,
                    longitude: place.longitude
                )
                let expected = OvalModel.bestValue(
                    kp: kp,
                    position: position,
                    localTime: position.localTime(at: grid.forecast)
                )
                errors.append(expected - seen)
            }
        }
        let square = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
        expect(square.squareRoot() < errorMax)
    }

    @Test func moreKpIsMoreAuroraAtEveryHourAndNeverOver100() {
        let position = GeomagneticPosition(latitude: 69.6492, longitude: 18.9553)
        let activity = ExpectedActivity(latitude: 69.6492, longitude: 18.9553)
        for hour in 0..<24 {
            let values = (0...9).map {
                OvalModel.bestValue(kp: Double($0), position: position, localTime: Double(hour))
            }
            let scores = (0...9).map { activity.value(kp: Double($0), localTime: Double(hour)) }
            expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 }, "\(hour)")
            // Nothing changes while the oval is out of sight, and once all is reached.
            let isRising = zip(scores, scores.dropFirst()).allSatisfy {
                $0 < $1 || $1 == 0 || $1 > 0.99
            }
            expect(isRising, "\(hour): \(scores)")
            expect(values.allSatisfy { (0...100).contains($0) })
        }
    }

    /// Kp 3 in the evening and at noon at Tromsø, in Hobart on a quiet day and in a great storm.
    @Test func scoreHasItsShapeAroundMagneticMidnight() {
        let tromso = ExpectedActivity(.tromso)
        expect(abs(100 * tromso.value(kp: 3, localTime: 22) - 58.3) < 0.1)
        // The oval is far in the north: 20 where the mean is 33.
        expect(abs(100 * tromso.value(kp: 3, localTime: 12) - 20.2) < 0.1)
        expect(abs(100 * tromso.value(kp: 1, localTime: 0) - 18.9) < 0.1)
        let hobart = GeomagneticPosition(latitude: -42.8821, longitude: 147.3272)
        expect(OvalModel.bestValue(kp: 1, position: hobart, localTime: 0) < 2)
        expectEqual(OvalModel.bestValue(kp: 9, position: hobart, localTime: 0), 100)
    }
}
