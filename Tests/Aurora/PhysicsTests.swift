import Expectations

@testable import Aurora

@Suite("Solar elevation", .timeLimit(.minutes(10)))
struct SolarElevationTests {
    /// Values of the NOAA solar calculator's method, worked out apart from this code.
    @Test(arguments: [
        ("2024-12-21T10:42:00Z", -3.09), ("2024-06-20T22:46:00Z", 3.09),
        ("2024-12-21T22:42:00Z", -43.79), ("2024-10-10T20:00:00Z", -22.84),
        ("2025-01-01T18:00:00Z", -27.67), ("2024-05-11T00:00:00Z", -1.27),
        ("2024-03-03T16:20:00Z", -2.95),
    ])
    func elevationAtTromsoMatchesTheAlmanac(time: String, elevation: Double) {
        let place = Place.tromso
        let value = solarElevation(
            latitude: place.latitude,
            longitude: place.longitude,
            at: at(time)
        )
        expect(abs(value - elevation) < 0.05, "\(value)")
    }

    @Test func sunStandsOverheadAndUnderfootAtTheEquator() {
        // The equinox of March 2024 was on the 20th at 03:06; the true noon at Greenwich, 7.5 min
        // late.
        let noon = solarElevation(latitude: 0, longitude: 0, at: at("2024-03-20T12:07:30Z"))
        let midnight = solarElevation(latitude: 0, longitude: 180, at: at("2024-03-20T12:07:30Z"))
        expect(abs(noon - 90) < 0.3)
        expect(abs(midnight + 90) < 0.3)
    }

    @Test func elevationIsTheSameAllDayAtThePole() {
        let values = (0..<24).map {
            solarElevation(
                latitude: 90,
                longitude: 0,
                at: at("2024-06-20T21:00:00Z").minutes(30 * $0)
            )
        }
        expect(values.allSatisfy { abs($0 - 23.44) < 0.02 })
    }
}

@Suite("Solar wind coupling", .timeLimit(.minutes(10)))
struct CouplingTests {
    /// Speed, By, Bz, density; worked out apart from this code.
    @Test(arguments: [
        (400, 0, -5, 5, 8617.7, 3.001), (400, 0, 5, 5, 0, 1.068), (400, 5, 0, 5, 3420.0, 1.835),
        (456.7, -0.2, -3.9, 5.22, 8714.0, 3.361), (450, -3, 3, 3, 697.6, 1.204),
        (750, 10, -45, 20, 86_218, 26.55),
    ])
    func couplingAndKpMatchThePublishedForms(
        speed: Double,
        by: Double,
        bz: Double,
        density: Double,
        coupling: Double,
        kp: Double
    ) {
        let value = newellCoupling(speed: speed, by: by, bz: bz)
        expect(abs(value - coupling) <= max(0.1, coupling * 1e-5), "\(value)")
        let viscous = density.squareRoot() * speed * speed
        expect(abs(unclippedKp(coupling: value, viscous: viscous) - kp) < 0.01)
        expect(abs(kpFromSolarWind(coupling: value, viscous: viscous) - min(9, kp)) < 0.01)
    }

    @Test func noFieldMeansNoCoupling() {
        expectEqual(newellCoupling(speed: 400, by: 0, bz: 0), 0)
    }
}

@Suite("View of the oval", .timeLimit(.minutes(10)))
struct OvalViewTests {
    /// Ground distance in km and elevation in degrees of an arc at 110 km.
    @Test(
        arguments: [
            (100, 47), (200, 27.7), (300, 18.6), (500, 10.1), (743, 5.0), (1175, 0),
        ] as [(Double, Double)]
    )
    func elevationFallsWithDistance(distance: Double, elevation: Double) {
        expect(abs(OvalView.elevation(centralAngle: distance / 6371) - elevation) < 0.15)
    }

    @Test(
        arguments: [
            (90, 1), (30, 1), (29.99, 0.8), (10, 0.8), (9.99, 0.5), (5, 0.5), (4.99, 0), (-1, 0),
        ] as [(Double, Double)]
    )
    func weightStepsDownTowardTheHorizon(elevation: Double, weight: Double) {
        expectEqual(OvalView.weight(elevation: elevation), weight)
    }

    /// The elevation-weighted best cell of each recording.
    @Test(
        arguments: [
            ("2026-08-01-quiet", 9), ("2024-12-09-active", 38), ("2024-03-03-storm", 61),
        ] as [(String, Double)]
    )
    func bestCellOfRecordedGridAtTromso(file: String, value: Double) throws {
        let bytes = try recording("spaceweather/ovation_aurora_latest.\(file).json")
        let ovation = try Ovation.decode(bytes, now: at("2026-09-01T00:00:00Z"))
        let place = Place.tromso
        let best = OvalView.bestValue(
            ovation,
            latitude: place.latitude,
            longitude: place.longitude
        )
        expectEqual(best.rounded(), value, "\(best)")
    }

    /// A single bright cell, seen from places around it: also across the date line and at the pole.
    @Test(arguments: [
        (70, 19, 70.0, 19.0, 80.0), (70, 19, 68.0, 19.0, 64), (70, 19, 65.0, 19.0, 40),
        (70, 19, 62.0, 19.0, 0), (70, 0, 70.0, -0.4, 80), (70, 359, 70.0, 0.4, 80),
        (70, 180, 70.0, -179.6, 80), (90, 200, 90, 0, 80), (85, 200, 90, 0, 40),
        (-70, 19, -70, 19, 80), (-70, 19, 70, 19, 0),
    ])
    func brightCellIsSeenFromAround(
        cellLatitude: Int,
        cellLongitude: Int,
        latitude: Double,
        longitude: Double,
        seen: Double
    ) throws {
        var values = [UInt8](repeating: 0, count: Ovation.valueCount)
        values[cellLongitude * 181 + cellLatitude + 90] = 80
        let time = at("2026-01-01T00:00:00Z")
        let ovation = try require(Ovation(observation: time, forecast: time, values: values))
        expectEqual(OvalView.bestValue(ovation, latitude: latitude, longitude: longitude), seen)
    }
}
