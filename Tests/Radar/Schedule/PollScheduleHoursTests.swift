import Expectations

@testable import Radar

/// A schedule, a provider that answers within a tenth of a second, and what was polled when.
private struct PollWorld {
    static let tick = Duration.milliseconds(100)

    var schedule: PollSchedule
    var dice = Dice(seed: 7)
    var now = morning
    /// Until then nothing can be polled.
    var blockedUntil = morning
    /// The starts of all polls of a radar.
    private(set) var starts: [String: [Timestamp]] = [:]
    /// Polls that began in each minute after `morning`.
    private(set) var minutes: [Int] = []
    /// What a store would have: as of the polls that ended.
    private var stored: [String: PollSchedule.Entry] = [:]
    /// The ids, in an order that every run has.
    private var ids: [String] = []
    private var polling: [(id: String, started: Timestamp)] = []

    init(interval: Duration = .minutes(60), watchedInterval: Duration = .minutes(5)) {
        schedule = PollSchedule(interval: interval, watchedInterval: watchedInterval)
    }

    mutating func add(_ id: String) {
        let due = schedule.add(id, now: now, random: dice.draw())
        store(PollSchedule.Entry(id: id, due: due, lastPoll: nil))
    }

    /// Starts anew with what is stored; polls under way are lost.
    mutating func restart() {
        polling = []
        schedule = PollSchedule(
            interval: schedule.interval,
            watchedInterval: schedule.watchedInterval
        )
        var dice = dice
        schedule.restore(ids.compactMap { stored[$0] }, now: now, random: { dice.draw() })
        self.dice = dice
    }

    mutating func restore(_ entries: [PollSchedule.Entry]) {
        for entry in entries { store(entry) }
        restart()
    }

    mutating func watch(_ ids: Set<String>) {
        var dice = dice
        _ = schedule.setWatched(ids, now: now, random: { dice.draw() })
        self.dice = dice
    }

    mutating func run(until end: Timestamp) {
        while now < end {
            step()
            now = nextTick(before: end)
        }
    }

    private mutating func step() {
        finishPolls()
        var ids = schedule.takeDue(now: now, countMax: .max)
        if now < blockedUntil {
            for id in ids { schedule.postpone(id, until: blockedUntil, now: now) }
            ids = []
        }
        let minute = Int((now - morning).inSeconds) / 60
        while minutes.count <= minute { minutes.append(0) }
        minutes[minute] += ids.count
        for id in ids {
            starts[id, default: []].append(now)
            polling.append((id, now))
        }
    }

    /// The next tick at which a poll can end or begin; at those between, nothing happens.
    private func nextTick(before end: Timestamp) -> Timestamp {
        guard polling.isEmpty else { return now + PollWorld.tick }
        let tick = PollWorld.tick.wholeMilliseconds
        let wait = (min(schedule.nextDue ?? end, end) - now).wholeMilliseconds
        return now + PollWorld.tick * max(1, Int((wait + tick - 1) / tick))
    }

    private mutating func finishPolls() {
        for (id, started) in polling {
            let due = schedule.finish(id, now: now, random: dice.draw())
            guard let due else { continue }
            store(PollSchedule.Entry(id: id, due: due, lastPoll: started))
        }
        polling = []
    }

    private mutating func store(_ entry: PollSchedule.Entry) {
        if stored.updateValue(entry, forKey: entry.id) == nil { ids.append(entry.id) }
    }

    /// The shortest and the longest time from each poll to the `distance`-th after it.
    func gaps(of ids: some Sequence<String>, distance: Int = 1) -> (min: Duration, max: Duration) {
        let gaps = ids.flatMap { id in
            zip(starts[id] ?? [], (starts[id] ?? []).dropFirst(distance)).map { $1 - $0 }
        }
        return (gaps.min() ?? .zero, gaps.max() ?? .zero)
    }
}

@Suite("PollSchedule: hours of 50,000 radars", .timeLimit(.minutes(10)))
struct PollScheduleHoursTests {
    private static let radarCount = 50_000
    /// Polls in a minute.
    private static let mean = 50_000.0 / 60

    private let ids = (0..<Self.radarCount).map { "\($0)" }

    /// What a process that ended `downtime` before `morning` had stored after many hours: last polls at any
    /// time, and the next ones an interval later, which the process did not see.
    private func entries(downtime: Duration = .zero) -> [PollSchedule.Entry] {
        var dice = Dice(seed: 11)
        let end = morning - downtime
        return ids.map { id in
            while true {
                let lastPoll = end - .minutes(66) * dice.draw()
                let due = lastPoll + .minutes(54) + .minutes(12) * dice.draw()
                guard due > end else { continue }
                return PollSchedule.Entry(id: id, due: due, lastPoll: lastPoll)
            }
        }
    }

    private func expectEven(_ minutes: some Collection<Int>) {
        let largest = Double(minutes.max() ?? 0) / PollScheduleHoursTests.mean
        expect(largest <= 2, "the largest minute is \(largest) times the mean")
        expect(minutes.reduce(0, +) > 0)
    }

