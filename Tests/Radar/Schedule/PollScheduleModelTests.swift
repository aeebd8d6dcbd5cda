import Expectations

@testable import Radar

/// The schedule's rules in the plainest form, one radar at a time.
private struct PlainSchedule {
    enum State: Equatable {
        case waiting(due: Timestamp)
        case inFlight
    }

    var states: [String: State] = [:]
    var lastEnds: [String: Timestamp] = [:]
    var watched: Set<String> = []

    var inFlight: Int { states.values.count { $0 == .inFlight } }
    var nextDue: Timestamp? { states.keys.compactMap { due($0) }.min() }

    func due(_ id: String) -> Timestamp? {
        if case .waiting(let due) = states[id] { due } else { nil }
    }

    /// The earliest and the latest time that the next poll may have.
    func bounds(_ id: String, ended: Timestamp) -> ClosedRange<Timestamp> {
        let interval = watched.contains(id) ? Duration.minutes(6) : .minutes(60)
        return lastEnds[id] == nil
            ? ended + interval / 10...ended + interval
            : ended + interval * 9 / 10...ended + interval * 11 / 10
    }
}

@Suite("PollSchedule: against a plain dictionary", .timeLimit(.minutes(10)))
struct PollScheduleModelTests {
    private struct Pair {
        var schedule = PollSchedule.hourly()
        var model = PlainSchedule()
        var dice: Dice
        var now = morning
        var radarCount = 0

        mutating func step(_ comment: Comment) {
            now = now + .milliseconds(Int.random(in: 0..<90_000, using: &dice))
            // A caller comes in time, or the clock was set: PollScheduleClockTests.
            expectEqual(schedule.takeDue(now: now, countMax: 0), [], comment)
            let id = "\(Int.random(in: 0...radarCount, using: &dice))"
            switch Int.random(in: 0..<20, using: &dice) {
            case 0: add(comment)
            case 1: remove(id)
            case 2: watch(comment)
            case 3: begin(id, comment)
            case 4, 5: postpone(id, comment)
            case 6...12: take(comment)
            default: finish(id, comment)
            }
            expectEqual(schedule.count, model.states.count, comment)
            expectEqual(schedule.inFlight, model.inFlight, comment)
            expectEqual(schedule.nextDue, model.nextDue, comment)
        }

        private mutating func add(_ comment: Comment) {
            let id = "\(radarCount)"
            radarCount += 1
            let due = schedule.add(id, now: now, random: dice.draw())
            expect(due >= now && due <= now + .seconds(2), comment)
            model.states[id] = .waiting(due: due)
        }

        private mutating func remove(_ id: String) {
            schedule.remove(id)
            model.states[id] = nil
        }

        private mutating func watch(_ comment: Comment) {
            var dice = dice
            let ids = (0..<10).map { _ in "\(Int.random(in: 0...radarCount, using: &dice))" }
            let changed = schedule.setWatched(Set(ids), now: now, random: { dice.draw() })
            self.dice = dice
            for (id, due) in changed {
                let before = model.due(id)
                expectEqual(before.map { due < $0 }, true, comment)
                expect(due >= now, comment)
                expect(!model.watched.contains(id) && ids.contains(id), comment)
                model.states[id] = .waiting(due: due)
            }
            // Nobody who is watched waits longer than that, but for the turns of those pulled with him.
            for id in Set(ids).subtracting(model.watched) {
                guard let due = model.due(id), let end = model.lastEnds[id] else { continue }
                let latest = max(end + .minutes(6) * 11 / 10, now + .seconds(10))
                expect(due <= latest, comment)
            }
            model.watched = Set(ids)
        }

        private mutating func begin(_ id: String, _ comment: Comment) {
            let hasBegun = schedule.begin(id)
            expectEqual(hasBegun, (model.due(id) != nil), comment)
            if hasBegun { model.states[id] = .inFlight }
        }

        private mutating func postpone(_ id: String, _ comment: Comment) {
            let until = now + .minutes(Int.random(in: 0..<90, using: &dice))
            let due = schedule.postpone(id, until: until, now: now)
            expectEqual((due == nil), (model.states[id] == nil), comment)
            guard let due else { return }
            expect(due >= until && due <= max(now, until) + .seconds(50), comment)
            model.states[id] = .waiting(due: due)
        }

        private mutating func take(_ comment: Comment) {
            let countMax = Int.random(in: 0..<8, using: &dice)
            let ids = schedule.takeDue(now: now, countMax: countMax)
            let dues = model.states.keys.compactMap { model.due($0) }.filter { $0 <= now }.sorted()
            expectEqual(ids.compactMap { model.due($0) }, Array(dues.prefix(countMax)), comment)
            expectEqual(ids.count, min(countMax, dues.count), comment)
            for id in ids { model.states[id] = .inFlight }
        }

        private mutating func finish(_ id: String, _ comment: Comment) {
            let due = schedule.finish(id, now: now, random: dice.draw())
            expectEqual((due != nil), (model.states[id] == .inFlight), comment)
            guard let due else { return }
            expect(model.bounds(id, ended: now).contains(due), comment)
            model.states[id] = .waiting(due: due)
            model.lastEnds[id] = now
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func scheduleAgreesWithTheModel(seed: UInt64) {
        var pair = Pair(dice: Dice(seed: seed))
        for step in 0..<2000 { pair.step("seed \(seed), step \(step)") }
        expect(pair.radarCount > 50, "something happened")
    }
}
