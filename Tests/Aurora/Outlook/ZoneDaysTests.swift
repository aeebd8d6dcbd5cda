import Expectations
import ZoneTesting

@testable import Aurora

/// The days around both changes of the clocks, against days that another implementation has counted.
@Suite("Outlook: days around changes of the clocks", .timeLimit(.minutes(10)))
struct ZoneDaysTests {
    private static let coordinates: [String: (latitude: Double, longitude: Double)] = [
        "Europe/Oslo": (69.65, 18.96), "America/Anchorage": (61.22, -149.9),
        "Atlantic/Reykjavik": (64.15, -21.94), "Europe/London": (51.51, -0.13),
        "Pacific/Auckland": (-36.85, 174.76), "Australia/Hobart": (-42.88, 147.33),
    ]

    private func place(_ vector: ZoneVector) throws -> Place {
        let coordinates = try require(ZoneDaysTests.coordinates[vector.name])
        return try Place(
            id: "place",
            name: "Place",
            latitude: coordinates.latitude,
            longitude: coordinates.longitude,
            zone: vector.zone
        )
    }

    @Test(arguments: ZoneVector.places)
    func daysOfTheForecastBeginAtTheMidnightsOfThePlace(vector: ZoneVector) throws {
        let place = try place(vector)
        for night in vector.nights {
            let starts = night.days.map(\.start)
            // At the begin, at the end and in the middle of the first day.
            for now in [starts[0], starts[1] - .milliseconds(1), starts[0] + .seconds(50_000)] {
                let days = Sky(now: now, place: place).outlook.days(5)
                expectEqual(days.map(\.start), Array(starts.prefix(5)), "\(vector) \(now.iso8601)")
                expectEqual(
                    days.map { place.zone.dateText($0.start) },
                    night.days.prefix(5).map(\.date)
                )
                for (day, (start, next)) in zip(days, zip(starts, starts.dropFirst())).dropFirst() {
                    // A day has 23 or 25 hours when the clocks change.
                    let hours = Int((next - start).inSeconds) / 3600
                    expectEqual(day.hours.count, hours, "\(vector)")
                    expect(day.hours.allSatisfy { (start..<next).contains($0.time) })
                }
            }
        }
    }

    @Test(arguments: ZoneVector.places)
    func timesInTextsAreThoseOfTheClocks(vector: ZoneVector) throws {
        let place = try place(vector)
        for night in vector.nights {
            let quiet = night.quiet[0]
            for hours in quiet.ranges {
                expectEqual(place.zone.clockText(hours.lowerBound), quiet.from)
                expectEqual(place.zone.clockText(hours.upperBound), quiet.to)
            }
        }
    }
}
