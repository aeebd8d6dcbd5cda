import Expectations
import Glibc

@testable import Reactor

@Suite("Connections: accepting, connecting, receiving", .timeLimit(.minutes(10)))
struct ConnectionsTests {
    // MARK: Accepting and receiving

    @Test func acceptedConnectionReceives() async throws {
        try await withConnection { host, id, client in
            client.send([1, 2, 3])
            let bytes = await host.received(3, on: id)
            expectEqual(bytes, [1, 2, 3])
            let (count, isOpen) = await (host.connectionCount, host.isOpen(id))
            expectEqual(count, 1)
            expect(isOpen)
        }
    }

    @Test func peerAddressIsTold() async throws {
        try await withConnection { host, id, _ in
            let peer = await host.perform { $0.connections.peer(id) }
            expectEqual(peer?.isLoopback, true)
            expect((peer?.port ?? 0) > 0)
        }
    }

    /// A turn takes 256 events from the kernel; the rest wait for the next.
    @Test func moreConnectionsThanATurnTakesAreServed() async throws {
        try await withHost(connectionsMax: 300) { host in
            let address = try await host.listen()
            let clients = try (0..<300).map { _ in try TestSocket(to: address) }
            _ = await host.accepted(299)
            // Within one turn, so that all are ready at once.
            await host.perform { _ in for client in clients { client.send([7]) } }
            let total = await host.wait { host in
                let received = host.events.count { if case .received = $0 { true } else { false } }
                return received == 300 ? received : nil
            }
            expectEqual(total, 300)
        }
    }

    /// The loop's buffer has 64 KiB; a turn reads one of them from each connection.
    @Test func messageLargerThanTheBufferComesInPieces() async throws {
        try await withConnection { host, id, client in
            let bytes = patternedBytes(200_000)
            let sender = Task.detached {
                for start in stride(from: 0, to: bytes.count, by: 1000) {
                    client.send(Array(bytes[start..<start + 1000]))
                }
            }
            let received = await host.received(bytes.count, on: id)
            await sender.value
            expectEqual(received, bytes)
        }
    }

