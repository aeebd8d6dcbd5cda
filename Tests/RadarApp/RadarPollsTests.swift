import HubTesting
import Radar
import Testing

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
        #expect(first.map(\.id) == ["a", "b"])
        #expect(polls.startDue(now: now, countMax: 2) { _ in pollTask() }.isEmpty)
        polls.end("a")
        #expect(polls.schedule.finish("a", now: now, random: 0) != nil)
        let second = polls.startDue(now: now, countMax: 2) { _ in pollTask() }
        #expect(second.map(\.id) == ["c"])
        #expect(Set(polls.tasks.keys) == ["b", "c"])
    }

    @Test func placesThatAreFewerThanPollsUnderWayAreNone() {
        var polls = polls("a", "b", "c")
        let now = Self.start + .seconds(10)
        #expect(polls.startDue(now: now, countMax: 2) { _ in pollTask() }.count == 2)
        #expect(polls.startDue(now: now, countMax: 1) { _ in pollTask() }.isEmpty)
    }

    @Test func whoComesMeanwhileJoins() throws {
        var polls = polls("a")
        let started = polls.startDue(now: Self.start, countMax: 1) { _ in pollTask() }
        let running = try #require(started.first?.task)
        var begun = 0
        func join() -> RadarPolls.PollTask? {
            polls.join("a") {
                begun += 1
                return pollTask()
            }
        }
        #expect(join() == running)
        #expect(begun == 0)
        polls.end("a")
        _ = polls.schedule.finish("a", now: Self.start, random: 0)
        let other = join()
        #expect(other != nil)
        #expect(other != running)
        #expect(join() == other)
        #expect(begun == 1)
        #expect(polls.schedule.inFlight == 1)
    }

    @Test func radarThatIsNotThereIsNotJoined() {
        var polls = polls("a")
        #expect(polls.join("b") { pollTask() } == nil)
        #expect(polls.tasks.isEmpty)
    }

    /// The end of a poll gives the radar its next turn before it is committed.
    @Test func radarThatIsDueBeforeItsPollIsOverWaits() {
        var polls = polls("a")
        var now = Self.start
        #expect(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.count == 1)
        _ = polls.schedule.finish("a", now: now, random: 0)
        polls.schedule.postpone("a", until: now - .seconds(5), now: now)
        #expect(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.isEmpty)
        #expect(polls.schedule.nextDue == now + .seconds(1))
        polls.end("a")
        now = now + .seconds(1)
        #expect(polls.startDue(now: now, countMax: 9) { _ in pollTask() }.count == 1)
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
        #expect(wait("a", after: 0) == nil)
        #expect(wait("a", after: 0) == .seconds(30))
        #expect(wait("b", after: 1) == nil)
        // Who was refused need not wait longer for it.
        #expect(wait("a", after: 29) == .seconds(1))
        #expect(wait("a", after: 30) == nil)
        #expect(wait("a", after: 31) == .seconds(29))
    }

    @Test func clockThatWasSetBackHoldsNobodyUp() {
        var times = RefreshTimes()
        #expect(times.wait(for: "a", interval: interval, now: RadarHub.start) == nil)
        let before = RadarHub.start - .seconds(3600)
        #expect(times.wait(for: "a", interval: interval, now: before) == nil)
        #expect(times.wait(for: "a", interval: interval, now: before) == interval)
    }

    @Test func noIntervalIsNoWait() {
        var times = RefreshTimes()
        for _ in 0..<3 {
            #expect(times.wait(for: "a", interval: .zero, now: RadarHub.start) == nil)
        }
    }

    /// Past the number at which old times are looked for.
    @Test func timesThatStillCountAreKept() {
        var times = RefreshTimes()
        let late = RadarHub.start + .seconds(20)
        for number in 0..<5000 {
            let now = number < 1000 ? RadarHub.start : late
            #expect(times.wait(for: "\(number)", interval: interval, now: now) == nil)
        }
        let now = RadarHub.start + .seconds(31)
        #expect(times.wait(for: "999", interval: interval, now: now) == nil)
        for number in [1000, 2047, 4999] {
            #expect(times.wait(for: "\(number)", interval: interval, now: now) == .seconds(19))
        }
    }
}
