import Expectations
import Reactor

@testable import Upstream

/// A short time, which what is waited for does not meet, however long it really takes.
private let short = Duration.milliseconds(5)

@Suite("Deadlines", .timeLimit(.minutes(10)))
struct UpstreamDeadlineTests {
    @Test func nameThatIsNotResolvedInTime() async throws {
        try await withLoop { loop, client in
            var request = UpstreamRequest("GET", try UpstreamURL("http://name.test/"))
            request.deadlines.resolving = short
            await expectEqual(client.failure(request), .timedOut(.resolving, after: short))
            request.deadlines = UpstreamDeadlines(whole: short)
            await expectEqual(client.failure(request), .timedOut(.resolving, after: short))
            await expectEqual(loop.openCount, 0)
        }
    }

    @Test func connectionThatIsNotMadeInTime() async throws {
        let silent = try SilentPort()
        try await withLoop { loop, client in
            let url = try UpstreamURL("http://127.0.0.1:\(silent.port)/")
            var request = UpstreamRequest("GET", url)
            request.deadlines.connecting = short
            await expectEqual(client.failure(request), .timedOut(.connecting, after: short))
            request.deadlines = UpstreamDeadlines(whole: short)
            await expectEqual(client.failure(request), .timedOut(.connecting, after: short))
            await loop.wait { $0.openCount == 0 && $0.lineCount == 0 }
        }
    }

    @Test func handshakeThatDoesNotEndInTime() async throws {
        try await withServer({ _ = $0.read() + $0.read() }) { server in
            try await withLoop { loop, client in
                let url = try UpstreamURL("https://127.0.0.1:\(server.port)/")
                var request = UpstreamRequest("GET", url)
                request.deadlines.connecting = short
                await expectEqual(client.failure(request), .timedOut(.connecting, after: short))
                await loop.wait { $0.openCount == 0 && $0.lineCount == 0 }
            }
        }
    }

    @Test func answerThatDoesNotBeginInTime() async throws {
        try await withServer({ while !$0.read().isEmpty {} }) { server in
            try await withLoop { loop, client in
                var request = try UpstreamRequest.get(server)
                request.deadlines.firstByte = short
                await expectEqual(client.failure(request), .timedOut(.firstByte, after: short))
                request.deadlines = UpstreamDeadlines(whole: short)
                let error = await client.failure(request)
                guard case .timedOut(_, after: short) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                await loop.wait { $0.openCount == 0 && $0.lineCount == 0 }
            }
        }
    }

    @Test func answerThatDoesNotEndInTime() async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            while !connection.read().isEmpty {}
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                // Long enough for the head on a slow machine.
                let whole = Duration.milliseconds(500)
                var request = try UpstreamRequest.get(server)
                request.deadlines.whole = whole
                await expectEqual(client.failure(request), .timedOut(.whole, after: whole))
                await loop.wait { $0.openCount == 0 && $0.lineCount == 0 }
            }
        }
    }

    @Test func placeThatDoesNotBecomeFreeInTime() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 1
            } _: { loop, client in
                let held = try UpstreamRequest.get(server)
                async let first = client.send(held)
                await loop.wait { $0.openCount == 1 }
                var request = try UpstreamRequest.get(server)
                request.deadlines.whole = short
                await expectEqual(client.failure(request), .timedOut(.waiting, after: short))
                gate.open()
                _ = try await first
                try await expectEqual(client.send(.get(server)).text, "x")
            }
        }
    }

    @Test func redirectsShareTheDeadline() async throws {
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                guard request.target == "/" else { continue }
                let location = "Location: /silent\r\n"
                connection.write(answer("", status: "302 Found", fields: location))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                let whole = Duration.milliseconds(300)
                var request = try UpstreamRequest.get(server)
                request.redirectsMax = 3
                request.deadlines = UpstreamDeadlines(whole: whole)
                await expectEqual(client.failure(request), .timedOut(.firstByte, after: whole))
            }
        }
    }

    @Test func deadlineThatHasPassedEndsTheRequestAtOnce() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.deadlines.whole = .zero
                guard case .timedOut = await client.failure(request) else {
                    Issue.record("not timed out")
                    return
                }
            }
        }
    }
}

@Suite("Cancelled requests", .timeLimit(.minutes(10)))
struct UpstreamCancellationTests {
    @Test func whileTheNameIsLookedUp() async throws {
        let resolver = StubResolver { _, count in
            count == 1 ? nil : [SocketAddress(numericHost: "127.0.0.1", port: 0)!]
        }
        try await withServer(echo) { server in
            try await cancelling(server, resolver) { _, _ in await resolver.asked.wait(for: 1) }
        }
    }

