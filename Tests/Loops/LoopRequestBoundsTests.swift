import ClientWire
import Expectations
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Loops

/// The bounds of requests, of answers and of what clients ask for: at the limit, one over it, and the
/// counter that tells of it.
@Suite("Loop: bounds of requests", .timeLimit(.minutes(10)))
struct LoopRequestBoundsTests {
    private typealias Frame = LoopTestClient.Frame

    @Test func headOverItsLimitIsCounted() async throws {
        try await withLoops({
            $0.http = HTTPLimits(startLineLengthMax: 20, headBytesMax: 100, trailerBytesMax: 100)
        }) { hub in
            try await expectStatus(200, hub, "GET / HTTP/1.1\r\nHost: h\r\nA: \(text(68))\r\n\r\n")
            await expectEqual(hub.count(.headerBytes), 0)
            try await expectStatus(431, hub, "GET / HTTP/1.1\r\nHost: h\r\nA: \(text(69))\r\n\r\n")
            await expectEqual(hub.count(.headerBytes), 1)
            try await expectStatus(200, hub, "GET /\(text(6)) HTTP/1.1\r\nHost: h\r\n\r\n")
            try await expectStatus(414, hub, "GET /\(text(7)) HTTP/1.1\r\nHost: h\r\n\r\n")
            await expectEqual(hub.count(.headerBytes), 2)
        }
    }

    @Test func bodyOverItsLimitIsCounted() async throws {
        let post = "POST / HTTP/1.1\r\nHost: h\r\n"
        try await withLoops({ $0.http = HTTPLimits(bodyBytesMax: 100) }) { hub in
            try await expectStatus(200, hub, post + "Content-Length: 100\r\n\r\n" + text(100))
            let chunked = post + "Transfer-Encoding: chunked\r\n\r\n3c\r\n\(text(60))\r\n"
            try await expectStatus(200, hub, chunked + "28\r\n\(text(40))\r\n0\r\n\r\n")
            await expectEqual(hub.count(.bodyBytes), 0)
            try await expectStatus(413, hub, post + "Content-Length: 101\r\n\r\n")
            try await expectStatus(413, hub, chunked + "29\r\n")
            await expectEqual(hub.count(.bodyBytes), 2)
        }
    }

