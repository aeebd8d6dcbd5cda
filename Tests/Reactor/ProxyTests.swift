import Expectations
import Glibc

@testable import Reactor

/// Connections of trusted proxies, and unix sockets.
@Suite("Connections of proxies", .timeLimit(.minutes(10)))
struct ProxyTests {
    static let local = PeerBlocks([.block(AddressBlock(trusted: "127.0.0.0/8"))])
    static let header = Array("PROXY TCP4 192.0.2.1 192.0.2.9 1025 443\r\n".utf8)

    @Test(arguments: [0, 1, 20, 40, 41, 42])
    func clientOfAHeaderIsThePeerHoweverItIsCut(cut: Int) async throws {
        try await withHost({ $0.trust.sendHeaders = ProxyTests.local }) { host in
            let client = try TestSocket(to: try await host.listen())
            let id = await host.accepted()
            let bytes = ProxyTests.header + [1, 2]
            client.send(Array(bytes[..<cut]))
            client.send(Array(bytes[cut...]))
            await expectEqual(host.received(2, on: id), [1, 2])
            let peer = await host.perform { $0.connections.peer(id) }
            expectEqual(peer?.description, "192.0.2.1:1025")
        }
    }

    @Test func connectionWithoutItsHeaderIsEnded() async throws {
        try await withHost({ $0.trust.sendHeaders = ProxyTests.local }) { host in
            let client = try TestSocket(to: try await host.listen())
            let id = await host.accepted()
            client.send(Array("GET /".utf8))
            await expectEqual(host.end(of: id), .proxyHeaderRefused(.notAHeader))
            await expect(host.receivedBytes(on: id).isEmpty)
        }
    }

    /// From the proxy's machine, too.
    @Test func operatorsConnectWithoutAHeader() async throws {
        try await withHost({ $0.trust.sendHeaders = ProxyTests.local }) { host in
            let client = try TestSocket(to: try await host.listen(kind: .admin))
            let id = await host.accepted()
            client.send(Array("GET /".utf8))
            await expectEqual(host.received(5, on: id), Array("GET /".utf8))
            let peer = await host.perform { $0.connections.peer(id)?.host }
            expectEqual(peer, "127.0.0.1")
        }
    }

    @Test func headerOfAStrangerIsNotRead() async throws {
        let others = PeerBlocks([.block(AddressBlock(trusted: "10.0.0.0/8"))])
        try await withHost({ $0.trust.sendHeaders = others }) { host in
            let client = try TestSocket(to: try await host.listen())
            let id = await host.accepted()
            client.send(ProxyTests.header)
            await expectEqual(host.received(ProxyTests.header.count, on: id), ProxyTests.header)
            let peer = await host.perform { $0.connections.peer(id)?.host }
            expectEqual(peer, "127.0.0.1")
        }
    }

    @Test func headerComesBeforeTLS() async throws {
        let identity = try TLSTestIdentity()
        let (server, context) = (try identity.server(), try identity.clientContext())
        try await withHost({ $0.trust.sendHeaders = ProxyTests.local }) { host in
            let address = try await host.listen(tls: server)
            let id = try await host.perform {
                try $0.connections.connect(to: address, tls: nil, hostName: "localhost")
            }
            await host.wait { $0.connections.isEstablished(id) ? () : nil }
            await host.perform { $0.connections.send(ProxyTests.header, on: id) }
            try await host.perform {
                try $0.connections.startTLS(context, hostName: "localhost", on: id)
            }
            await host.wait { $0.connections.isEstablished(id) ? () : nil }
            let accepted = await host.accepted()
            await host.perform { $0.connections.send([1, 2], on: id) }
            await expectEqual(host.received(2, on: accepted), [1, 2])
            let peer = await host.perform { $0.connections.peer(accepted)?.host }
            expectEqual(peer, "192.0.2.1")
        }
    }

    @Test func connectionsBehindAProxyAreCountedForTheirClients() async throws {
        let census = ConnectionCensus(connectionsMax: 16, perAddressMax: 1)
        try await withHost({ $0.trust.sendHeaders = ProxyTests.local }, census: census) { host in
            let address = try await host.listen()
            let clients = try (0..<3).map { _ in try TestSocket(to: address) }
            let ids = [
                await host.accepted(0), await host.accepted(1), await host.accepted(2),
            ]
            expectEqual(census.count, 3)
            clients[0].send(ProxyTests.header + [1])
            await expectEqual(host.received(1, on: ids[0]), [1])
            clients[1].send(Array("PROXY TCP4 192.0.2.2 192.0.2.9 1025 443\r\n".utf8) + [2])
            await expectEqual(host.received(1, on: ids[1]), [2])
            // A second one of the first client.
            clients[2].send(ProxyTests.header + [3])
            await expect(host.receivedBytes(on: ids[2]).isEmpty)
            clients[2].finishSending()
            await expectEqual(host.end(of: ids[2]), .closed)
            await host.perform { host in
                for id in host.connections.openConnections() { host.connections.abort(id) }
            }
            expectEqual(census.count, 0)
        }
    }

