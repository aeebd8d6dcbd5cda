import CLinux
import Expectations
import Glibc
import SeededRandom

@testable import Reactor

@Suite("Sends by io_uring", .enabled(if: ringIsOffered), .timeLimit(.minutes(10)))
struct SendRingTests {
    private struct NoRing: Error {}

    /// Two connected sockets that do not block.
    private struct Pair: ~Copyable {
        let near: Int32
        private(set) var far: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        deinit {
            close(near)
            if far >= 0 { close(far) }
        }

        mutating func closeFar() {
            close(far)
            far = -1
        }

        func received() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = recv(far, &bytes, bytes.count, 0)
            return Array(bytes.prefix(max(0, count)))
        }
    }

    @Test func everySendHasItsResult() throws {
        guard var ring = SendRing() else { throw NoRing() }
        let open = try Pair()
        var closed = try Pair()
        closed.closeFar()
        let results: [Int?] = "hello".utf8.map(\.self).withUnsafeBytes { hello in
            ring.add(hello, to: open.near)
            ring.add(hello, to: closed.near)
            ring.add(hello, to: -1)
            ring.add(UnsafeRawBufferPointer(rebasing: hello.prefix(2)), to: open.near)
            let isSubmitted = ring.submit()
            expect(isSubmitted)
            return (0..<4).map { ring.result(of: $0) }
        }
        expectEqual(results, [5, -Int(EPIPE), -Int(EBADF), 2])
        expectEqual(open.received(), Array("hellohe".utf8))
    }

    /// It must not wait for a reader: the loop would stand still.
    @Test func fullSocketTakesAPartOrNothing() throws {
        guard var ring = SendRing() else { throw NoRing() }
        let pair = try Pair()
        let much = [UInt8](repeating: 7, count: 8 << 20)
        var results: [Int?] = []
        much.withUnsafeBytes { much in
            for _ in 0..<2 {
                ring.add(much, to: pair.near)
                let isSubmitted = ring.submit()
                expect(isSubmitted)
                results.append(ring.result(of: 0))
            }
        }
        let sent = try require(results[0])
        expect(sent > 0 && sent < much.count)
        expectEqual(results[1], -Int(EAGAIN))
        expect(pair.received().allSatisfy { $0 == 7 })
    }

    /// A socket of this kind takes some 200 short pieces; the others say that it is full.
    @Test(arguments: [1, 2, 100, SendRing.countMax])
    func manyRoundsKeepTheOrderOfEachSocket(count: Int) throws {
        guard var ring = SendRing() else { throw NoRing() }
        let pair = try Pair()
        var random = SeededGenerator(seed: UInt64(count))
        // More rounds than entries in the kernel's queue of results.
        for _ in 0..<6 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes.withUnsafeBytes { bytes in
                for index in 0..<count {
                    let byte = UnsafeRawBufferPointer(rebasing: bytes[index..<index + 1])
                    ring.add(byte, to: pair.near)
                }
                let isSubmitted = ring.submit()
                expect(isSubmitted)
            }
            let sent = (0..<count).prefix { ring.result(of: $0) == 1 }.count
            expect(sent >= min(count, 100))
            expect((sent..<count).allSatisfy { ring.result(of: $0) == -Int(EAGAIN) })
            expectEqual(pair.received(), Array(bytes.prefix(sent)))
        }
    }

    // MARK: Connections

    private static let ways = [1, 8, Int.max]

    /// The same with and without the ring, and with the ring only for some flushes.
    @Test(arguments: ways, [false, true])
    func fanOutReachesAllThatRead(ringSendsMin: Int, hasSlowOnes: Bool) async throws {
        let count = 24
        try await withHost(connectionsMax: 64, { $0.ringSendsMin = ringSendsMin }) { host in
            let address = try await host.listen()
            var clients: [TestSocket] = []
            var ids: [ConnectionID] = []
            for index in 0..<count {
                clients.append(
                    try TestSocket(to: address, receiveBufferSize: hasSlowOnes ? 4096 : nil)
                )
                ids.append(await host.accepted(index))
            }
            let pieces = (0..<40).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 500) }
            for (number, piece) in pieces.enumerated() {
                await host.perform { [ids] host in
                    // One of its own between what all receive: its bytes are not contiguous.
                    host.connections.send([255], on: ids[number % count])
                    let range = host.connections.stage(piece)
                    let places = ids.map { Int32($0.index) }
                    places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
                    if number % 3 == 0 {
                        host.connections.send([254], on: ids[number % count])
                    }
                }
            }
            for (index, client) in clients.enumerated() {
                var expected: [UInt8] = []
                for (number, piece) in pieces.enumerated() {
                    if number % count == index { expected.append(255) }
                    expected += piece
                    if number % count == index, number % 3 == 0 { expected.append(254) }
                }
                let received = try await client.receive(expected.count)
                expectEqual(received, expected, "client \(index)")
            }
            let counters = await host.counters
            expect(counters.ringWrites <= counters.writes)
            expectEqual((counters.ringWrites > 0), (ringSendsMin < .max))
        }
    }

    /// One less than is worth a call, just enough, and a full ring.
    @Test(arguments: [(7, 0), (8, 8), (SendRing.countMax, UInt64(SendRing.countMax))])
    func ringIsUsedFromItsLeastNumberOn(count: Int, byRing: UInt64) async throws {
        let counters = try await countersOfFanOut(to: count, ringSendsMin: 8)
        expectEqual(counters.writes, UInt64(count))
        expectEqual(counters.ringWrites, byRing)
    }

    /// Before the first send, because there may be no descriptor for it then.
    @Test(arguments: [(7, 8, false), (8, 8, true), (8, .max, false)])
    func ringIsOpenFromTheStart(connectionsMax: Int, ringSendsMin: Int, isOpen: Bool) async throws {
        try await withHost(
            connectionsMax: connectionsMax,
            { $0.ringSendsMin = ringSendsMin }
        ) { host in
            await host.perform { $0.connections.flush() }
            await expectEqual(host.perform { $0.connections.ring != nil }, isOpen)
        }
    }

    @Test func moreThanTheRingTakesAreSentInSeveralCalls() async throws {
        let count = SendRing.countMax + 1
        let counters = try await countersOfFanOut(to: count, ringSendsMin: 1)
        expectEqual(counters.writes, UInt64(count))
        expectEqual(counters.ringWrites, UInt64(count))
        expectEqual(counters.turnsSplit, 0)
    }

    /// Sends each client one byte in one flush.
    private func countersOfFanOut(
        to count: Int,
        ringSendsMin: Int
    ) async throws -> ConnectionCounters {
        try await withHost(
            connectionsMax: count,
            {
                $0.ringSendsMin = ringSendsMin
                $0.turnWritesMax = .max
            }
        ) { host in
            let address = try await host.listen()
            var clients: [TestSocket] = []
            for index in 0..<count {
                clients.append(try TestSocket(to: address))
                _ = await host.accepted(index)
            }
            await host.perform { host in
                let range = host.connections.stage([42])
                let places = host.connections.openConnections().map { Int32($0.index) }
                places.withUnsafeBufferPointer { host.connections.send(range, toEach: $0) }
            }
            for client in clients {
                let received = try await client.receive(1)
                expectEqual(received, [42])
            }
            return await host.counters
        }
    }

    @Test(arguments: ways)
    func peerThatHasGoneEndsOnlyItsConnection(ringSendsMin: Int) async throws {
        try await withHost({ $0.ringSendsMin = ringSendsMin }) { host in
            let address = try await host.listen()
            var clients: [TestSocket] = []
            var ids: [ConnectionID] = []
            for index in 0..<10 {
                clients.append(try TestSocket(to: address))
                ids.append(await host.accepted(index))
            }
            clients[3].reset()
            // The kernel may report the reset with the first send or before it.
            for round in 0..<2 {
                await host.perform { [ids] host in
                    for id in ids { host.connections.send([UInt8(round)], on: id) }
                }
            }
            for (index, client) in clients.enumerated() where index != 3 {
                let received = try await client.receive(2)
                expectEqual(received, [0, 1])
            }
            guard case .broken = await host.end(of: ids[3]) else {
                Issue.record("its end is another one")
                return
            }
            await expectEqual(host.perform { $0.connections.count }, 9)
        }
    }
}

/// Whether this kernel, and what permits calls to it, has io_uring.
private let ringIsOffered = SendRing() != nil
