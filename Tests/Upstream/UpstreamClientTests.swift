import Expectations
import Reactor

@testable import Upstream

@Suite("Upstream client", .timeLimit(.minutes(10)))
struct UpstreamClientTests {
    @Test func requestsOneAfterTheOtherShareAConnection() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                for number in 0..<5 {
                    let response = try await client.send(.post(server, "/\(number)", body: [0x61]))
                    expectEqual(response.text, "/\(number)a")
                    expectEqual(response.status, 200)
                }
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ])
    func connectionIsNotUsedAgain(text: String) async throws {
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil { connection.write(text) }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                for _ in 0..<2 { _ = try await client.send(.get(server)) }
            }
            expectEqual(server.accepted.count, 2)
        }
    }

    /// The parser of a connection whose protocol has changed takes no further request.
    @Test func switchToAnotherProtocolIsRefused() async throws {
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                for _ in 0..<2 {
                    let error = await client.failure(try .get(server))
                    expectEqual(error, .malformed("a protocol that was not asked for"))
                }
            }
        }
    }

    @Test func idleConnectionEnds() async throws {
        let ended = Counter()
        let serve: HostileServer.Serve = { connection in
            echo(connection)
            ended.increment()
        }
        try await withServer(serve) { server in
            try await withLoop { settings in
                settings.idleTimeout = .milliseconds(1)
            } _: { loop, client in
                _ = try await client.send(.get(server))
                await ended.wait(for: 1)
                await loop.wait { $0.openCount == 0 && $0.pools.isEmpty }
                _ = try await client.send(.get(server))
                await ended.wait(for: 2)
            }
        }
    }

    @Test func connectionThatTheServerEndsIsNotUsedAgain() async throws {
        let serve: HostileServer.Serve = { connection in
            if connection.readRequest() != nil { connection.write(answer("x")) }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                for number in 1...3 {
                    _ = try await client.send(.get(server))
                    await loop.wait { $0.lineCount == 0 && $0.pools.isEmpty }
                    expectEqual(server.accepted.count, number)
                }
            }
        }
    }

    @Test(arguments: [0, 1])
    func hundredRequestsAtOnceAreNotMixedUp(round: Int) async throws {
        var servers: [HostileServer] = []
        for _ in 0..<(round == 0 ? 1 : 10) { servers.append(try HostileServer(echo)) }
        try await withClient { settings in
            settings.connectionsPerHostMax = 8
        } _: { client in
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for number in 0..<100 {
                    let server = servers[number % servers.count]
                    let body = Array("-\(number)".utf8)
                    let request = try UpstreamRequest.post(server, "/\(number)", body: body)
                    group.addTask { (number, try await client.send(request).text) }
                }
                var count = 0
                for try await (number, text) in group {
                    expectEqual(text, "/\(number)-\(number)")
                    count += 1
                }
                expectEqual(count, 100)
            }
        }
        for server in servers {
            expect(server.accepted.count <= 8)
            await server.stop()
        }
    }

    @Test func droppedContentIsReadSoThatTheConnectionIsKept() async throws {
        let gate = Gate()
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
                if connection.number == 0 { gate.waitBlocking() }
                connection.write("hello")
            }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                var request = try UpstreamRequest.get(server)
                request.content = .dropped(bytesMax: 10, within: .seconds(30))
                let response = try await client.send(request)
                expect(response.status == 200 && response.body.isEmpty)
                gate.open()
                await loop.wait { $0.pools.values.contains { !$0.idle.isEmpty } }
                try await expectEqual(client.send(.get(server)).text, "hellohello")
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    /// The content arrives in two parts, or as far as its sender sends it.
    @Test(arguments: [(1, "h"), (5, "hello"), (7, "hellowo"), (10, "helloworld")])
    func beginningOfDroppedContentIsKept(count: Int, text: String) async throws {
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhello")
                connection.write("world")
            }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                for _ in 0..<2 {
                    var request = try UpstreamRequest.get(server)
                    request.content = .dropped(
                        bytesMax: 10,
                        within: .seconds(30),
                        keeping: count
                    )
                    let response = try await client.send(request)
                    expectEqual(response.status, 500)
                    expectEqual(response.text, text)
                    await loop.wait { $0.pools.values.contains { !$0.idle.isEmpty } }
                }
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    @Test(arguments: [true, false])
    func keptContentThatDoesNotComeIsLeftOut(endsConnection: Bool) async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            if !endsConnection { _ = connection.read() }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                var request = try UpstreamRequest.get(server)
                let time = Duration.milliseconds(endsConnection ? 30_000 : 5)
                request.content = .dropped(bytesMax: 10, within: time, keeping: 10)
                let response = try await client.send(request)
                expectEqual(response.status, 200)
                expect("hello".hasPrefix(response.text))
                await loop.wait { $0.openCount == 0 }
            }
        }
    }

    @Test(arguments: [9, 10])
    func droppedContentIsReadUpToItsLimit(bytesMax: Int) async throws {
        let serve: HostileServer.Serve = { connection in
            while connection.readRequest() != nil { connection.write(answer("0123456789")) }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                for _ in 0..<2 {
                    var request = try UpstreamRequest.get(server)
                    request.content = .dropped(bytesMax: bytesMax, within: .seconds(30))
                    _ = try await client.send(request)
                    await loop.wait { loop in
                        loop.pools.values.allSatisfy { $0.idle.count == $0.openCount }
                    }
                }
            }
            expectEqual(server.accepted.count, (bytesMax < 10 ? 2 : 1))
        }
    }

    @Test func droppedContentThatDoesNotComeEndsTheConnection() async throws {
        let ended = Counter()
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            if connection.read().isEmpty { ended.increment() }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                var request = try UpstreamRequest.get(server)
                request.content = .dropped(bytesMax: 10, within: .milliseconds(5))
                try await expectEqual(client.send(request).status, 200)
                await ended.wait(for: 1)
                await loop.wait { $0.openCount == 0 }
            }
        }
    }

    @Test func contentEndsWhereNoMoreIsWanted() async throws {
        let serve: HostileServer.Serve = { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\nhello")
            _ = connection.read()
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.wantsMore = { $0.count < 5 }
                try await expectEqual(client.send(request).text, "hello")
            }
        }
    }

    @Test func contentOverTheLimitEndsTheConnection() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server, "/12345")
                request.content = .whole(bytesMax: 5)
                await expectEqual(client.failure(request), .bodyTooLarge(limit: 5))
                request.content = .whole(bytesMax: 6)
                try await expectEqual(client.send(request).text, "/12345")
            }
            expectEqual(server.accepted.count, 2)
        }
    }

    @Test func codingIsUndone() async throws {
        let content = Compression.compressed(Array("hello".utf8), .gzip)
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                let codings = request.field("Accept-Encoding") ?? ""
                let fields =
                    "Content-Encoding: gzip\r\nContent-Length: \(content.count)\r\n"
                    + "Asked: \(codings)"
                connection.write(Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) + content)
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.get(server)
                request.decompresses = true
                let response = try await client.send(request)
                expectEqual(response.text, "hello")
                expectEqual(response.headers.first("Asked"), "gzip, deflate")
                request.decompresses = false
                try await expectEqual(client.send(request).body, content)
            }
        }
    }
}

