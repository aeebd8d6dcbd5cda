import Expectations
import Glibc

@testable import Reactor

@Suite("Connections: sending", .timeLimit(.minutes(10)))
struct ConnectionsSendingTests {
    // MARK: Once per turn

    @Test func everythingSentInATurnIsOneWrite() async throws {
        try await withConnection { host, id, client in
            await host.perform { host in
                for byte in 0..<200 as Range<UInt8> { host.connections.send([byte], on: id) }
            }
            let received = try await client.receive(200)
            expectEqual(received, Array(0..<200))
            await expectEqual(host.writes(on: id), 1)
            await host.perform { $0.connections.send([1], on: id) }
            let next = try await client.receive(1)
            expectEqual(next, [1])
            await expectEqual(host.writes(on: id), 2)
        }
    }

    @Test func stagedBytesGoToEachConnectionInOneWrite() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let clients = try (0..<5).map { _ in try TestSocket(to: address) }
            _ = await host.accepted(4)
            let ids = await host.perform { $0.connections.openConnections() }
            await host.perform { host in
                let places = ids.map { Int32($0.index) }
                for round in 0..<10 as Range<UInt8> {
                    let range = host.connections.stage([round, round])
                    places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
                    // Something of its own for the first, between what all get.
                    host.connections.send([100 + round], on: ids[0])
                }
            }
            let shared = (0..<10 as Range<UInt8>).flatMap { [$0, $0] }
            let mixed = (0..<10 as Range<UInt8>).flatMap { [$0, $0, 100 + $0] }
            var received: [[UInt8]] = []
            await host.perform { host in for id in ids { host.connections.close(id) } }
            for client in clients { received.append(try await client.receiveAll()) }
            expectEqual(received.count { $0 == shared }, 4)
            expectEqual(received.count { $0 == mixed }, 1)
        }
    }

    @Test func longTurnIsSentInBetween() async throws {
        try await withConnection(queueBytesMax: 1 << 20, { $0.turnBytesMax = 1000 }) {
            host,
            id,
            client in
            let writes = await host.perform { host in
                // Over the limit with the second; the third finds it so.
                (0..<3).map { _ in
                    host.connections.send(patternedBytes(600), on: id)
                    return host.writes(on: id)
                }
            }
            expectEqual(writes, [0, 0, 1])
            let whole = patternedBytes(600) + patternedBytes(600) + patternedBytes(600)
            let received = try await client.receive(1800)
            expectEqual(received, whole)
        }
    }

    @Test func largeFanOutGoesOverSeveralTurns() async throws {
        try await withHost({ $0.turnWritesMax = 2 }) { host in
            let address = try await host.listen()
            let clients = try (0..<5).map { _ in try TestSocket(to: address) }
            _ = await host.accepted(4)
            let ids = await host.perform { $0.connections.openConnections() }
            let writes = await host.perform { host in
                let places = ids.map { Int32($0.index) }
                return (0..<4 as Range<UInt8>).map { round in
                    let range = host.connections.stage([round, round])
                    places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
                    host.connections.flush()
                    return ids.map { host.writes(on: $0) }
                }
            }
            // Two at a time, those first that have waited longest; no byte has its own write.
            expectEqual(
                writes,
                [[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [2, 1, 1, 1, 1], [2, 2, 2, 1, 1]]
            )
            for client in clients {
                let received = try await client.receive(8)
                expectEqual(received, [0, 0, 1, 1, 2, 2, 3, 3])
            }
            await expect(host.counters.turnsSplit >= 4)
        }
    }

    @Test func endedConnectionLeavesTheFanOutToTheOthers() async throws {
        try await withHost({ $0.turnWritesMax = 1 }) { host in
            let address = try await host.listen()
            let clients = try (0..<3).map { _ in try TestSocket(to: address) }
            _ = await host.accepted(2)
            let ids = await host.perform { $0.connections.openConnections() }
            await host.perform { host in
                let range = host.connections.stage([1, 2])
                ids.map { Int32($0.index) }
                    .withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
                host.connections.flush()
                host.connections.abort(ids[1])
            }
            for index in [0, 2] {
                let received = try await clients[index].receive(2)
                expectEqual(received, [1, 2])
            }
            try await expectEqual(clients[1].receiveAll(), [])
        }
    }

    @Test func nothingIsWrittenForAnEmptySend() async throws {
        try await withConnection { host, id, _ in
            await host.perform { $0.connections.send([], on: id) }
            await expectEqual(host.writes(on: id), 0)
        }
    }

    // MARK: Slow readers

    @Test func slowReaderGetsEverythingInOrder() async throws {
        try await withSlowReader(queueBytesMax: 1 << 20) { host, id, client in
            let bytes = patternedBytes(700_000)
            await host.perform { $0.connections.send(bytes, on: id) }
            await expect(host.queuedBytes(on: id) > 0, "the kernel took it all: no slow reader")
            await host.perform { $0.connections.send([1, 2, 3], on: id) }
            let received = try await client.receive(700_003)
            expectEqual(received, bytes + [1, 2, 3])
            await host.wait { $0.queuedBytes(on: id) == 0 ? () : nil }
            await host.perform { $0.connections.send([4], on: id) }
            let next = try await client.receive(1)
            expectEqual(next, [4])
        }
    }

    @Test func queueTakesItsLimitAndNotOneByteMore() async throws {
        let limit = 100_000
        try await withSlowReader(queueBytesMax: limit) { host, id, _ in
            // In one go, so that the kernel takes nothing in between.
            let (queued, isOpen) = await host.perform { host in
                host.fill(id)
                let rest = limit - host.queuedBytes(on: id)
                host.connections.send([UInt8](repeating: 1, count: rest), on: id)
                host.connections.flush()
                let queued = host.queuedBytes(on: id)
                let isOpen = host.isOpen(id)
                host.connections.send([2], on: id)
                return (queued, isOpen)
            }
            expectEqual(queued, limit)
            expect(isOpen)
            await expectEqual(host.ends(of: id), [.queueOverflow])
        }
    }

    @Test func oneSlowReaderDoesNotDisturbAnother() async throws {
        try await withSlowReader(queueBytesMax: 5000) { host, id, _ in
            let address = try await host.listen()
            let reader = try TestSocket(to: address)
            let other = await host.accepted(1)
            let places = [Int32(id.index), Int32(other.index)]
            await host.perform { host in
                host.fill(id)
                let range = host.connections.stage(patternedBytes(6000))
                places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
            }
            await expectEqual(host.ends(of: id), [.queueOverflow])
            let received = try await reader.receive(6000)
            expectEqual(received, patternedBytes(6000))
        }
    }

    /// A flush in the middle of a turn ends the slow one, while the list of subscribers still names it.
    @Test func connectionThatEndsWithinATurnIsPassedOver() async throws {
        try await withSlowReader(queueBytesMax: 5000, { $0.turnBytesMax = 2000 }) {
            host,
            id,
            client in
            let address = try await host.listen()
            let reader = try TestSocket(to: address)
            let other = await host.accepted(1)
            let places = [Int32(id.index), Int32(other.index)]
            let count = 40
            await host.perform { host in
                host.fill(id)
                for number in 0..<count {
                    let range = host.connections.stage(patternedBytes(900))
                    places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
                    // Keeps the ranges of the first one apart.
                    host.connections.send([UInt8(number)], on: other)
                    host.connections.send(patternedBytes(10), on: id)
                }
            }
            await expectEqual(host.ends(of: id), [.queueOverflow])
            let expected = (0..<count).flatMap { patternedBytes(900) + [UInt8($0)] }
            let received = try await reader.receive(count * 901)
            expectEqual(received, expected)
            // Its place is in order for the next one.
            let next = try TestSocket(to: address)
            let successor = await host.accepted(2)
            expectEqual(successor.index, id.index)
            await host.perform { $0.connections.send([1, 2], on: successor) }
            let forSuccessor = try await next.receive(2)
            expectEqual(forSuccessor, [1, 2])
            withExtendedLifetime(client) {}
        }
    }

    @Test func connectionThatBreaksWhileBytesWaitIsToldOnce() async throws {
        try await withSlowReader(queueBytesMax: 100_000) { host, id, client in
            await host.perform { $0.fill(id) }
            client.reset()
            guard case .broken(let code) = await host.end(of: id) else {
                Issue.record("the connection did not break")
                return
            }
            expect(code != 0)
            await host.perform { $0.connections.send([1], on: id) }
            await expectEqual(host.ends(of: id).count, 1)
        }
    }
}

extension LoopHost {
    /// Writes that the kernel has seen on a connection.
    func writes(on id: ConnectionID) -> UInt32? {
        dataSegmentsSent(by: connections.slots[Int(id.index)].descriptor)
    }

    func queuedBytes(on id: ConnectionID) -> Int { connections.queuedBytes(id) }

    /// Sends until the kernel takes no more; what follows before the next turn is queued to the byte.
    func fill(_ id: ConnectionID) {
        while connections.isOpen(id), connections.queuedBytes(id) == 0 {
            connections.send(patternedBytes(1000), on: id)
            connections.flush()
        }
    }
}

/// A connection whose client's and kernel's buffers are small, so that bytes soon have to wait.
func withSlowReader(
    queueBytesMax: Int,
    _ change: (inout ConnectionLimits) -> Void = { _ in },
    _ body: (LoopHost, ConnectionID, TestSocket) async throws -> Void
) async throws {
    let size: Int32 = 4096
    try await withConnection(queueBytesMax: queueBytesMax, receiveBufferSize: size, change) {
        host,
        id,
        client in
        await host.perform { host in
            setBufferSize(size, SO_SNDBUF, of: host.connections.slots[Int(id.index)].descriptor)
        }
        try await body(host, id, client)
    }
}
