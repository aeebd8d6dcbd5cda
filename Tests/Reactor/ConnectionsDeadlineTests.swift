import Expectations
import Glibc
import SeededRandom

@testable import Reactor

/// The tests ask with instants of their own, far in the future; only the first waits for the clock.
@Suite("Connections: deadlines", .timeLimit(.minutes(10)))
struct ConnectionsDeadlineTests {
    private let start = MonotonicInstant.now + .seconds(3600)

    @Test func loopTurnsForADeadline() async throws {
        try await withConnection { host, id, _ in
            await host.perform { $0.connections.setDeadline(.now + .milliseconds(2), on: id) }
            await host.wait { $0.count(of: .due(id)) == 1 ? () : nil }
            for _ in 0..<3 { await host.perform { _ in } }
            await expectEqual(host.count(of: .due(id)), 1, "a deadline is answered once")
        }
    }

    @Test func deadlineIsDueAtItsInstantAndNotBefore() async throws {
        try await withConnection { [start] host, id, _ in
            let answers = await host.perform { host in
                host.connections.setDeadline(start, on: id)
                return [
                    host.connections.popDue(now: start + .nanoseconds(-1)),
                    host.connections.popDue(now: start), host.connections.popDue(now: start),
                ]
            }
            expectEqual(answers, [nil, id, nil])
        }
    }

    @Test func deadlineMovedLaterIsDueThen() async throws {
        try await withConnection { [start] host, id, _ in
            let (early, next, late) = await host.perform { host in
                host.connections.setDeadline(start, on: id)
                host.connections.setDeadline(start + .seconds(10), on: id)
                let early = host.connections.popDue(now: start + .seconds(9))
                let next = host.connections.nextDeadline
                return (early, next, host.connections.popDue(now: start + .seconds(10)))
            }
            expectNil(early)
            expectEqual(next, start + .seconds(10))
            expectEqual(late, id)
        }
    }

    @Test func deadlineMovedEarlierIsDueThenAndNotAgain() async throws {
        try await withConnection { [start] host, id, _ in
            let (next, answers) = await host.perform { host in
                host.connections.setDeadline(start + .seconds(10), on: id)
                host.connections.setDeadline(start, on: id)
                let next = host.connections.nextDeadline
                return (
                    next,
                    [
                        host.connections.popDue(now: start),
                        host.connections.popDue(now: start + .seconds(10)),
                    ]
                )
            }
            expectEqual(next, start)
            expectEqual(answers, [id, nil])
        }
    }

    @Test func deadlineTakenBackIsNeverDue() async throws {
        try await withConnection { [start] host, id, _ in
            let answer = await host.perform { host in
                host.connections.setDeadline(start, on: id)
                host.connections.setDeadline(nil, on: id)
                return host.connections.popDue(now: start + .seconds(10))
            }
            expectNil(answer)
        }
    }

    @Test func deadlinesMovedAtRandomAreDueAsLastSet() async throws {
        let seed: UInt64 = 41
        try await withConnection { [start] host, id, _ in
            let isRight = await host.perform { host in
                var random = SeededGenerator(seed: seed)
                var model: MonotonicInstant?
                var now = start
                for _ in 0..<2000 {
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        model = nil
                        host.connections.setDeadline(nil, on: id)
                    case 1, 2:
                        let deadline =
                            now + .nanoseconds(Int64.random(in: 1...50, using: &random))
                        model = deadline
                        host.connections.setDeadline(deadline, on: id)
                    default:
                        now = now + .nanoseconds(Int64.random(in: 1...30, using: &random))
                        let isDue = model.map { $0 <= now } ?? false
                        guard host.connections.popDue(now: now) == (isDue ? id : nil) else {
                            return false
                        }
                        if isDue { model = nil }
                    }
                }
                return true
            }
            expect(isRight, "seed \(seed)")
        }
    }

    @Test func deadlineOfAnEndedConnectionIsNotItsSuccessors() async throws {
        try await withHost { [start] host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            await host.perform { $0.connections.setDeadline(start, on: id) }
            first.reset()
            _ = await host.end(of: id)
            let second = try TestSocket(to: address)
            let successor = await host.accepted(1)
            expectEqual(successor.index, id.index)
            let answers = await host.perform { host in
                host.connections.setDeadline(start + .seconds(5), on: successor)
                return [
                    host.connections.popDue(now: start + .seconds(4)),
                    host.connections.popDue(now: start + .seconds(5)),
                ]
            }
            expectEqual(answers, [nil, successor])
            withExtendedLifetime(second) {}
        }
    }

    @Test func closingConnectionHasNoDeadlineOfItsCallers() async throws {
        try await withSlowReader(queueBytesMax: 1 << 20, { $0.stallTimeout = .seconds(3600 * 3) }) {
            [start] host, id, client in
            let answer = await host.perform { host in
                host.connections.setDeadline(start, on: id)
                host.connections.send(patternedBytes(500_000), on: id)
                host.connections.close(id)
                host.connections.setDeadline(start, on: id)
                return host.connections.popDue(now: start + .seconds(1))
            }
            expectNil(answer)
            client.finishSending()
            let received = try await client.receiveAll()
            expectEqual(received, patternedBytes(500_000))
        }
    }
}
