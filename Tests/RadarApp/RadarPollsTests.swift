import Expectations
import HubTesting
import Radar

@testable import RadarApp

@Suite("Radar polls: one of one radar at a time", .timeLimit(.minutes(10)))
struct RadarPollsTests {
    private static let start = RadarHub.start
    private let pollTask = { RadarPolls.PollTask { .success(.done) } }

    /// Radars that are due one second after the other, from the start on.
    private func polls(_ ids: String...) -> RadarPolls {
        var schedule = PollSchedule(interval: .seconds(3600), watchedInterval: .seconds(3600))
        schedule.restore([], now: Self.start, random: { 0 })
        for (index, id) in ids.enumerated() {
            _ = schedule.add(id, now: Self.start, random: 0)
            schedule.postpone(id, until: Self.start + .seconds(index), now: Self.start)
        }
        return RadarPolls(schedule: schedule)
    }

    @Test func dueRadarsBeginInTheirOrderAsFarAsThereArePlaces() {
        var polls = polls("a", "b", "c")
        let now = Self.start + .seconds(10)
        let first = polls.startDue(now: now, countMax: 2) { _ in pollTask() }
        expectEqual(first.map(\.id), ["a", "b"])
        expect(polls.startDue(now: now, countMax: 2) { _ in pollTask() }.isEmpty)
        polls.end("a")
        expect(polls.schedule.finish("a", now: now, random: 0) != nil)
        let second = polls.startDue(now: now, countMax: 2) { _ in pollTask() }
        expectEqual(second.map(\.id), ["c"])
        expectEqual(Set(polls.tasks.keys), ["b", "c"])
    }

    @Test func placesThatAreFewerThanPollsUnderWayAreNone() {
        var polls = polls("a", "b", "c")
        let now = Self.start + .seconds(10)
        expectEqual(polls.startDue(now: now, countMax: 2) { _ in pollTask() }.count, 2)
        expect(polls.startDue(now: now, countMax: 1) { _ in pollTask() }.isEmpty)
    }

    @Test func whoComesMeanwhileJoins() throws {
        var polls = polls("a")
        let started = polls.startDue(now: Self.start, countMax: 1) { _ in pollTask() }
        let running = try require(started.first?.task)
        var begun = 0
        func join() -> RadarPolls.PollTask? {
            polls.join("a") {
                begun += 1
                return pollTask()
            }
        }
        expectEqual(join(), running)
        expectEqual(begun, 0)
        polls.end("a")
        _ = polls.schedule.finish("a", now: Self.start, random: 0)
        let other = join()
        expect(other != nil)
        expect(other != running)
        expectEqual(join(), other)
        expectEqual(begun, 1)
        expectEqual(polls.schedule.inFlight, 1)
    }

    @Test func radarThatIsNotThereIsNotJoined() {
        var polls = polls("a")
        expectNil(polls.join("b") { pollTask() })
        expect(polls.tasks.isEmpty)
    }

    /// The end of a poll gives the radar its next turn before it is committed.
    @Test func radarThatIsDueBeforeItsPollIsOverWaits() {
        var polls = polls("a")
        var now = Self.start
        expectEqual(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.count, 1)
        _ = polls.schedule.finish("a", now: now, random: 0)
        polls.schedule.postpone("a", until: now - .seconds(5), now: now)
        expect(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.isEmpty)
        expectEqual(polls.schedule.nextDue, now + .seconds(1))
        polls.end("a")
        now = now + .seconds(1)
        expectEqual(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.count, 1)
    }
}

@Suite("Radar: how often a radar is refreshed", .timeLimit(.minutes(10)))
struct RefreshTimesTests {
    private let interval = Duration.seconds(30)

    @Test func radarWaitsForTheRestOfTheInterval() {
        var times = RefreshTimes()
        func wait(_ id: String, after seconds: Int) -> Duration? {
            times.wait(for: id, interval: interval, now: RadarHub.start + .seconds(seconds))
        }
        expectNil(wait("a", after: 0))
        expectEqual(wait("a", after: 0), .seconds(30))
        expectNil(wait("b", after: 1))
        // Who was refused need not wait longer for it.
        expectEqual(wait("a", after: 29), .seconds(1))
        expectNil(wait("a", after: 30))
        expectEqual(wait("a", after: 31), .seconds(29))
    }

    @Test func clockThatWasSetBackHoldsNobodyUp() {
        var times = RefreshTimes()
        expectNil(times.wait(for: "a", interval: interval, now: RadarHub.start))
        let before = RadarHub.start - .seconds(3600)
        expectNil(times.wait(for: "a", interval: interval, now: before))
        expectEqual(times.wait(for: "a", interval: interval, now: before), interval)
    }

    @Test func noIntervalIsNoWait() {
        var times = RefreshTimes()
        for _ in 0..<3 {
            expectNil(times.wait(for: "a", interval: .zero, now: RadarHub.start))
        }
    }

    /// Past the number at which old times are looked for.
    @Test func timesThatStillCountAreKept() {
        var times = RefreshTimes()
        let late = RadarHub.start + .seconds(20)
        for number in 0..<5000 {
            let now = number < 1000 ? RadarHub.start : late
            expectNil(times.wait(for: "\(number)", interval: interval, now: now))
        }
        let now = RadarHub.start + .seconds(31)
        expectNil(times.wait(for: "999", interval: interval, now: now))
        for number in [1000, 2047, 4999] {
            expectEqual(times.wait(for: "\(number)", interval: interval, now: now), .seconds(19))
        }
    }
}