    @Test func requestsMoveAConnectionFromClientToClient() async throws {
        let census = ConnectionCensus(connectionsMax: 16, perAddressMax: 1)
        try await withHost({ $0.trust.forward = ProxyTests.local }, census: census) { host in
            let address = try await host.listen()
            let clients = try (0..<2).map { _ in try TestSocket(to: address) }
            let (one, other) = (await host.accepted(0), await host.accepted(1))
            let (first, second) = (
                SocketAddress(IPAddress("192.0.2.1")!, port: 0),
                SocketAddress(IPAddress("2001:db8::1")!, port: 0)
            )
            let (answers, peers) = await host.perform { host in
                var answers = [host.connections.isForwarding(one)]
                answers.append(host.connections.attribute(one, to: first))
                let before = host.connections.peer(one)?.host
                answers.append(!host.connections.attribute(other, to: first))
                answers.append(host.connections.attribute(one, to: second))
                answers.append(host.connections.attribute(other, to: first))
                answers.append(host.connections.attribute(other, to: nil))
                return (answers, [before, host.connections.peer(other)?.host])
            }
            expectEqual(answers, Array(repeating: true, count: 6))
            expectEqual(peers, ["192.0.2.1", "127.0.0.1"])
            expectEqual(census.count, 2)
            withExtendedLifetime(clients) {}
            await host.perform { host in
                for id in host.connections.openConnections() { host.connections.abort(id) }
            }
            expectEqual(census.count, 0)
        }
    }
}

@Suite("Unix sockets", .timeLimit(.minutes(10)))
struct UnixListenerTests {
    /// A path in a directory of its own.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/varde-XXXXXX".utf8CString)
        let directory = try require(mkdtemp(&template).map { String(cString: $0) })
        let path = directory + "/s.sock"
        defer {
            unlink(path)
            rmdir(directory)
        }
        try await body(path)
    }

    private func connect(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        expectEqual(result, 0)
        return descriptor
    }

    @Test func unixSocketIsServedWithItsPermissions() async throws {
        try await withPath { path in
            try await withHost { host in
                let listener = try UnixListener(path: path, mode: 0o640)
                var status = stat()
                expectEqual(stat(path, &status), 0)
                expectEqual(status.st_mode & 0o777, 0o640)
                try await host.perform { try $0.connections.listen(on: listener) }
                listener.closeDescriptor()
                let client = try connect(path)
                defer { close(client) }
                let id = await host.accepted()
                expectEqual(write(client, "ab", 2), 2)
                await expectEqual(host.received(2, on: id), Array("ab".utf8))
                let peer = await host.perform { $0.connections.peer(id) }
                expectEqual(peer?.isUnix, true)
                expectEqual(peer?.host, "unix")
                expectEqual(peer?.network, 0)
                listener.removeFile()
                expect(access(path, F_OK) != 0)
            }
        }
    }

    @Test func staleSocketFileIsReplacedAndALiveOneIsNot() async throws {
        try await withPath { path in
            let dead = try UnixListener(path: path, mode: 0o600)
            dead.closeDescriptor()
            let live = try UnixListener(path: path, mode: 0o600)
            let error = #expect(throws: SystemError.self) {
                try UnixListener(path: path, mode: 0o600)
            }
            expectEqual(error?.code, EADDRINUSE)
            expectEqual(error?.description.contains("a process listens there"), true)
            live.removeFile()
            expect(access(path, F_OK) != 0)
            live.closeDescriptor()
        }
    }

    @Test func fileThatIsNoSocketIsLeft() async throws {
        try await withPath { path in
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            let error = #expect(throws: SystemError.self) {
                try UnixListener(path: path, mode: 0o600)
            }
            expectEqual(error?.code, EEXIST)
            expectEqual(access(path, F_OK), 0)
        }
    }

    @Test func longestPathIsAnAddressAndALongerOneIsNot() {
        let longest = "/" + String(repeating: "a", count: 106)
        expectEqual(SocketAddress(unixPath: longest)?.description, "unix:" + longest)
        expectNil(SocketAddress(unixPath: longest + "a"))
        expectNil(SocketAddress(unixPath: ""))
    }
}