    @Test func answerThatNobodyTakesIsCounted() async throws {
        let body = [UInt8](repeating: 0, count: 32 << 20)
        let responder: Responder = { _ in
            ServerResponse(head: HTTPResponseHead(status: 200), body: body)
        }
        try await withLoops(
            { $0.connections.stallTimeout = .milliseconds(50) },
            respond: responder
        ) { hub in
            let client = try hub.connect(
                receiveBufferSize: 4096,
                sending: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            while await hub.count(.stallTimeout) == 0 { await Task.yield() }
            await expectEqual(hub.count(.stallTimeout), 1)
            await expectEqual(hub.count(.userTimeout), 0)
            await client.close()
        }
    }

    @Test func closingConnectionThatIsNotReadIsCountedAsStalled() async throws {
        try await withLoops({
            $0.connections.stallTimeout = .milliseconds(50)
            $0.connections.queueBytesMax = 64 << 20
        }) { hub in
            let client = try hub.connect(receiveBufferSize: 4096)
            try await client.upgrade("/echo")
            let message = [UInt8](repeating: 7, count: 1 << 20)
            // More than the kernel takes; the frame without a mask is what the connection is closed for.
            for _ in 0..<8 { try await client.send(clientFrame(Frame.binary, message)) }
            try await client.send([0x81, 0])
            while await hub.count(.stallTimeout) == 0 { await Task.yield() }
            await expectEqual(hub.count(.stallTimeout), 1)
            await expectEqual(hub.count(.userTimeout), 0)
        }
    }

    @Test func subscriptionTooManyIsRefusedAndCounted() async throws {
        try await withLoops({ $0.client = CentrifugeLimits(subscriptionsMax: 1) }) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            _ = try await client.command(#"{"id":1,"connect":{}}"#)
            let first = try await client.subscribe(2, "news:a")
            expectNil(number("code", in: first))
            await expectEqual(hub.count(.subscriptions), 0)
            let second = try await client.subscribe(3, "news:b")
            expectEqual(number("code", in: second), 106)
            await expectEqual(hub.count(.subscriptions), 1)
            let error = ReplyError(method: "subscribe", code: 106)
            await expectEqual(hub.loops[0].snapshot().replyErrors[error], 1)
        }
    }

    /// A few bytes of commands, and answers of a hundred thousand times their length.
    @Test func clientThatAsksForMoreThanMayWaitIsCutOffBeforeAllOfItIsMade() async throws {
        let commandCount = 300
        try await withLoops({ $0.connections.queueBytesMax = 64 << 10 }) { hub in
            hub.publish("news:a", (0..<20).map { _ in #""\#(text(20_000))""# })
            try await hub.settle()
            let client = try hub.connect(receiveBufferSize: 4096)
            try await client.upgrade()
            _ = try await client.command(#"{"id":1,"connect":{}}"#)
            _ = try await client.subscribe(2, "news:a")
            let command = #"{"id":3,"history":{"channel":"news:a","limit":20}}"#
            let frame = clientFrame(Frame.text, Array(command.utf8))
            try await client.send((0..<commandCount).flatMap { _ in frame })
            while await hub.count(.queueBytes) == 0 { await Task.yield() }
            let madeBytes = await hub.loops[0].perform { $0.turn.output.capacity }
            expect(madeBytes < 4 << 20, "all answers together are 120 MB")
            try await hub.settle()
        }
    }

    /// More than one turn's work: many commands in a frame, many frames in a read, and a frame cut at its end.
    @Test func clientThatAsksForMuchIsAnsweredInOrderOverManyTurns() async throws {
        let ids = 10..<40
        try await withLoops({ $0.connections.queueBytesMax = 64 << 20 }) { hub in
            hub.publish("news:a", (0..<20).map { _ in #""\#(text(20_000))""# })
            try await hub.settle()
            let client = try hub.connect()
            try await client.upgrade()
            _ = try await client.command(#"{"id":1,"connect":{}}"#)
            _ = try await client.subscribe(2, "news:a")
            let turnsBefore = await hub.loops[0].snapshot().turn.count
            let commands = ids.map { id in
                #"{"id":\#(id),"history":{"channel":"news:a","limit":20}}"#
            }
            let frames = [commands[..<10], commands[10..<29]].map {
                clientFrame(Frame.text, Array($0.joined(separator: "\n").utf8))
            }
            let last = clientFrame(Frame.text, Array(commands[29].utf8))
            try await client.send(Array(frames.joined()) + last.dropLast(9))
            for id in ids.dropLast() {
                let answer = try await client.receiveText()
                expectEqual(number("id", in: answer), id)
                expectEqual(offsets(in: answer).count, 20)
            }
            try await client.send(Array(last.suffix(9)))
            let lastAnswer = try await client.receiveText()
            expectEqual(number("id", in: lastAnswer), 39)
            let turns = await hub.loops[0].snapshot().turn.count - turnsBefore
            // The turn that reads the commands answers the first, and may go on with the second; and the client
            // may have the last answer before its turn is over and counted.
            expect(turns >= ids.count - 2, "each answer is more than one turn's work")
            let furtherAnswer = try await client.command(#"{"id":50,"rpc":{"method":"a"}}"#)
            expectEqual(number("id", in: furtherAnswer), 50)
        }
    }

    private func expectStatus(_ status: Int, _ hub: LoopFixture, _ request: String) async throws {
        let answer = try await hub.connect(sending: request).receiveResponse()
        expectEqual(answer.status, status, "\(request.prefix(40))")
    }

    private func text(_ length: Int) -> String { String(repeating: "a", count: length) }
}