    @Test func radarsMadeWithinAMinuteHaveDriftedApartInTheSecondHour() {
        var world = PollWorld()
        for (index, id) in ids.enumerated() {
            world.run(until: morning + .minutes(1) * index / ids.count)
            world.add(id)
        }
        world.run(until: morning + .minutes(125))
        expectEven(world.minutes.dropFirst(2))
        // Half-open hours: the third poll comes at least one hour after the first.
        expect(world.gaps(of: ids, distance: 2).min >= .minutes(60) - PollWorld.tick)
        expect(world.gaps(of: ids).max <= .minutes(66) + PollWorld.tick)
        expect(ids.allSatisfy { (world.starts[$0] ?? []).count >= 2 })
    }

    @Test func radarsAreEvenlySpreadAfterARestartTenMinutesLater() {
        var world = PollWorld()
        world.restore(entries(downtime: .minutes(10)))
        world.run(until: morning + .minutes(120))
        expectEven(world.minutes)
        expect(world.gaps(of: ids).min >= .minutes(54))
        expect(world.gaps(of: ids).max <= .minutes(66) + PollWorld.tick)
        let late = entries(downtime: .minutes(10)).filter { $0.due <= morning }
        let caughtUp = late.compactMap { world.starts[$0.id]?.first }.max()
        expect(late.count > 8000)
        expectEqual(caughtUp.map { $0 < morning + .minutes(15) }, true)
    }

    @Test func steadyScheduleStaysEvenAndWatchedRadarsAreSeenToMoreOften() {
        var world = PollWorld()
        let watched = ids.prefix(100)
        world.restore(entries())
        world.watch(Set(watched))
        world.run(until: morning + .minutes(90))
        expectEven(world.minutes)
        expect(world.gaps(of: watched).min >= .seconds(270))
        expect(world.gaps(of: watched).max <= .seconds(330) + PollWorld.tick)
        expect(watched.allSatisfy { (world.starts[$0] ?? []).count >= 16 })
        expect(world.gaps(of: ids.dropFirst(100)).min >= .minutes(54))
        expect(ids.allSatisfy { (world.starts[$0] ?? []).count >= 1 })
    }

    @Test(arguments: [20, 90])
    func radarsComeBackEvenlyAfterTheirSourcesWereDown(outageMinutes: Int) {
        var world = PollWorld()
        world.restore(entries())
        world.blockedUntil = morning + .minutes(outageMinutes)
        world.run(until: world.blockedUntil + .minutes(90))
        expectEven(world.minutes)
        expect(world.minutes.prefix(outageMinutes).allSatisfy { $0 == 0 })
        expect(ids.allSatisfy { world.starts[$0] != nil }, "nobody starves")
    }

    @Test(arguments: [-3, 3])
    func clockSetByDaysNeitherFloodsNorStarves(days: Int) {
        var world = PollWorld()
        world.restore(entries())
        world.run(until: morning + .minutes(20))
        let before = world.starts.values.reduce(0) { $0 + $1.count }
        // The world's minutes are counted in its own time: the schedule alone sees another.
        var now = world.now + .days(days)
        let end = now + .minutes(66)
        var polled: Set<String> = []
        var minutes = [Int](repeating: 0, count: 67)
        let start = now
        while now < end {
            let ids = world.schedule.takeDue(now: now, countMax: .max)
            for id in ids {
                polled.insert(id)
                _ = world.schedule.finish(id, now: now, random: world.dice.draw())
            }
            minutes[Int((now - start).inSeconds) / 60] += ids.count
            now = now + .seconds(1)
        }
        expectEven(minutes)
        expect(before > 15_000)
        expect(polled.count > Self.radarCount * 99 / 100)
    }

    /// As many polls in a minute as 50,000 radars have with an interval of an hour.
    @Test func crashLoopDoesNotPollMoreThanTwiceTheMean() {
        var world = PollWorld(interval: .minutes(3))
        var dice = Dice(seed: 13)
        world.restore(
            ids.prefix(2500).map { id in
                let due = morning + .minutes(3) * (dice.draw() - 0.5)
                return PollSchedule.Entry(id: id, due: due, lastPoll: due - .minutes(3))
            }
        )
        for second in 1...600 {
            world.run(until: morning + .seconds(second))
            world.restart()
        }
        expectEven(world.minutes)
        expect(ids.prefix(2500).allSatisfy { world.starts[$0] != nil }, "nobody starves")
    }

    /// Fewer polls than restarts: if every restart polled one at once, all would be polled within minutes.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func crashLoopOfAFewRadarsDoesNotPollThemAtEveryStart(seed: UInt64) {
        var world = PollWorld()
        world.dice = Dice(seed: seed)
        world.restore(
            ids.prefix(100).map { PollSchedule.Entry(id: $0, due: morning, lastPoll: nil) }
        )
        for second in 1...600 {
            world.run(until: morning + .seconds(second))
            world.restart()
        }
        let polled = world.minutes.reduce(0, +)
        expect((1...33).contains(polled), "seed \(seed): the mean is 16.7 in ten minutes")
    }
}
