import HTTPService
import HTTPWire
import HubTesting
import Logging
import PubSub
import Reactor
import ShardTesting
import Testing

@testable import Shards

@Suite("Shard: start and shutdown", .timeLimit(.minutes(10)))
struct ShardDrainTests {
    /// Longer than any test: a drain that ends before has ended by itself.
    private let hour = Duration.seconds(3600)

    @Test func clientIsToldToComeBack() async throws {
        try await withShards { [hour] hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            let close = try await client.receiveClose()
            #expect(close == (3001, "shutdown"))
            try await client.send(clientFrame(8, [0x0B, 0xB9]))
            #expect(await client.endsHere())
            await client.close()
            await drain.value
        }
    }

    @Test func everyKindOfConnectionEnds() async throws {
        try await withShards(loops: 2) { [hour] hub in
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
            #expect(await idle.endsHere())
            #expect(await silent.endsHere())
            #expect(await echo.endsHere())
            let last = try await stream.receiveAll()
            #expect(last.hasPrefix("retry: "))
            #expect(last.hasSuffix("\n\n"))
            for client in [idle, silent, echo, stream] { await client.close() }
            await drain.value
        }
    }

    @Test func requestUnderWayIsAnsweredAndNoOtherTaken() async throws {
        let isAsked = ShardSignal()
        let mayAnswer = ShardSignal()
        let responder: Responder = { request in
            if request.head.path == "/slow" {
                isAsked.send()
                await mayAnswer.wait()
            }
            return await answerWithRequest(request)
        }
        try await withShards(respond: responder) { [hour] hub in
            let witness = try hub.connect()
            _ = try await witness.get("/")
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/slow") + httpRequest("GET", "/next"))
            await isAsked.wait()
            let drain = Task.detached { await hub.transport.drain(timeout: hour) }
            // Its end shows that the drain has begun.
            #expect(await witness.endsHere())
            mayAnswer.send()
            let response = try await client.receiveResponse()
            #expect(response.body == "GET /slow ")
            #expect(response.fields["connection"] == "close")
            #expect(await client.endsHere())
            for client in [witness, client] { await client.close() }
            await drain.value
            #expect(throws: ShardTestClient.Failure.self) { try hub.connect() }
        }
    }

    @Test func whatHasNotGoneInTimeIsCut() async throws {
        try await withShards({ $0.closeTimeout = .seconds(3600) }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            await hub.transport.drain(timeout: .milliseconds(500))
            // The Close frame is there, and then nothing more comes.
            let close = try await client.receiveClose()
            #expect(close.code == 3001)
            #expect(await client.isCutHere())
            #expect(await hub.shards[0].connectionCount == 0)
        }
    }

    @Test func drainWithoutConnectionsReturnsAtOnce() async throws {
        try await withShards(loops: 2) { [hour] hub in
            await hub.transport.drain(timeout: hour)
        }
    }

    @Test func addressInUseIsAnError() async throws {
        try await withShards { hub in
            let address = hub.transport.addresses[0]
            let error = await #expect(throws: SystemError.self) {
                _ = try await Transport.start(
                    loops: 1,
                    listeners: [ListenerSettings(.address(address))],
                    tls: nil,
                    settings: ShardSettings(),
                    rules: .none,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    histories: .none,
                    respond: answerWithRequest
                )
            }
            #expect(error?.description == "listen on \(address): Address already in use")
        }
    }
}
