import Expectations
import Reactor

@testable import Upstream

/// The addresses of a name over sockets. 127.0.0.1 is the server; on 127.20.0.2 nobody answers, and 127.0.0.3
/// refuses.
@Suite("Addresses of a name", .timeLimit(.minutes(10)))
struct HappyEyeballsConnectingTests {
    @Test(arguments: [
        ["127.0.0.3", "127.0.0.1"], ["127.20.0.2", "127.0.0.1"],
        ["127.0.0.3", "127.20.0.2", "127.0.0.3", "127.0.0.1"],
        ["127.0.0.1", "127.20.0.2"], ["::1", "127.0.0.1"],
    ])
    func addressThatAnswersIsFound(hosts: [String]) async throws {
        try await withServer(echo) { server in
            let silent = try SilentPort(host: "127.20.0.2", port: server.port)
            let addresses = hosts.compactMap { SocketAddress(numericHost: $0, port: 0) }
            try await withLoop(resolver: StubResolver { _, _ in addresses }) { loop, client in
                let response = try await client.send(named(server.port))
                expectEqual(response.text, "/")
                // Attempts that have not won are gone.
                await loop.wait { $0.lineCount == 1 && $0.openCount == 1 }
            }
            expectEqual(server.accepted.count, 1)
            _ = silent
        }
    }

    /// The delay between attempts is a quarter of a second: a refusal does not wait for it.
    @Test func refusedAddressesCostNoTime() async throws {
        try await withServer(echo) { server in
            let refusing = (0..<40).map { SocketAddress(numericHost: "127.0.1.\($0)", port: 0)! }
            let addresses = refusing + [SocketAddress(numericHost: "127.0.0.1", port: 0)!]
            try await withClient(resolver: StubResolver { _, _ in addresses }) { client in
                // With the delay it would take ten seconds.
                let response = try await client.send(named(server.port))
                expectEqual(response.text, "/")
            }
        }
    }

    @Test func lastAddressTellsWhyNoneAnswers() async throws {
        try await withServer(echo) { server in
            let resolver = StubResolver("127.0.0.3", "127.0.0.4")
            try await withLoop(resolver: resolver) { loop, client in
                let error = await client.failure(try named(server.port))
                expectEqual(error, .connectFailed("127.0.0.4:\(server.port): connection refused"))
                await expectEqual(loop.openCount, 0)
            }
        }
    }

    @Test func silentAddressesTimeOut() async throws {
        let silent = try SilentPort(host: "127.20.0.4")
        let addresses = [SocketAddress](
            repeating: SocketAddress(numericHost: "127.20.0.4", port: 0)!,
            count: 3
        )
        try await withLoop(resolver: StubResolver { _, _ in addresses }) { loop, client in
            var request = try named(silent.port)
            let connecting = Duration.milliseconds(600)
            request.deadlines.connecting = connecting
            await expectEqual(client.failure(request), .timedOut(.connecting, after: connecting))
            await loop.wait { $0.lineCount == 0 && $0.openCount == 0 }
        }
    }

    @Test func nameWithoutAddressesIsAnError() async throws {
        try await withClient(resolver: StubResolver { _, _ in [] }) { client in
            let error = await client.failure(try named(80))
            expectEqual(error, .notResolved("the name has none"))
        }
    }

    @Test func nameThatIsNotFoundIsAnError() async throws {
        let resolver = SystemNameResolver(threadsMax: 1) { _ in .failure(.init("gone fishing")) }
        try await withLoop(resolver: resolver) { loop, client in
            let error = await client.failure(try named(80))
            expectEqual(error, .notResolved("gone fishing"))
            await loop.wait { $0.pools.isEmpty }
        }
    }

    // MARK: Given addresses

    @Test func requestGoesToTheAddressThatIsGiven() async throws {
        let host = Locked("")
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                host.withLock { $0 = request.field("Host") ?? "" }
                connection.write(answer("x"))
            }
        }
        try await withServer(serve) { server in
            let resolver = StubResolver("127.0.0.3")
            try await withClient(resolver: resolver) { client in
                var request = UpstreamRequest("GET", try UpstreamURL("http://name.test:81/"))
                request.address = SocketAddress(numericHost: "127.0.0.1", port: server.port)
                try await expectEqual(client.send(request).text, "x")
                expectEqual(host.withLock { $0 }, "name.test:81")
            }
            expectEqual(resolver.asked.count, 0)
        }
    }

    @Test func givenAddressThatRefusesHasNoOther() async throws {
        try await withServer(echo) { server in
            let resolver = StubResolver("127.0.0.1")
            try await withClient(resolver: resolver) { client in
                var request = try named(server.port)
                // A connection to the same host by its name is not for it, either.
                _ = try await client.send(request)
                request.address = SocketAddress(numericHost: "127.0.0.3", port: server.port)
                guard case .connectFailed = await client.failure(request) else {
                    Issue.record("not refused")
                    return
                }
            }
            expectEqual(resolver.asked.count, 1)
        }
    }

    @Test func givenAddressGoesThroughNoProxy() async throws {
        try await withServer(echo) { server in
            let proxies = try ProxySettings(environment: ["http_proxy": "http://127.0.0.3:1"])
            try await withClient {
                $0.proxies = proxies
            } _: { client in
                var request = try named(server.port)
                request.address = SocketAddress(numericHost: "127.0.0.1", port: server.port)
                try await expectEqual(client.send(request).text, "/")
            }
        }
    }

    private func named(_ port: UInt16) throws -> UpstreamRequest {
        UpstreamRequest("GET", try UpstreamURL("http://name.test:\(port)/"))
    }
}
