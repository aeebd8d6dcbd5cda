import COpenSSL
import Expectations
import Synchronization

@testable import Reactor

@Suite("TLS session: data, closing and failure", .timeLimit(.minutes(10)))
struct TLSSessionTests {
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func dataArrivesInEverySlicing(version: TLSVersion) throws {
        let (client, server) = try connectedPair(versions: version...version)
        let message = patternedBytes(700)
        // A record adds a header, a tag and in TLS 1.2 a nonce: fewer than 40 bytes.
        let positions = (1...740).map { Slicing.split(at: $0) }
        for slicing in [.whole, .byteByByte] + positions {
            for (sender, receiver) in [(client, server), (server, client)] {
                expectNil(sender.send(message))
                receiver.receive(sender.takeOutput(), slicing)
                try require(receiver.takeReceived() == message, "\(slicing)")
            }
        }
    }

    @Test(arguments: [1, 16_384, 16_385, 100_000], [TLSVersion.tls12, .tls13])
    func dataOfAnyLengthArrives(length: Int, version: TLSVersion) throws {
        let (client, server) = try connectedPair(versions: version...version)
        let message = patternedBytes(length)
        expectNil(client.send(message))
        let ciphertext = client.takeOutput()
        expectEqual(TLSRecord.all(in: ciphertext)?.count, (length + 16_383) / 16_384)
        server.receive(ciphertext)
        expectEqual(server.received, message)
    }

    @Test func plaintextBufferDrainsRecordThatWasMissingOneByte() throws {
        let (client, server) = try connectedPair()
        let message = patternedBytes(2 * 16_384)
        expectNil(client.send(message))
        let ciphertext = client.takeOutput()
        let first = 5 + Int(ciphertext[3]) << 8 + Int(ciphertext[4])
        server.receive(ciphertext[..<(first - 1)])
        expect(server.received.isEmpty)
        // The last byte of one full record and the whole of the next: the most there can be.
        server.receive(ciphertext[(first - 1)...])
        expectEqual(server.received, message)
    }

    @Test func joinedWritesTakeOneRecord() throws {
        let (client, server) = try connectedPair()
        let message = patternedBytes(130)
        let joined = (0..<64).flatMap { _ in message }
        expectNil(server.send(joined))
        let ciphertext = server.takeOutput()
        expectEqual(TLSRecord.all(in: ciphertext)?.count, 1)
        expectEqual(ciphertext.count, joined.count + 22)
        client.receive(ciphertext)
        expectEqual(client.received, joined)
    }

    @Test func outputOfSeveralSendsIsOneRegion() throws {
        let (client, server) = try connectedPair()
        for byte in UInt8(0)..<64 { expectNil(server.send([byte])) }
        let ciphertext = server.takeOutput()
        expectEqual(TLSRecord.all(in: ciphertext)?.count, 64)
        client.receive(ciphertext)
        expectEqual(client.received, Array(0..<64))
    }

    @Test func emptySendWritesNothing() throws {
        let (client, _) = try connectedPair()
        expectNil(client.send([]))
        expect(client.takeOutput().isEmpty)
    }

    @Test func dataWithTheLastFlightOfTheHandshakeIsReceived() throws {
        let identity = try TLSTestIdentity()
        let client = try TLSTestPeer(identity.clientContext(), .client(hostName: "localhost"))
        let server = try TLSTestPeer(identity.serverContext(), .server)
        client.session.startHandshake()
        server.receive(client.takeOutput())
        client.receive(server.takeOutput())
        expectEqual(client.state, .open)
        expectNil(client.send([1, 2, 3]))
        server.receive(client.takeOutput())
        expectEqual(server.state, .open)
        expectEqual(server.received, [1, 2, 3])
    }

    @Test func sessionsOfOneLoopShareItsBuffers() throws {
        let identity = try TLSTestIdentity()
        let serverContext = try identity.serverContext()
        let clientContext = try identity.clientContext()
        let loop = TLSBuffers()
        var pairs: [(client: TLSTestPeer, server: TLSTestPeer, toServer: [UInt8])] = []
        for _ in 0..<8 {
            let client = try TLSTestPeer(clientContext, .client(hostName: "localhost"))
            let server = try TLSTestPeer(serverContext, .server, buffers: loop)
            client.session.startHandshake()
            pairs.append((client, server, client.takeOutput()))
        }
        // A piece for each server in turn, so that all stand in the middle of a message at once.
        while pairs.contains(where: { !$0.toServer.isEmpty }) {
            for index in pairs.indices {
                let (client, server, toServer) = pairs[index]
                server.receive(toServer.prefix(50))
                client.receive(server.takeOutput())
                pairs[index].toServer = toServer.dropFirst(50) + client.takeOutput()
            }
        }
        for (client, server, _) in pairs {
            expectEqual(client.state, .open)
            expectEqual(server.state, .open)
        }
    }