    @Test func connectionThatIsNotReadKeepsItsBytesInTheKernel() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            let second = try TestSocket(to: address)
            let other = await host.accepted(1)
            await host.perform { $0.connections.setReading(false, on: id) }
            // What the second client sends is there later than what the first has sent.
            first.send([1, 2])
            second.send([3])
            _ = await host.received(1, on: other)
            let unread = await host.receivedBytes(on: id)
            expectEqual(unread, [])
            await host.perform { $0.connections.setReading(true, on: id) }
            let bytes = await host.received(2, on: id)
            expectEqual(bytes, [1, 2])
        }
    }

    @Test func endOfThePeersStreamIsToldOnce() async throws {
        try await withConnection { host, id, client in
            client.send([1])
            client.finishSending()
            await host.wait { $0.count(of: .endOfStream(id)) > 0 ? () : nil }
            for _ in 0..<5 { await host.perform { _ in } }
            let (count, bytes) = await (
                host.count(of: .endOfStream(id)), host.receivedBytes(on: id)
            )
            expectEqual(count, 1)
            expectEqual(bytes, [1])
            let watches = await host.perform {
                $0.connections.slots[Int(id.index)].flags.contains(.watchesInput)
            }
            expect(!watches, "the kernel would report the end again and again")
        }
    }

    @Test func halfClosedConnectionStillSends() async throws {
        try await withConnection { host, id, client in
            client.finishSending()
            await host.wait { $0.count(of: .endOfStream(id)) > 0 ? () : nil }
            await host.perform { host in
                host.connections.send([5, 6], on: id)
                host.connections.close(id)
            }
            let received = try await client.receiveAll()
            expectEqual(received, [5, 6])
            await expectEqual(host.end(of: id), .closed)
        }
    }

    @Test func resetByThePeerEndsTheConnection() async throws {
        try await withConnection { host, id, client in
            client.reset()
            await expectEqual(host.end(of: id), .broken(code: ECONNRESET))
            await expectEqual(host.connectionCount, 0)
        }
    }

    /// Linux answers reads of such a socket with the end of the stream and keeps reporting the error.
    @Test func resetAfterTheEndOfTheStreamEndsTheConnection() async throws {
        try await withConnection { host, id, client in
            client.finishSending()
            await host.wait { $0.count(of: .endOfStream(id)) > 0 ? () : nil }
            client.reset()
            guard case .broken(let code) = await host.end(of: id) else {
                Issue.record("the connection did not break")
                return
            }
            expect(code != 0)
            await expectEqual(host.count(of: .endOfStream(id)), 1)
        }
    }

    // MARK: Connecting

    @Test func connectedSocketSendsAndReceives() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let id = try await host.perform {
                try $0.connections.connect(to: address, tls: nil, hostName: "localhost")
            }
            await host.wait { $0.connections.isEstablished(id) ? () : nil }
            let accepted = await host.accepted()
            await host.perform { host in
                host.connections.send([1], on: id)
                host.connections.send([2], on: accepted)
            }
            await expectEqual(host.received(1, on: accepted), [1])
            await expectEqual(host.received(1, on: id), [2])
        }
    }

    @Test func connectionComesFromTheSourceThatIsAskedFor() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let source = try require(SocketAddress(host: "127.0.0.9", port: 0))
            _ = try await host.perform {
                try $0.connections.connect(
                    to: address,
                    from: source,
                    tls: nil,
                    hostName: "localhost"
                )
            }
            let accepted = await host.accepted()
            let peer = await host.perform { $0.connections.peer(accepted) }
            expectEqual(peer?.host, "127.0.0.9")
        }
    }

    @Test func sourceThatIsNotOfThisMachineIsAnError() async throws {
        try await withHost { host in
            let address = try await host.listen()
            // For documentation, so nobody has it (RFC 5737).
            let source = try require(SocketAddress(host: "192.0.2.1", port: 0))
            let error = await host.perform { host in
                #expect(throws: SystemError.self) {
                    try host.connections.connect(
                        to: address,
                        from: source,
                        tls: nil,
                        hostName: "localhost"
                    )
                }
            }
            expectEqual(error?.code, EADDRNOTAVAIL)
            await expectEqual(host.connectionCount, 0)
        }
    }

    @Test func bytesQueuedBeforeTheConnectionIsMadeAreSent() async throws {
        try await withHost { host in
            let address = try await host.listen()
            try await host.perform { host in
                let id = try host.connections.connect(
                    to: address,
                    tls: nil,
                    hostName: "localhost"
                )
                host.connections.send([1, 2], on: id)
                host.connections.close(id)
            }
            let accepted = await host.accepted()
            await expectEqual(host.received(2, on: accepted), [1, 2])
        }
    }

    @Test func refusedConnectionIsBroken() async throws {
        try await withHost { host in
            let address = try await host.listen(on: "127.0.0.77")
            await host.perform { $0.connections.stopListening() }
            let id = try await host.perform {
                try $0.connections.connect(to: address, tls: nil, hostName: "localhost")
            }
            await expectEqual(host.end(of: id), .broken(code: ECONNREFUSED))
            await expectEqual(host.isEstablished(id), false)
        }
    }

    // MARK: Several and none

    @Test func listenersHaveAnAddressEach() async throws {
        try await withHost { host in
            let first = try await host.listen()
            let second = try await host.listen()
            expect(first.port != second.port)
            let client = try TestSocket(to: second)
            let id = await host.accepted()
            client.send([1])
            await expectEqual(host.received(1, on: id), [1])
        }
    }

    @Test func connectionsStayWhenListeningStops() async throws {
        try await withConnection { host, id, client in
            let address = try await host.listen(on: "127.0.0.78")
            await host.perform { $0.connections.stopListening() }
            let error = #expect(throws: SystemTestError.self) { try TestSocket(to: address) }
            expectEqual(error?.code, ECONNREFUSED)
            client.send([1])
            await expectEqual(host.received(1, on: id), [1])
        }
    }

    @Test func everyOpenConnectionIsListed() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let clients = try (0..<3).map { _ in try TestSocket(to: address) }
            let middle = await host.accepted(1)
            let last = await host.accepted(2)
            let first = await host.accepted(0)
            await host.perform { $0.connections.abort(middle) }
            let open = await host.perform { $0.connections.openConnections() }
            expectEqual(open, [first, last])
            withExtendedLifetime(clients) {}
        }
    }
}
