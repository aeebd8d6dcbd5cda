import Expectations
import Reactor

@testable import Upstream

@Suite("Pool of connections", .timeLimit(.minutes(10)))
struct UpstreamPoolTests {
    @Test func requestsBeyondTheLimitAreServedInTheirOrder() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 1
            } _: { loop, client in
                try await withThrowingTaskGroup { group in
                    for number in 0..<6 {
                        let request = try UpstreamRequest.get(server, "/\(number)")
                        group.addTask {
                            let response = try await client.send(request)
                            expectEqual(response.text, "x")
                        }
                        await loop.wait { $0.openCount == 1 && $0.waitingCount == number }
                    }
                    gate.open()
                    try await group.waitForAll()
                }
            }
            expectEqual(server.accepted.count, 1)
        }
        expectEqual(log.targets, (0..<6).map { "/\($0)" })
    }

    @Test func failedRequestsMakeRoomInTheOrderOfWaiting() async throws {
        let gate = Gate()
        let log = RequestLog()
        let serve: HostileServer.Serve = { connection in
            guard let request = connection.readRequest() else { return }
            log.append(request.target)
            gate.waitBlocking()
            connection.end(.reset)
        }
        try await withServer(serve) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 1
            } _: { loop, client in
                try await withThrowingTaskGroup { group in
                    for number in 0..<6 {
                        let request = try UpstreamRequest.get(server, "/\(number)")
                        group.addTask { await expect(client.failure(request) != nil) }
                        await loop.wait { $0.openCount == 1 && $0.waitingCount == number }
                    }
                    gate.open()
                    try await group.waitForAll()
                }
                await loop.wait { $0.pools.isEmpty }
            }
        }
        expectEqual(log.targets, (0..<6).map { "/\($0)" })
    }

    /// The place becomes free and the request begins in one turn of the loop, which is held up until both can.
    @Test func requestDoesNotOvertakeThoseThatWait() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { server in
            var settings = UpstreamClient.Settings()
            settings.connectionsPerHostMax = 1
            let profile = UpstreamProfile(settings)
            let loop = try UpstreamLoop(resolver: StubResolver())
            defer { loop.shutDown() }
            let done = Counter()
            let late = Exchange(try .get(server, "/late"), profile: profile, start: loop.now) { _ in
                done.increment()
            }
            var first = try UpstreamRequest.get(server, "/first")
            first.wantsMore = { _ in
                loop.post(.begin(late))
                return false
            }
            await withTaskGroup { group in
                for (index, request) in [
                    first, try? .get(server, "/second"), try? .get(server, "/third"),
                ].enumerated() {
                    guard let request else { continue }
                    group.addTask { _ = await loop.send(request, profile, start: loop.now) }
                    await loop.wait { $0.openCount == 1 && $0.waitingCount == index }
                }
                gate.open()
            }
            await done.wait(for: 1)
        }
        expectEqual(log.targets, ["/first", "/second", "/third", "/late"])
    }

    @Test func hostsHavePlacesOfTheirOwn() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { held in
            try await withServer(echo) { server in
                try await withLoop { settings in
                    settings.connectionsPerHostMax = 1
                } _: { loop, client in
                    let request = try UpstreamRequest.get(held)
                    async let first = client.send(request)
                    await loop.wait { $0.openCount == 1 }
                    try await expectEqual(client.send(.get(server)).text, "/")
                    gate.open()
                    _ = try await first
                }
            }
        }
    }

    @Test func clientsHaveConnectionsOfTheirOwn() async throws {
        try await withServer(echo) { server in
            try await withLoop { loop, client in
                let other = UpstreamClient(on: loop)
                for _ in 0..<2 {
                    _ = try await client.send(.get(server))
                    _ = try await other.send(.get(server))
                }
            }
            expectEqual(server.accepted.count, 2)
        }
    }

    @Test func clientThatIsNoMoreHasNoConnections() async throws {
        try await withServer(echo) { server in
            try await withLoop { loop, client in
                _ = try await UpstreamClient(on: loop).send(.get(server))
                await loop.wait { $0.lineCount == 0 && $0.pools.isEmpty }
            }
        }
    }

    @Test func idleConnectionsGiveWayWhenAllPlacesAreTaken() async throws {
        var servers: [HostileServer] = []
        for _ in 0..<4 { servers.append(try HostileServer(echo)) }
        try await withLoop(connectionsMax: 2) { loop, client in
            for _ in 0..<3 {
                for server in servers { _ = try await client.send(.get(server)) }
                await expect(loop.lineCount <= 2)
            }
        }
        for server in servers { await server.stop() }
    }

    @Test func connectionBeyondTheLimitIsRefusedWhileAllAreInUse() async throws {
        let gate = Gate()
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            gate.waitBlocking()
            connection.write(answer("x"))
        }
        try await withServer(serve) { server in
            try await withLoop(connectionsMax: 2) { loop, client in
                async let first = client.send(.get(server, "/1"))
                async let second = client.send(.get(server, "/2"))
                await loop.wait { $0.lineCount == 2 }
                let error = await client.failure(try .get(server, "/3"))
                expectEqual(error, .overloaded)
                gate.open()
                let answers = try await [first.text, second.text]
                expectEqual(answers, ["x", "x"])
            }
        }
    }

    /// A connection that the server does not close in its turn keeps its place for a while.
    @Test func closingConnectionsGiveWayWhenAllPlacesAreTaken() async throws {
        let gate = Gate()
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(answer("x", fields: "Connection: close\r\n"))
            gate.waitBlocking()
        }
        try await withServer(serve) { server in
            try await withLoop(connectionsMax: 1) { _, client in
                for _ in 0..<3 {
                    let response = try await client.send(.get(server))
                    expectEqual(response.text, "x")
                }
            }
            gate.open()
        }
    }
}