    @Test func whileItWaitsForAConnection() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 1
            } _: { loop, client in
                let request = try UpstreamRequest.get(server, "/first")
                async let first = client.send(request)
                await loop.wait { $0.openCount == 1 }
                let second = Task { await client.outcome(try .get(server, "/second")) }
                await loop.wait { $0.waitingCount == 1 }
                async let third = client.send(try .get(server, "/third"))
                await loop.wait { $0.waitingCount == 2 }
                second.cancel()
                expect(isCancelled(try await second.value))
                gate.open()
                _ = try await (first, third)
                await loop.wait { $0.waitingCount == 0 && $0.openCount == 1 }
            }
        }
        expectEqual(log.targets, ["/first", "/third"])
    }

    @Test func whileAConnectionIsMade() async throws {
        let resolver = StubResolver { _, count in
            let host = count == 1 ? "127.20.0.3" : "127.0.0.1"
            return [SocketAddress(numericHost: host, port: 0)!]
        }
        try await withServer(echo) { server in
            let silent = try SilentPort(host: "127.20.0.3", port: server.port)
            try await cancelling(server, resolver) { loop, _ in
                await loop.wait { $0.lineCount == 1 }
            }
            _ = silent
        }
    }

    @Test func whileTheAnswerIsWaitedFor() async throws {
        let asked = Counter()
        let serve: HostileServer.Serve = { connection in
            guard connection.number == 0 else { return echo(connection) }
            guard connection.readRequest() != nil else { return }
            asked.increment()
            while !connection.read().isEmpty {}
        }
        try await withServer(serve) { server in
            try await cancelling(server, StubResolver("127.0.0.1")) { _, _ in
                await asked.wait(for: 1)
            }
        }
    }

    @Test func whileTheAnswerIsRead() async throws {
        let begun = Counter()
        let serve: HostileServer.Serve = { connection in
            guard connection.number == 0 else { return echo(connection) }
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            while !connection.read().isEmpty {}
        }
        try await withServer(serve) { server in
            try await cancelling(server, StubResolver("127.0.0.1")) { request in
                request.wantsMore = { _ in
                    begun.increment()
                    return true
                }
            } _: { _, _ in
                await begun.wait(for: 1)
            }
        }
    }

    @Test func beforeItIsSent() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                let request = try UpstreamRequest.get(server)
                let gate = Gate()
                let task = Task {
                    await gate.wait()
                    return await client.outcome(request)
                }
                task.cancel()
                gate.open()
                expect(isCancelled(await task.value))
                expectEqual(server.accepted.count, 0)
            }
        }
    }

    @Test func atAnyTime() async throws {
        try await withServer(echo) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 2
            } _: { loop, client in
                for round in 0..<200 {
                    let request = try UpstreamRequest.get(server, "/\(round)")
                    let task = Task { await client.outcome(request) }
                    for _ in 0..<round % 20 { await Task.yield() }
                    task.cancel()
                    let outcome = await task.value
                    if case .success(let response) = outcome {
                        expectEqual(response.text, "/\(round)")
                    } else {
                        expect(isCancelled(outcome))
                    }
                }
                await loop.wait { loop in
                    loop.pools.values.allSatisfy { $0.idle.count == $0.openCount }
                }
                try await expectEqual(client.send(.get(server)).text, "/")
            }
        }
    }

    /// Cancels a request when `isUnderWay` returns; its host has one place, which another one then gets.
    private func cancelling(
        _ server: HostileServer,
        _ resolver: StubResolver,
        _ change: (inout UpstreamRequest) -> Void = { _ in },
        _ isUnderWay: (UpstreamLoop, UpstreamClient) async -> Void
    ) async throws {
        try await withLoop(resolver: resolver) { settings in
            settings.connectionsPerHostMax = 1
        } _: { loop, client in
            let url = try UpstreamURL("http://name.test:\(server.port)/")
            var request = UpstreamRequest("GET", url)
            change(&request)
            let task = Task { [request] in await client.outcome(request) }
            await isUnderWay(loop, client)
            task.cancel()
            expect(isCancelled(await task.value))
            try await expectEqual(client.send(UpstreamRequest("GET", url)).text, "/")
            await expectEqual(loop.openCount, 1)
        }
    }

    private func isCancelled(_ outcome: Result<UpstreamResponse, UpstreamError>) -> Bool {
        if case .failure(.cancelled) = outcome { true } else { false }
    }
}
