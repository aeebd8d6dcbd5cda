import Expectations

@testable import Radar

@Suite("Poll schedule: turns of owners", .timeLimit(.minutes(10)))
struct PollScheduleTurnsTests {
    private let now = morning + .seconds(2)

    private func schedule(_ radars: [(id: String, owner: String)]) -> PollSchedule {
        var schedule = PollSchedule.hourly()
        for (index, radar) in radars.enumerated() {
            let random = Double(index) / Double(radars.count + 1)
            _ = schedule.add(radar.id, owner: radar.owner, now: morning, random: random)
        }
        return schedule
    }

    @Test func ownersTakeTurnsAndTheirRadarsKeepTheirOrder() {
        var schedule = schedule(
            (0..<5).map { ("a\($0)", "ann") } + [("b0", "bob"), ("b1", "bob"), ("c0", "cat")]
        )
        expectEqual(schedule.takeDue(now: now, countMax: 6), ["a0", "b0", "c0", "a1", "b1", "a2"])
        expectEqual(schedule.inFlight, 6)
        expectEqual(schedule.takeDue(now: now, countMax: 6), ["a3", "a4"])
    }

    @Test func whoComesToALongLineIsNextOrNextButOne() {
        var schedule = schedule((0..<100).map { ("a\($0)", "ann") })
        expectEqual(schedule.takeDue(now: now, countMax: 10).count, 10)
        _ = schedule.add("b", owner: "bob", now: now, random: 0)
        let next = schedule.takeDue(now: now, countMax: 2)
        expect(next.contains("b"))
    }

    @Test func radarThatIsTakenOutLosesItsTurn() {
        var schedule = schedule([("a", "ann"), ("b", "ann"), ("c", "ann"), ("d", "ann")])
        expectEqual(schedule.takeDue(now: now, countMax: 0), [])
        expectEqual(schedule.nextDue, morning)
        schedule.remove("a")
        expectEqual(schedule.begin("b"), true)
        expectEqual(schedule.begin("b"), false)
        _ = schedule.postpone("c", until: now + .seconds(60), now: now)
        expectEqual(schedule.takeDue(now: now, countMax: 9), ["d"])
        expectEqual(schedule.inFlight, 2)
        expectEqual(schedule.takeDue(now: now + .seconds(60), countMax: 9), ["c"])
    }

    @Test func radarsThatAreNotDueAfterTheClockWasSetBackWait() {
        var schedule = schedule([("a", "ann"), ("b", "bob")])
        expectEqual(schedule.takeDue(now: now, countMax: 0), [])
        expectEqual(schedule.takeDue(now: morning, countMax: 9), ["a"])
        expectEqual(schedule.takeDue(now: now, countMax: 9), ["b"])
    }
}
