import Base
import Expectations
import ZoneTesting

@Suite(
    "Clock zones of the database, as another implementation reads them",
    .timeLimit(.minutes(10))
)
struct ZoneVectorTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test(arguments: ZoneVector.all)
    func offsetsFrom1960To2100AreThoseOfTheFile(vector: ZoneVector) {
        let zone = vector.zone
        for pair in vector.offsets {
            let offset = zone.offset(at: time(pair[0]))
            expectEqual(offset, .seconds(pair[1]), "\(vector) \(time(pair[0]).iso8601)")
        }
    }

    @Test(arguments: ZoneVector.all)
    func offsetChangesExactlyAtTheChanges(vector: ZoneVector) {
        let zone = vector.zone
        for change in vector.changes.map(time) {
            expect(zone.offset(at: change) != zone.offset(at: change - .milliseconds(1)))
            expectEqual(zone.offset(at: change), zone.offset(at: change + .seconds(3600)))
        }
        expectEqual(
            vector.changes.isEmpty,
            ["Atlantic/Reykjavik", "Asia/Kathmandu"].contains(vector.name)
        )
    }

    @Test(arguments: ZoneVector.all)
    func daysBeginAtTheFirstInstantOfTheirDate(vector: ZoneVector) {
        let zone = vector.zone
        for night in vector.nights {
            for (day, next) in zip(night.days, night.days.dropFirst()) {
                expectEqual(zone.startOfDay(day.start), day.start, "\(vector) \(day.date)")
                expectEqual(zone.startOfNextDay(day.start), next.start, "\(vector) \(day.date)")
                let last = next.start - .milliseconds(1)
                expectEqual(zone.startOfDay(last), day.start, "\(vector) \(day.date)")
                expectEqual(zone.startOfNextDay(last), next.start, "\(vector) \(day.date)")
                expectEqual((day.start + zone.offset(at: day.start)).iso8601Date, day.date)
                expectEqual((last + zone.offset(at: last)).iso8601Date, day.date)
            }
        }
    }

    @Test(arguments: ZoneVector.all)
    func hoursAreShownFirstWhenTheyWereCounted(vector: ZoneVector) {
        let zone = vector.zone
        for night in vector.nights {
            for quiet in night.quiet {
                for (day, hours) in zip(night.days, quiet.hours) {
                    let midnight = Timestamp(iso8601: day.date + "T00:00:00Z")!
                    let parts = quiet.from.split(separator: ":").map { Int($0)! }
                    let clock = midnight + .seconds(parts[0] * 3600 + parts[1] * 60)
                    let first = zone.first(showing: clock)
                    expectEqual(first, Timestamp(seconds: hours[0]), "\(vector) \(clock.iso8601)")
                }
            }
        }
    }

    @Test func builtInZonesAreThoseOfTheDatabaseInThisCentury() {
        for (builtIn, name) in [
            (ClockZone.centralEuropean, "Europe/Oslo"), (.westernEuropean, "Europe/London"),
        ] {
            let vector = ZoneVector.named(name)
            for pair in vector.offsets where pair[0] > 1_000_000_000 {
                expectEqual(builtIn.offset(at: time(pair[0])), .seconds(pair[1]), "\(name)")
            }
        }
    }
}
