import Expectations
import SeededRandom

@testable import Core

/// Users move between three nodes, whose reports are late. The log of each user is compared with its
/// definition: the union of the user's stays, in which an absence shorter than `leaveAfter` is none.
@Suite("Lifecycle: logs and their definition", .timeLimit(.minutes(10)))
struct LifecycleModelTests {
    private struct Stay {
        var node: Int
        var user: LifecycleSubject
        var start: Timestamp
        var end: Timestamp
    }

    /// A report on its way to the leader.
    private struct Message {
        var due: Timestamp
        var node: Int
        var report: NodeAttendance.Report
    }

    private static let leaveAfter = Duration.seconds(5)
    private static let step = Duration.milliseconds(50)
    private static let delayMax = 400
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static let end = start + .seconds(120)
    private static let nodes = ["a", "b", "c"]
    private static let users = ["anna", "bo", "cleo"].map { LifecycleSubject.user($0) }

    /// Stays at multiples of the step, each in a node; those of one user in a node do not overlap.
    private static func stays(_ random: inout SeededGenerator) -> [Stay] {
        var stays: [Stay] = []
        for user in users {
            for node in nodes.indices {
                var time = start + step * Int.random(in: 1...400, using: &random)
                while time < end - .seconds(20) {
                    let last = min(
                        time + step * Int.random(in: 1...200, using: &random),
                        end - .seconds(20)
                    )
                    stays.append(Stay(node: node, user: user, start: time, end: last))
                    time = last + step * Int.random(in: 1...500, using: &random)
                }
            }
        }
        return stays
    }

    private static func definition(_ stays: [Stay]) -> [LifecycleChange] {
        var log: [LifecycleChange] = []
        for stay in stays.sorted(by: { $0.start < $1.start }) {
            if let last = log.last, stay.start - last.time < leaveAfter {
                log[log.count - 1].time = max(last.time, stay.end)
            } else {
                log.append(LifecycleChange(stay.user, isThere: true, at: stay.start))
                log.append(LifecycleChange(stay.user, isThere: false, at: stay.end))
            }
        }
        return log
    }

    /// - Parameter takes: whether the changes are taken at a moment.
    private static func log(
        _ stays: [Stay],
        _ random: inout SeededGenerator,
        takes: (Timestamp) -> Bool
    ) -> [LifecycleChange] {
        var attendances = nodes.map { _ in NodeAttendance(leaveAfter: leaveAfter) }
        var book = LifecycleBook(
            leaveAfter: leaveAfter,
            slack: .milliseconds(delayMax + 100),
            present: [],
            awaited: [],
            now: start
        )
        var messages: [Message] = []
        var log: [LifecycleChange] = []
        var now = start
        while now <= end {
            for stay in stays where stay.start == now {
                attendances[stay.node].arrive(stay.user, at: now)
            }
            for stay in stays where stay.end == now {
                attendances[stay.node].depart(stay.user, at: now)
            }
            for node in nodes.indices {
                guard let report = attendances[node].take(now: now) else { continue }
                let delay = Duration.milliseconds(Int.random(in: 0...delayMax, using: &random))
                // The messages of one node keep their order.
                let earliest = messages.last { $0.node == node }?.due ?? now
                messages.append(
                    Message(due: max(earliest, now + delay), node: node, report: report)
                )
            }
            for message in messages where message.due <= now {
                book.apply(message.report, of: nodes[message.node], now: now)
            }
            messages.removeAll { $0.due <= now }
            if takes(now) { log += book.take(countMax: 2, now: now) }
            now = now + step
        }
        return log
    }

    @Test(arguments: 1...40)
    func theLogIsThatOfTheDefinition(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stays = Self.stays(&random)
        let log = Self.log(stays, &random) { _ in true }
        for user in Self.users {
            let own = log.filter { $0.subject == user }
            let definition = Self.definition(stays.filter { $0.user == user })
            expectEqual(own.count, definition.count, "seed \(seed)")
            for (change, defined) in zip(own, definition) {
                expect(Self.isEqual(change, defined), "seed \(seed): \(change), not \(defined)")
            }
        }
    }

    /// Of two arrivals, the report of the later one may come first, and the event has its time.
    private static func isEqual(_ change: LifecycleChange, _ defined: LifecycleChange) -> Bool {
        let lateness = (change.time - defined.time).wholeMilliseconds
        return change.subject == defined.subject && change.isThere == defined.isThere
            && (lateness == 0 || change.isThere && (0...Int64(delayMax)).contains(lateness))
    }

    /// Changes are then missing, but never one of a pair.
    @Test(arguments: 1...20)
    func aLogThatIsSeldomTakenAlternatesAndEndsInTheTruth(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stays = Self.stays(&random)
        let log = Self.log(stays, &random) { now in
            (now - Self.start).wholeMilliseconds / 30_000 % 2 == 1 || now > Self.end - .seconds(2)
        }
        for user in Self.users {
            let own = log.filter { $0.subject == user }
            let definition = Self.definition(stays.filter { $0.user == user })
            for (index, change) in own.enumerated() {
                expectEqual(change.isThere, index % 2 == 0, "seed \(seed)")
                let isDefined = definition.contains { Self.isEqual(change, $0) }
                expect(isDefined, "seed \(seed): \(change)")
            }
            expectEqual(own.last, definition.last, "seed \(seed)")
        }
    }
}