/// A kept connection that ends when a request is sent on it.
@Suite("Repeated requests", .timeLimit(.minutes(10)))
struct RepeatedRequestTests {
    @Test(arguments: ServerConnection.End.allCases)
    func requestIsNotRepeatedUnasked(end: ServerConnection.End) async throws {
        let requests = Counter()
        try await withServer(endingSecond(end, requests)) { server in
            try await withClient { client in
                _ = try await client.send(.get(server, "/1"))
                let error = await client.failure(try .get(server, "/2"))
                guard case .connectionEnded = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            expectEqual(server.accepted.count, 1)
        }
        expectEqual(requests.count, 2)
    }

    @Test(arguments: ServerConnection.End.allCases)
    func requestIsRepeatedOnAnotherConnection(end: ServerConnection.End) async throws {
        let requests = Counter()
        try await withServer(endingSecond(end, requests)) { server in
            try await withClient { settings in
                settings.connectionsPerHostMax = 1
            } _: { client in
                _ = try await client.send(.get(server, "/1"))
                var request = try UpstreamRequest.post(server, "/2", body: [0x61])
                request.isRepeatable = true
                try await expectEqual(client.send(request).text, "/2a")
            }
            expectEqual(server.accepted.count, 2)
        }
        expectEqual(requests.count, 3)
    }

    @Test func requestIsRepeatedOnce() async throws {
        let requests = Counter()
        let serve: HostileServer.Serve = { connection in
            var count = 0
            while connection.readRequest() != nil {
                requests.increment()
                count += 1
                guard connection.number == 0, count == 1 else { return }
                connection.write(answer("x"))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                _ = try await client.send(.get(server))
                var request = try UpstreamRequest.get(server)
                request.isRepeatable = true
                await expectEqual(client.failure(request), .connectionEnded("before an answer"))
            }
        }
        expectEqual(requests.count, 3)
    }

    /// After a restart of the server all kept connections are of no use.
    @Test func requestIsRepeatedOnAConnectionOfItsOwn() async throws {
        let gate = Gate()
        let requests = Counter()
        let serve: HostileServer.Serve = { connection in
            var count = 0
            while let request = connection.readRequest() {
                requests.increment()
                count += 1
                if connection.number < 2, count == 2 { return connection.end(.reset) }
                if count == 1, connection.number < 2 { gate.waitBlocking() }
                connection.write(answer(request.target))
            }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<2 {
                        let request = try UpstreamRequest.get(server)
                        group.addTask { _ = try await client.send(request) }
                    }
                    await requests.wait(for: 2)
                    gate.open()
                    try await group.waitForAll()
                }
                await loop.wait { $0.pools.values.contains { $0.idle.count == 2 } }
                var request = try UpstreamRequest.get(server, "/again")
                request.isRepeatable = true
                try await expectEqual(client.send(request).text, "/again")
            }
            expectEqual(server.accepted.count, 3)
        }
        expectEqual(requests.count, 4)
    }

    @Test func requestOnANewConnectionIsNotRepeated() async throws {
        let serve: HostileServer.Serve = { connection in _ = connection.readRequest() }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.isRepeatable = true
                await expectEqual(client.failure(request), .connectionEnded("before an answer"))
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    @Test(arguments: [
        "H", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx",
    ])
    func requestOfWhichAnAnswerBeganIsNotRepeated(beginning: String) async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(answer("x"))
            guard connection.readRequest() != nil else { return }
            connection.write(beginning)
        }
        try await withServer(serve) { server in
            try await withClient { client in
                _ = try await client.send(.get(server))
                var request = try UpstreamRequest.get(server)
                request.isRepeatable = true
                guard case .connectionEnded = await client.failure(request) else {
                    Issue.record("not an end of the connection")
                    return
                }
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    /// The first connection ends at its second request.
    private func endingSecond(
        _ end: ServerConnection.End,
        _ requests: Counter
    ) -> HostileServer.Serve {
        { connection in
            var count = 0
            while let request = connection.readRequest() {
                requests.increment()
                count += 1
                if connection.number == 0, count == 2 { return connection.end(end) }
                let content = String(decoding: request.content, as: UTF8.self)
                connection.write(answer(request.target + content))
            }
        }
    }
}

/// The targets of requests, in the order in which they came.
final class RequestLog: Sendable {
    private let log = Locked<[String]>([])

    var targets: [String] { log.withLock { $0 } }

    func append(_ target: String) { log.withLock { $0.append(target) } }

    /// Answers "x", the first time when the gate is open.
    func serve(untilOpen gate: Gate) -> HostileServer.Serve {
        { connection in
            while let request = connection.readRequest() {
                self.append(request.target)
                gate.waitBlocking()
                connection.write(answer("x"))
            }
        }
    }
}