    // MARK: - Order of calls

    @Test func sendBeforeTheHandshakeIsRefused() throws {
        let identity = try TLSTestIdentity()
        let client = try TLSTestPeer(identity.clientContext(), .client(hostName: "localhost"))
        expectEqual(client.send([1])?.message, "data before the handshake is complete")
        client.session.startHandshake()
        expectEqual(client.send([1])?.message, "data before the handshake is complete")
        expectEqual(client.state, .handshaking)
    }

    @Test func closeBeforeTheHandshakeWritesNothing() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        server.session.close()
        expect(server.takeOutput().isEmpty)
        expectEqual(server.state, .handshaking)
    }

    @Test func sendAfterCloseIsRefused() throws {
        let (client, _) = try connectedPair()
        client.session.close()
        expectEqual(client.send([1])?.message, "data after close_notify")
    }

    @Test func sendOnFailedSessionTellsTheFailure() throws {
        let (client, server) = try connectedPair()
        fail(server, by: client)
        let failure = try require(server.failure)
        expectEqual(server.send([1]), failure)
        expectEqual(server.endOfStream(), failure)
        _ = server.takeOutput()
        server.session.close()
        server.session.startHandshake()
        expect(server.takeOutput().isEmpty)
    }

    // MARK: - Closing, RFC 8446 §6.1

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func eachSideClosesItsDirection(version: TLSVersion) throws {
        let (client, server) = try connectedPair(versions: version...version)
        client.session.close()
        server.receive(client.takeOutput())
        expectEqual(server.state, .closedByPeer)
        expectNil(server.endOfStream())
        expectEqual(client.state, .open)

        // RFC 8446: a closure alert does not affect the other direction.
        expectNil(server.send([1, 2]))
        server.session.close()
        client.receive(server.takeOutput())
        expectEqual(client.received, [1, 2])
        expectEqual(client.state, .closedByPeer)
        expectNil(client.endOfStream())
    }

    @Test func closeIsWrittenOnce() throws {
        let (client, _) = try connectedPair()
        client.session.close()
        expectEqual(TLSRecord.all(in: client.takeOutput())?.count, 1)
        client.session.close()
        expect(client.takeOutput().isEmpty)
    }

    @Test func dataBeforeCloseInOnePieceIsReceived() throws {
        let (client, server) = try connectedPair()
        expectNil(client.send([1, 2, 3]))
        client.session.close()
        server.receive(client.takeOutput())
        expectEqual(server.received, [1, 2, 3])
        expectEqual(server.state, .closedByPeer)
    }

    @Test func dataAfterTheClosureOfThePeerIsIgnored() throws {
        let (client, server) = try connectedPair()
        client.session.close()
        server.receive(client.takeOutput() + [1, 2, 3])
        server.receive([4, 5, 6])
        expectEqual(server.state, .closedByPeer)
        expect(server.received.isEmpty)
    }

    @Test func endWithoutCloseNotifyIsAnError() throws {
        let (client, server) = try connectedPair()
        expectNil(client.send([1, 2, 3]))
        server.receive(client.takeOutput().dropLast())
        expect(server.received.isEmpty)
        expectEqual(server.state, .open)
        expectEqual(server.endOfStream()?.message, "the stream ended without close_notify")
    }

    @Test func endDuringTheHandshakeIsAnError() throws {
        let server = try TLSTestPeer(TLSTestIdentity().serverContext(), .server)
        expectEqual(
            server.endOfStream()?.description,
            "tls handshake: the peer ended the connection"
        )
    }

    // MARK: - Failure

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func changedRecordFailsTheSessionAndAlertsThePeer(version: TLSVersion) throws {
        let (client, server) = try connectedPair(versions: version...version)
        fail(server, by: client)
        expectEqual(server.failure?.context, "tls connection")
        expectEqual(server.failure?.message.contains("bad record mac"), true)
        client.receive(server.takeOutput())
        expectEqual(client.failure?.message.contains("alert bad record mac"), true)
    }

    @Test func dataBeforeAChangedRecordIsGiven() throws {
        let (client, server) = try connectedPair()
        expectNil(client.send([1, 2, 3]))
        let authentic = client.takeOutput()
        expectNil(client.send([4]))
        var changed = client.takeOutput()
        changed[changed.count - 1] ^= 1
        server.receive(authentic + changed)
        expectEqual(server.received, [1, 2, 3])
        expect(server.failure != nil)
    }

    @Test func replayedRecordFailsTheSession() throws {
        let (client, server) = try connectedPair()
        expectNil(client.send([1]))
        let record = client.takeOutput()
        server.receive(record + record)
        expectEqual(server.received, [1])
        expect(server.failure != nil)
    }

    @Test func recordOverTheLengthLimitFailsTheSession() throws {
        let (_, server) = try connectedPair()
        // RFC 8446 §5.2: the length "MUST NOT exceed 2^14 + 256 bytes".
        let length = 16_384 + 256 + 1
        server.receive([23, 3, 3, UInt8(length >> 8), UInt8(length & 255)])
        expect(server.failure != nil)
    }

    @Test func failureOfOneSessionIsNotBlamedOnAnother() throws {
        let identity = try TLSTestIdentity()
        let loop = TLSBuffers()
        let broken = try TLSTestPeer(identity.serverContext(), .server, buffers: loop)
        broken.receive(Array("GET / HTTP/1.1\r\n".utf8))
        _ = broken.takeOutput()
        let sound = try TLSTestPeer(identity.serverContext(), .server, buffers: loop)
        let client = try TLSTestPeer(identity.clientContext(), .client(hostName: "localhost"))
        client.session.startHandshake()
        exchange(client, sound)
        expect(broken.failure != nil)
        expectEqual(sound.state, .open)
    }

    // MARK: - Keys

    @Test func sendingKeyIsReplacedBeforeItIsUsedUp() throws {
        let (client, server) = try connectedPair()
        server.session.recordsUntilKeyUpdate = 3
        var recordCounts: [Int] = []
        for byte in UInt8(0)..<6 {
            expectNil(server.send([byte]))
            let ciphertext = server.takeOutput()
            recordCounts.append(TLSRecord.all(in: ciphertext)?.count ?? 0)
            client.receive(ciphertext)
        }
        expectEqual(client.received, Array(0..<6))
        // The third send carries a KeyUpdate before its data; the count then starts anew.
        expectEqual(recordCounts, [1, 1, 2, 1, 1, 1])
        let recordsLeft = server.session.recordsUntilKeyUpdate
        expectEqual(recordsLeft, TLSSession.recordsPerKeyMax - 3)
    }

    @Test func keyOfTLS12IsKept() throws {
        let (client, server) = try connectedPair(versions: .tls12 ... .tls12)
        server.session.recordsUntilKeyUpdate = 1
        expectNil(server.send([1]))
        expectNil(server.send([2]))
        client.receive(server.takeOutput())
        expectEqual(client.received, [1, 2])
    }

    // MARK: - Memory

    @Test func thousandSessionsAreFreed() throws {
        let identity = try TLSTestIdentity()
        let serverContext = try identity.serverContext()
        let clientContext = try identity.clientContext()
        // OpenSSL tells when it frees an SSL object; the marker tells ours from other tests'.
        let index = CRYPTO_get_ex_new_index(
            CRYPTO_EX_INDEX_SSL,
            0,
            nil,
            nil,
            nil
        ) { _, marker, _, _, _, _ in
            if marker == sessionMarker.pointer {
                freedSessionCount.add(1, ordering: .relaxed)
            }
        }
        weak var lastBuffers: TLSBuffers?
        for _ in 0..<500 {
            let (client, server) = try connectedPair(server: serverContext, client: clientContext)
            SSL_set_ex_data(client.session.ssl, index, sessionMarker.pointer)
            SSL_set_ex_data(server.session.ssl, index, sessionMarker.pointer)
            lastBuffers = server.buffers
        }
        expectEqual(freedSessionCount.load(ordering: .relaxed), 1000)
        expectNil(lastBuffers)
    }

    /// Makes `receiver` fail by a record whose tag is wrong.
    private func fail(_ receiver: TLSTestPeer, by sender: TLSTestPeer) {
        expectNil(sender.send([1, 2, 3]))
        var record = sender.takeOutput()
        record[record.count - 1] ^= 1
        receiver.receive(record)
    }
}

private let freedSessionCount = Atomic(0)

/// An address that is nobody else's.
private final class Marker: Sendable {
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
private let sessionMarker = Marker()
