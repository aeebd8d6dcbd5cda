import Expectations
import News
import SeededRandom
import ZoneTesting

@Suite("The plan of briefs", .timeLimit(.minutes(10)))
struct BriefScheduleTests {
    private let schedule = BriefSchedule(hour: 7)
    private let newYork = ClockZone.usEastern

    private let india = ClockZone(name: "India", minutesAhead: 330)
    private let brisbane = ClockZone(name: "Brisbane", minutesAhead: 600)

    private func time(_ text: String) -> Timestamp { Timestamp(iso8601: text)! }

    private func due(
        _ now: String,
        zone: ClockZone? = nil,
        last: BriefDay? = nil
    ) -> String? {
        let now = time(now)
        return schedule.dueDay(
            now: now,
            zone: zone ?? newYork,
            lastDay: last,
            lastSeenAt: now
        )?.text
    }

    @Test func briefIsDueFromTheLocalHourOn() {
        expectNil(due("2026-01-02T11:59:59.999Z"))
        expectEqual(due("2026-01-02T12:00:00Z"), "2026-01-02")
        expectEqual(due("2026-01-03T04:59:59Z"), "2026-01-02")
        expectNil(due("2026-01-03T05:00:00Z"))
        expectEqual(due("2026-01-02T01:30:00Z", zone: india), "2026-01-02")
        expectNil(due("2026-01-02T01:29:59Z", zone: india))
        expectEqual(due("2026-01-01T21:00:00Z", zone: brisbane), "2026-01-02")
    }

    @Test func briefIsMadeOnceADay() {
        let day = BriefDay(of: time("2026-01-02T12:00:00Z"), in: newYork)
        expectEqual(day.text, "2026-01-02")
        expectNil(due("2026-01-02T12:00:00Z", last: day))
        expectNil(due("2026-01-03T04:00:00Z", last: day))
        expectEqual(due("2026-01-03T12:00:00Z", last: day), "2026-01-03")
        // The clock was set back.
        expectNil(due("2026-01-01T12:00:00Z", last: day))
    }

    @Test func hourZeroAndHour23AreHours() {
        let midnight = BriefSchedule(hour: 0)
        let late = BriefSchedule(hour: 23)
        let now = time("2026-01-02T00:00:00Z")
        expectEqual(
            midnight.dueDay(now: now, zone: .utc, lastDay: nil, lastSeenAt: now)?.text,
            "2026-01-02"
        )
        expectNil(late.dueDay(now: now, zone: .utc, lastDay: nil, lastSeenAt: now))
        let evening = now + .seconds(23 * 3600)
        expect(late.dueDay(now: evening, zone: .utc, lastDay: nil, lastSeenAt: now) != nil)
    }

    @Test func userUnseenFor30DaysGetsNone() {
        let now = time("2026-01-31T12:00:00Z")
        let days = Duration.seconds(30 * 86_400)
        func due(_ seen: Timestamp) -> BriefDay? {
            schedule.dueDay(now: now, zone: newYork, lastDay: nil, lastSeenAt: seen)
        }
        expect(due(now - days) != nil)
        expectNil(due(now - days - .milliseconds(1)))
    }

    @Test func nextCheckIsAtTheHourButWithinAnHour() {
        let before = time("2026-01-02T11:30:00Z")
        expectEqual(schedule.nextCheck(now: before, zone: newYork), time("2026-01-02T12:00:00Z"))
        let after = time("2026-01-02T12:00:00Z")
        expectEqual(schedule.nextCheck(now: after, zone: newYork), after + .seconds(3600))
    }

    /// A year with two changes of the offset, a hub that is down at random times, and a check
    /// whenever the schedule wants one: at most one brief a day, and one on each day on which the
    /// hub ran after the hour.
    @Test(arguments: 0..<10)
    func briefIsMadeOnEveryDayOverRestartsAndChangesOfTheOffset(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let start = time("2026-01-01T00:00:00Z")
        let end = time("2027-01-01T00:00:00Z")
        var stored: BriefDay?
        var made: [BriefDay] = []
        var expected: Set<BriefDay> = []
        var now = start
        while now < end {
            let local = now + newYork.offset(at: now)
            if local.milliseconds % 86_400_000 >= 7 * 3_600_000 {
                expected.insert(BriefDay(of: now, in: newYork))
            }
            if let day = schedule.dueDay(
                now: now,
                zone: newYork,
                lastDay: stored,
                lastSeenAt: now
            ) {
                made.append(day)
                stored = day
            }
            let next = schedule.nextCheck(now: now, zone: newYork)
            expect(next > now && next - now <= .seconds(3600), "seed \(seed)")
            let isDown = Int.random(in: 0..<50, using: &random) == 0
            now = isDown ? now + .seconds(Int.random(in: 1...172_800, using: &random)) : next
        }
        expectEqual(Set(made).count, made.count, "seed \(seed)")
        expectEqual(Set(made), expected, "seed \(seed)")
        expect(made.count > 250, "seed \(seed)")
    }

    /// The first minute of each day at which the clocks show the hour or a later one, counted by another
    /// implementation, on the days around both changes of the clocks.
    @Test(arguments: ZoneVector.places)
    func checkComesExactlyAtTheHourOnDaysOnWhichTheClocksChange(vector: ZoneVector) {
        let zone = vector.zone
        for (hour, hours) in [(22, "22:00"), (7, "07:00"), (0, "00:00")] {
            let schedule = BriefSchedule(hour: hour)
            for night in vector.nights {
                let starts = night.quiet.flatMap { quiet in
                    quiet.hours.flatMap { range in
                        (quiet.from == hours ? [range[0]] : [])
                            + (quiet.to == hours ? [range[1]] : [])
                    }
                }
                expect(!starts.isEmpty)
                for start in starts.map({ Timestamp(seconds: $0) }) {
                    let before = start - .seconds(1)
                    let day = BriefDay(of: start, in: zone)
                    expectEqual(schedule.nextCheck(now: before, zone: zone), start, "\(zone.name)")
                    func due(_ now: Timestamp) -> BriefDay? {
                        schedule.dueDay(now: now, zone: zone, lastDay: nil, lastSeenAt: now)
                    }
                    expect(due(before) != day)
                    expectEqual(due(start), day)
                }
            }
        }
    }

    @Test func briefHasTheTenBestStoriesOfADay() {
        let now = NewsExamples.time
        let preferences = NewsPreferences(holdings: [.init(ticker: NewsExamples.apple)])
        var candidates = (1...30).map { id in
            id.isMultiple(of: 2)
                ? candidate(id, story: id, tickers: "AAPL") : candidate(id, story: id)
        }
        let entries = BriefPlan.stories(candidates, for: preferences, now: now)
        expectEqual(entries.count, 10)
        expectEqual(entries.count(where: \.isHeld), 7)
        candidates[29].publishedAt = now - .seconds(86_400)
        candidates[28].publishedAt = now - .milliseconds(86_399_999)
        candidates[27].publishedAt = now + .milliseconds(1)
        candidates[26].storyID = nil
        let ids = BriefPlan.stories(candidates, for: preferences, now: now)
            .map(\.candidate.articleID)
        expectEqual(ids.prefix(2), [29, 26])
        expect(!ids.contains(30) && !ids.contains(28) && !ids.contains(27))
    }
}
