import Expectations
import HubTesting
import LoopTesting
import Reactor
import Service
import Wire

@testable import Loops

@Suite("Loop: start and shutdown", .timeLimit(.minutes(10)))
struct LoopDrainTests {
    /// Longer than any test: a drain that ends before has ended by itself.
    private let hour = Duration.seconds(3600)

    @Test func clientIsToldToComeBack() async throws {
        try await withLoops { [hour] hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            let close = try await client.receiveClose()
            expect(close == (3001, "shutdown"))
            try await client.send(clientFrame(8, [0x0B, 0xB9]))
            await expect(client.endsHere())
            await client.close()
            await drain.value
        }
    }

    @Test func everyKindOfConnectionEnds() async throws {
        try await withLoops(loops: 2) { [hour] hub in
            let idle = try hub.connect()
            _ = try await idle.get("/")
            let silent = try hub.connect()
            let echo = try hub.connect()
            try await echo.upgrade("/echo")
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:a"))
            _ = try await stream.receiveHead()
            _ = try await stream.receive(through: "\n\n")
            try await hub.settle()

            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            await expect(idle.endsHere())
            await expect(silent.endsHere())
            await expect(echo.endsHere())
            let last = try await stream.receiveAll()
            expect(last.hasPrefix("retry: "))
            expect(last.hasSuffix("\n\n"))
            for client in [idle, silent, echo, stream] { await client.close() }
            await drain.value
        }
    }

    @Test func requestsUnderWayAreAnsweredAndNoOtherIsTaken() async throws {
        let isAsked = LoopSignal()
        let mayAnswer = LoopSignal()
        let responder: Responder = { request in
            if request.head.path == "/slow" {
                isAsked.send()
                await mayAnswer.wait()
            }
            return await answerWithRequest(request)
        }
        try await withLoops(respond: responder) { [hour] hub in
            let witness = try hub.connect()
            _ = try await witness.get("/")
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/slow") + httpRequest("GET", "/next"))
            await isAsked.wait()
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            // Its end shows that the drain has begun.
            await expect(witness.endsHere())
            mayAnswer.send()
            let first = try await client.receiveResponse()
            expectEqual(first.body, "GET /slow ")
            expect(first.fields["connection"] != "close", "another request has arrived")
            let second = try await client.receiveResponse()
            expectEqual(second.body, "GET /next ")
            expectEqual(second.fields["connection"], "close")
            await expect(client.endsHere())
            for client in [witness, client] { await client.close() }
            await drain.value
            #expect(throws: LoopTestClient.Failure.self) { try hub.connect() }
        }
    }

    /// Of the request, the first bytes have arrived.
    @Test(arguments: [
        ("POST /a HTTP/1.1\r\nHo", "st: h\r\nContent-Length: 2\r\n\r\nok"),
        ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n", "ok"),
        ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\no", "k"),
        (
            "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\no",
            "k\r\n0\r\n\r\n"
        ),
    ])
    func requestThatHasBegunIsAnswered(first: String, rest: String) async throws {
        try await withLoops { [hour] hub in
            let witness = try hub.connect()
            _ = try await witness.get("/")
            let client = try hub.connect()
            // The request before it is answered, so the loop has the first bytes behind it.
            try await client.send(httpRequest("GET", "/before") + first)
            try await expectEqual(client.receiveResponse().body, "GET /before ")
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            await expect(witness.endsHere())
            try await client.send(rest)
            let response = try await client.receiveResponse()
            expectEqual(response.body, "POST /a ok")
            expectEqual(response.fields["connection"], "close")
            await expect(client.endsHere())
            for client in [witness, client] { await client.close() }
            await drain.value
        }
    }

    /// Their clients learn to come back, and do not hold up the shutdown.
    @Test func streamThatIsOpenedDuringTheShutdownEnds() async throws {
        try await withLoops { [hour] hub in
            let witness = try hub.connect()
            _ = try await witness.get("/")
            let (stream, socket) = (try hub.connect(), try hub.connect())
            let requests = [
                (stream, httpRequest("GET", "/events?topics=news:a")),
                (socket, webSocketRequest("/connection/websocket")),
            ]
            for (client, request) in requests {
                try await client.send(httpRequest("GET", "/before") + request.prefix(20))
                _ = try await client.receiveResponse()
            }
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            await expect(witness.endsHere())
            for (client, request) in requests {
                try await client.send(String(request.dropFirst(20)))
            }
            // Without an answer if its history has to be read first: EventSource comes back from both.
            let answer = try await stream.receiveAll()
            expect(answer.contains("retry: ") || answer.isEmpty, "\(answer)")
            _ = try await socket.receiveHead()
            try await expectEqual(socket.receiveClose().code, 3001)
            try await socket.send(clientFrame(8, [0x0B, 0xB9]))
            for client in [witness, stream, socket] { await client.close() }
            await drain.value
        }
    }

    @Test func whatHasNotGoneInTimeIsCut() async throws {
        try await withLoops({ $0.closeTimeout = .seconds(3600) }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            await hub.transport.drain(timeout: .milliseconds(500))
            // The Close frame is there, and then nothing more comes.
            let close = try await client.receiveClose()
            expectEqual(close.code, 3001)
            await expect(client.isCutHere())
            await expectEqual(hub.loops[0].connectionCount, 0)
        }
    }

    @Test func drainWithoutConnectionsReturnsAtOnce() async throws {
        try await withLoops(loops: 2) { [hour] hub in
            await hub.transport.drain(timeout: hour)
        }
    }

    @Test func addressInUseIsAnError() async throws {
        try await withLoops { hub in
            let address = hub.transport.addresses[0]
            let loops = try Transport.make(
                loops: 1,
                settings: LoopSettings(),
                rules: .none,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                histories: .none
            )
            let error = await #expect(throws: SystemError.self) {
                _ = try await loops.start(
                    on: [ListenerSettings(.address(address))],
                    tls: nil,
                    respond: answerWithRequest
                )
            }
            expectEqual(error?.description, "listen on \(address): Address already in use")
        }
    }
}