@Suite("Content of a request", .timeLimit(.minutes(10)))
struct RequestContentTests {
    /// More than the buffers of the sockets take.
    private static let large = [UInt8](repeating: 0x61, count: 24 << 20)

    @Test func largeContentArrives() async throws {
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                let isWhole = request.content == RequestContentTests.large
                connection.write(answer(isWhole ? "whole" : "\(request.content.count)"))
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                let request = try UpstreamRequest.post(server, body: RequestContentTests.large)
                try await expectEqual(client.send(request).text, "whole")
                try await expectEqual(client.send(request).text, "whole")
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    @Test func answerBeforeTheContentWasSentEndsTheConnection() async throws {
        let gate = Gate()
        let received = Counter()
        let serve: HostileServer.Serve = { connection in
            guard connection.number == 0 else { return echo(connection) }
            guard let head = connection.readHead() else { return }
            connection.write(answer("too much", status: "413 Content Too Large"))
            gate.waitBlocking()
            received.increment(by: head.content.count)
            while case let more = connection.read(), !more.isEmpty {
                received.increment(by: more.count)
            }
        }
        try await withServer(serve) { server in
            try await withLoop { loop, client in
                let request = try UpstreamRequest.post(server, body: RequestContentTests.large)
                let response = try await client.send(request)
                expect(response.status == 413 && response.text == "too much")
                try await expectEqual(client.send(.get(server, "/next")).text, "/next")
                expectEqual(server.accepted.count, 2)
                // The rest of the content does not wait for a server that does not want it.
                await expectEqual(loop.lineCount, 1)
                gate.open()
            }
        }
        expect(received.count < RequestContentTests.large.count)
    }

    @Test func contentWaitsForContinue() async throws {
        let serve: HostileServer.Serve = { connection in
            guard var request = connection.readHead() else { return }
            let early = request.content.count
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            while request.content.count < request.contentLength {
                request.content += connection.read()
            }
            let expectation = request.field("Expect") ?? ""
            connection.write(answer("\(early) \(request.content.count) \(expectation)"))
            echo(connection)
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.post(server, body: [1, 2, 3])
                request.expectsContinue = true
                try await expectEqual(client.send(request).text, "0 3 100-continue")
                try await expectEqual(client.send(.get(server)).text, "/")
            }
            expectEqual(server.accepted.count, 1)
        }
    }

    @Test func contentIsNotSentAfterAnAnswer() async throws {
        let received = Counter()
        let reading = Gate()
        let serve: HostileServer.Serve = { connection in
            guard connection.number == 0 else { return echo(connection) }
            guard let request = connection.readHead() else { return }
            connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nn")
            reading.waitBlocking()
            connection.write("o")
            received.increment(by: request.content.count)
            while case let more = connection.read(), !more.isEmpty {
                received.increment(by: more.count)
            }
        }
        try await withServer(serve) { server in
            try await withClient { client in
                var request = try UpstreamRequest.post(server, body: [1, 2, 3])
                request.expectsContinue = true
                request.wantsMore = { _ in
                    reading.open()
                    return true
                }
                try await expectEqual(client.send(request).status, 417)
                try await expectEqual(client.send(.get(server)).status, 200)
            }
            expectEqual(server.accepted.count, 2)
        }
        expectEqual(received.count, 0)
    }

    @Test func contentIsSentToAServerThatIsSilent() async throws {
        try await withServer(echo) { server in
            try await withClient { client in
                var request = try UpstreamRequest.post(server, body: Array("abc".utf8))
                request.expectsContinue = true
                try await expectEqual(client.send(request).text, "/abc")
            }
        }
    }
}
