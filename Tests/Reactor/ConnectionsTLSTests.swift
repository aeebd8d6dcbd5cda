import Expectations
import Glibc

@testable import Reactor

@Suite("Connections over TLS", .timeLimit(.minutes(10)))
struct ConnectionsTLSTests {
    @Test func bothEndsOnOneLoopTalk() async throws {
        let identity = try TLSTestIdentity()
        let (server, client) = (try identity.server(), try identity.clientContext())
        try await withHost { host in
            let address = try await host.listen(tls: server)
            let id = try await host.perform {
                try $0.connections.connect(to: address, tls: client, hostName: "localhost")
            }
            await host.wait { $0.connections.isEstablished(id) ? () : nil }
            let accepted = await host.accepted()
            await host.perform { $0.connections.send([1, 2], on: id) }
            await expectEqual(host.received(2, on: accepted), [1, 2])
            await host.perform { $0.connections.send([3], on: accepted) }
            await expectEqual(host.received(1, on: id), [3])
        }
    }

    @Test func everythingSentInATurnIsOneRecord() async throws {
        try await withTLSConnection { host, id, client in
            await host.perform { host in
                for byte in 0..<100 as Range<UInt8> { host.connections.send([byte], on: id) }
            }
            let ciphertext = try await client.receive(plaintextCount: 100)
            expectEqual(client.peer.received, Array(0..<100))
            expectEqual(TLSRecord.all(in: ciphertext)?.count, 1)
        }
    }

    @Test func slowReaderGetsEverythingAndCloseNotify() async throws {
        try await withTLSConnection(bufferSize: 4096) { host, id, client in
            let bytes = patternedBytes(400_000)
            await host.perform { host in
                host.connections.send(bytes, on: id)
                host.connections.close(id)
            }
            await expect(host.queuedBytes(on: id) > 0, "the kernel took it all: no slow reader")
            client.peer.receive(try await client.socket.receiveAll())
            expectEqual(client.peer.received, bytes)
            expectEqual(client.peer.state, .closedByPeer)
            expectNil(client.peer.endOfStream())
            client.socket.close()
            await expectEqual(host.end(of: id), .closed)
        }
    }

    @Test func closeNotifyOfThePeerIsTheEndOfTheStream() async throws {
        try await withTLSConnection { host, id, client in
            client.send([7])
            client.peer.session.close()
            client.socket.send(client.peer.takeOutput())
            await host.wait { $0.count(of: .endOfStream(id)) == 1 ? () : nil }
            await expectEqual(host.receivedBytes(on: id), [7])
            await host.perform { host in
                host.connections.send([8], on: id)
                host.connections.close(id)
            }
            _ = try await client.receive(plaintextCount: 1)
            expectEqual(client.peer.received, [8])
        }
    }

    @Test func streamThatEndsWithoutCloseNotifyIsTruncated() async throws {
        try await withTLSConnection { host, id, client in
            client.socket.finishSending()
            let end = await host.end(of: id)
            expectEqual(
                end,
                .tlsFailed("tls receive: the stream ended without close_notify"),
                "\(end)"
            )
            await expectEqual(host.count(of: .endOfStream(id)), 0)
        }
    }

    @Test func peerThatLeavesDuringTheHandshakeIsTold() async throws {
        let tls = try TLSTestIdentity().server()
        try await withHost { host in
            let address = try await host.listen(tls: tls)
            let client = try TestSocket(to: address)
            let id = await host.accepted()
            client.send([22, 3, 1])
            client.finishSending()
            let end = await host.end(of: id)
            expectEqual(end, .tlsFailed("tls handshake: the peer ended the connection"), "\(end)")
        }
    }

    @Test func plainPeerIsToldWhyAndEnds() async throws {
        let tls = try TLSTestIdentity().server()
        try await withHost { host in
            let address = try await host.listen(tls: tls)
            let client = try TestSocket(to: address)
            let id = await host.accepted()
            client.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            guard case .tlsFailed(let text) = await host.end(of: id) else {
                Issue.record("the handshake did not fail")
                return
            }
            expect(text.contains("plain HTTP"))
            try await expectEqual(client.receiveAll(), [], "nothing that looks like an answer")
        }
    }

    @Test func bytesBeforeTheHandshakeAreAnError() async throws {
        let tls = try TLSTestIdentity().server()
        try await withHost { host in
            let address = try await host.listen(tls: tls)
            let client = try TestSocket(to: address)
            let id = await host.accepted()
            await expectEqual(host.isEstablished(id), false)
            await host.perform { $0.connections.send([1], on: id) }
            let end = await host.end(of: id)
            expectEqual(
                end,
                .tlsFailed("tls send: data before the handshake is complete"),
                "\(end)"
            )
            withExtendedLifetime(client) {}
        }
    }

    @Test func connectionClosedDuringTheHandshakeEnds() async throws {
        let tls = try TLSTestIdentity().server()
        try await withHost { host in
            let address = try await host.listen(tls: tls)
            let client = try TestSocket(to: address)
            let id = await host.accepted()
            await host.perform { $0.connections.close(id) }
            let received = try await client.receiveAll()
            expectEqual(received, [])
            client.close()
            await expectEqual(host.end(of: id), .closed)
        }
    }
}

/// A TLS client: a session without a socket, and a socket.
private final class TLSTestClient {
    let socket: TestSocket
    let peer: TLSTestPeer

    init(to address: SocketAddress, context: TLSContext, bufferSize: Int32?) throws {
        socket = try TestSocket(to: address, receiveBufferSize: bufferSize)
        peer = try TLSTestPeer(context, .client(hostName: "localhost"))
    }

    /// Shakes hands, up to and with the server's session ticket, which comes last.
    func shakeHands() async throws {
        peer.session.startHandshake()
        socket.send(peer.takeOutput())
        while !peer.isHandshakeComplete { peer.receive(try await receiveRecord()) }
        socket.send(peer.takeOutput())
        peer.receive(try await receiveRecord())
    }

    func send(_ plaintext: [UInt8]) {
        _ = peer.send(plaintext)
        socket.send(peer.takeOutput())
    }

    /// Reads records until `plaintextCount` bytes have come, and answers the records.
    func receive(plaintextCount: Int) async throws -> [UInt8] {
        var ciphertext: [UInt8] = []
        while peer.received.count < plaintextCount {
            let record = try await receiveRecord()
            peer.receive(record)
            ciphertext += record
        }
        return ciphertext
    }

    private func receiveRecord() async throws -> [UInt8] {
        let header = try await socket.receive(5)
        return try await header + socket.receive(Int(header[3]) << 8 | Int(header[4]))
    }
}

private func withTLSConnection(
    bufferSize: Int32? = nil,
    _ body: (LoopHost, ConnectionID, TLSTestClient) async throws -> Void
) async throws {
    let identity = try TLSTestIdentity()
    let (server, client) = (try identity.server(), try identity.clientContext())
    try await withHost { host in
        let address = try await host.listen(tls: server)
        let client = try TLSTestClient(to: address, context: client, bufferSize: bufferSize)
        let id = await host.accepted()
        try await client.shakeHands()
        if let bufferSize {
            await host.perform { host in
                let descriptor = host.connections.slots[Int(id.index)].descriptor
                setBufferSize(bufferSize, SO_SNDBUF, of: descriptor)
            }
        }
        try await body(host, id, client)
    }
}
