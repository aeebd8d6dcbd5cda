import Expectations
import Glibc

@testable import Reactor

@Suite("A loop that is driven by hand", .timeLimit(.minutes(10)))
struct SteppingTests {
    @Test func stepTakesOneTurnWithoutWaiting() throws {
        let loop = try EventLoop(name: "test-loop")
        let wanted = MonotonicInstant.now + .seconds(3600)
        var turns = 0
        let deadline = loop.step { readyCount in
            turns += 1
            expectEqual(readyCount, 0)
            expectEqual(loop.isIsolatingCurrentContext(), true)
            return wanted
        }
        expectEqual(turns, 1)
        expectEqual(deadline, wanted)
        expectEqual(loop.isIsolatingCurrentContext(), false)
    }

    @Test func loopsOfOneThreadTakeTurns() throws {
        let outer = try EventLoop(name: "test-loop")
        let inner = try EventLoop(name: "test-loop")
        outer.perform {
            inner.perform {
                expectEqual(inner.isIsolatingCurrentContext(), true)
                expectEqual(outer.isIsolatingCurrentContext(), false)
            }
            expectEqual(outer.isIsolatingCurrentContext(), true)
        }
        expectEqual(outer.isIsolatingCurrentContext(), false)
    }

    @Test func adoptedSocketIsReadAndWritten() throws {
        let loop = try EventLoop(name: "test-loop")
        let limits = ConnectionLimits(connectionsMax: 1, queueBytesMax: 1024)
        var connections = Connections(loop: loop, limits: limits)
        let (ours, theirs) = try socketPair()
        defer { close(theirs) }
        let id = connections.adopt(ours)
        let count = connections.count
        expectEqual(count, 1)

        expectEqual(write(theirs, "ping", 4), 4)
        var received: [UInt8] = []
        _ = loop.step { readyCount in
            expectEqual(readyCount, 1)
            guard case .connection(id, isReadable: true, _) = connections.readiness(0),
                case .bytes(let count) = connections.receive(id)
            else { return nil }
            received = Array(connections.input[..<count])
            connections.send(Array("pong".utf8), on: id)
            connections.flush()
            return nil
        }
        expectEqual(received, Array("ping".utf8))
        var answer = [UInt8](repeating: 0, count: 8)
        expectEqual(read(theirs, &answer, answer.count), 4)
        expect(answer.prefix(4).elementsEqual("pong".utf8))
    }

    /// As when memory or watches are short; the kernel watches no regular file, either.
    @Test func connectionThatTheKernelDoesNotWatchEndsAtOnce() throws {
        let loop = try EventLoop(name: "test-loop")
        let limits = ConnectionLimits(connectionsMax: 1, queueBytesMax: 1024)
        var connections = Connections(loop: loop, limits: limits)
        let file = open(#filePath, O_RDONLY)
        try require(file >= 0)
        let id = connections.adopt(file)
        let isOpen = connections.isOpen(id)
        expect(!isOpen)
        let closure = connections.takeClosure()
        expectEqual(closure?.id, id)
        expectEqual(closure?.end, .broken(code: EPERM))
        let count = connections.count
        expectEqual(count, 0)
    }

    /// The peer takes nothing and has all the time of the loop's clock, which does not go on by itself.
    @Test func deadlinesFollowTheClockOfTheLoop() throws {
        let now = Locked(MonotonicInstant(nanoseconds: 1_000_000_000))
        let clock = LoopClock.simulated { now.withLock { $0 } }
        let loop = try EventLoop(name: "test-loop", clock: clock)
        var limits = ConnectionLimits(connectionsMax: 1, queueBytesMax: 4 << 20)
        limits.stallTimeout = .seconds(10)
        var connections = Connections(loop: loop, limits: limits)
        let (ours, theirs) = try socketPair()
        defer { close(theirs) }
        let id = connections.adopt(ours)
        connections.send([UInt8](repeating: 0, count: 1 << 20), on: id)
        connections.close(id)
        connections.flush()
        let deadline = connections.nextDeadline
        expectEqual(deadline, MonotonicInstant(nanoseconds: 11_000_000_000))

        _ = connections.popDue(now: clock.now)
        let early = connections.takeClosure()
        expectNil(early?.id)
        now.withLock { $0 = $0 + .seconds(10) }
        _ = connections.popDue(now: clock.now)
        let closure = connections.takeClosure()
        expectEqual(closure?.end, .stalled)
    }

    private func socketPair() throws -> (ours: Int32, theirs: Int32) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try require(socketpair(AF_UNIX, type, 0, &pair) == 0)
        return (pair[0], pair[1])
    }
}
