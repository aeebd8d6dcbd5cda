import Expectations
import HubTesting
import LoopTesting
import Reactor
import Service
import Wire

@testable import Loops

/// The answers here are longer than what a socket's buffers and the connection's queue take together.
@Suite("Loop: answers to slow readers", .timeLimit(.minutes(10)))
struct LoopSlowReaderTests {
    private static let bodyLength = 6 << 20
    private static let queueBytesMax = 16 << 10

    /// A body that shows where a piece is missing, twice there, or in another's place.
    private static let body = [UInt8](unsafeUninitializedCapacity: bodyLength) { bytes, count in
        for index in 0..<bodyLength {
            bytes[index] = UInt8((index ^ index >> 8 ^ index >> 16) & 0x7F)
        }
        count = bodyLength
    }

    @Sendable private static func answer(_ request: ServerRequest) async -> ServerResponse {
        guard request.head.path == "/long" else { return await answerWithRequest(request) }
        return ServerResponse(head: HTTPResponseHead(status: 200), body: body)
    }

    private func withSlowReader(
        stallTimeout: Duration = .seconds(30),
        _ body: (LoopFixture, LoopTestClient) async throws -> Void
    ) async throws {
        let change: (inout LoopSettings) -> Void = {
            $0.connections.queueBytesMax = LoopSlowReaderTests.queueBytesMax
            $0.connections.stallTimeout = stallTimeout
        }
        try await withLoops(change, respond: LoopSlowReaderTests.answer) { hub in
            try await body(hub, try hub.connect(receiveBufferSize: 64 << 10))
        }
    }

    private func expectLongAnswer(_ client: LoopTestClient) async throws {
        let head = try await client.receiveHead()
        expectEqual(head.status, 200)
        expectEqual(head.fields["content-length"], "\(LoopSlowReaderTests.bodyLength)")
        let body = try await client.receive(LoopSlowReaderTests.bodyLength)
        expectEqual(body, LoopSlowReaderTests.body)
    }

    @Test func answerLongerThanTheQueueComesWhole() async throws {
        try await withSlowReader { hub, client in
            try await client.send(httpRequest("GET", "/long"))
            // The socket's buffers are full by then.
            for _ in 0..<3 { try await hub.settle() }
            try await expectLongAnswer(client)
            let next = try await client.get("/next")
            expectEqual(next.body, "GET /next ")
        }
    }

    @Test func connectionEndsBehindTheLastByte() async throws {
        try await withSlowReader { hub, client in
            try await client.send(httpRequest("GET", "/long", ["Connection: close"]))
            for _ in 0..<3 { try await hub.settle() }
            try await expectLongAnswer(client)
            await expect(client.endsHere())
        }
    }

    @Test func requestsBehindALongAnswerWaitForIt() async throws {
        try await withSlowReader { hub, client in
            let requests = ["/long", "/short", "/long", "/last"].map { httpRequest("GET", $0) }
            try await client.send(requests.joined())
            for _ in 0..<3 { try await hub.settle() }
            try await expectLongAnswer(client)
            let short = try await client.receiveResponse()
            expectEqual(short.body, "GET /short ")
            try await expectLongAnswer(client)
            let last = try await client.receiveResponse()
            expectEqual(last.body, "GET /last ")
        }
    }

    @Test func lengthOfALongAnswerIsToldToHEAD() async throws {
        try await withSlowReader { _, client in
            try await client.send(httpRequest("HEAD", "/long") + httpRequest("GET", "/next"))
            let head = try await client.receiveHead()
            expectEqual(head.fields["content-length"], "\(LoopSlowReaderTests.bodyLength)")
            let next = try await client.receiveResponse()
            expectEqual(next.body, "GET /next ")
        }
    }

    @Test func othersAreServedMeanwhile() async throws {
        try await withSlowReader { hub, client in
            try await client.send(httpRequest("GET", "/long"))
            let other = try hub.connect()
            for number in 0..<20 {
                let response = try await other.get("/\(number)")
                expectEqual(response.body, "GET /\(number) ")
            }
            try await expectLongAnswer(client)
        }
    }

    @Test func readerThatTakesNothingIsGivenUp() async throws {
        try await withSlowReader(stallTimeout: .milliseconds(50)) { hub, client in
            try await client.send(httpRequest("GET", "/long"))
            try await hub.settle()
            while await hub.loops[0].connectionCount > 0 { await Task.yield() }
            let whole = try? await client.receive(LoopSlowReaderTests.bodyLength)
            expectNil(whole)
        }
    }

    @Test func answerUnderWayIsFinishedBeforeTheServerStops() async throws {
        try await withSlowReader { hub, client in
            try await client.send(httpRequest("GET", "/long"))
            for _ in 0..<3 { try await hub.settle() }
            let drain = Task.detached { await hub.transport.drain(timeout: .seconds(3600)) }
            try await expectLongAnswer(client)
            await expect(client.endsHere())
            await client.close()
            await drain.value
        }
    }
}
