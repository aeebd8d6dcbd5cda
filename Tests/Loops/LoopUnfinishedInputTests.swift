import ClientWire
import Expectations
import HubTesting
import LoopTesting
import TokenTesting
import Wire

@testable import Loops

/// Messages and requests whose end does not come: how long, and how much of them all peers may make the
/// hub hold.
@Suite("Loop: unfinished input", .timeLimit(.minutes(10)))
struct LoopUnfinishedInputTests {
    private typealias Frame = LoopTestClient.Frame

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    /// The first frame of a text message.
    private func start(_ count: Int) -> [UInt8] {
        clientFrame(Frame.text, bytes(count), isFinal: false)
    }

    /// What is slow on a busy machine is not what these tests are about.
    private func patient(_ settings: inout LoopSettings) {
        settings.messageTimeout = .seconds(3600)
        settings.requestTimeout = .seconds(3600)
        settings.closeTimeout = .seconds(3600)
    }

    /// A text message but for its last byte.
    private func start(of text: String) -> [UInt8] {
        clientFrame(Frame.text, Array(text.utf8.dropLast()), isFinal: false)
    }

    private func publish(_ id: Int, _ length: Int) -> String {
        let data = String(repeating: "x", count: length)
        return #"{"id":\#(id),"publish":{"channel":"news:a","data":"\#(data)"}}"#
    }

    // MARK: Time

    @Test(arguments: ["/echo", "/connection/websocket"])
    func messageThatDoesNotEndIsClosed(path: String) async throws {
        try await withLoops({ $0.messageTimeout = .milliseconds(50) }) { hub in
            let client = try hub.connect()
            try await client.upgrade(path)
            try await client.send(start(10) + clientFrame(Frame.pong, []))
            try await expectEqual(client.receiveClose().code, 1008)
            await expectEqual(hub.count(.messageTimeout), 1)
        }
    }

    @Test func messagesThatEndAreServed() async throws {
        try await withLoops({ $0.messageTimeout = .milliseconds(50) }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(start(10) + clientFrame(0, bytes(5)))
            try await expectEqual(client.receiveText(), String(repeating: " ", count: 15))
            let other = try hub.connect()
            try await other.upgrade("/echo")
            try await other.send(start(10))
            try await expectEqual(other.receiveClose().code, 1008)
            try await client.sendText("still served")
            try await expectEqual(client.receiveText(), "still served")
        }
    }

    // MARK: Before the connect command

    @Test func clientThatWasNotLetInMaySendLittle() async throws {
        try await withLoops({ $0.connectBytesMax = 2000 }) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let name = String(repeating: "x", count: 1900)
            let reply = try await client.command(#"{"id":1,"connect":{"name":"\#(name)"}}"#)
            expect(reply.contains(#""connect""#))
            let long = String(repeating: "x", count: 5000)
            let published = #"{"id":2,"publish":{"channel":"news:a","data":"\#(long)"}}"#
            try await expectEqual(client.command(published), #"{"id":2,"publish":{}}"#)

            let other = try hub.connect()
            try await other.upgrade()
            try await other.send(start(1000) + clientFrame(0, bytes(1001)))
            try await expectEqual(other.receiveClose().code, 1009)
            await expectEqual(hub.count(.connectBytes), 1)
            await expectEqual(hub.count(.messageBytes), 0)
        }
    }

    @Test func inflatingEndsAtTheLimitOfWhoWasNotLetIn() async throws {
        try await withLoops({ $0.connectBytesMax = 2000 }) { hub in
            let client = try hub.connect()
            try await client.upgradeDeflating()
            try await client.send(deflatedStart(2001))
            try await expectEqual(client.receiveClose().code, 1009)
            await expectEqual(hub.count(.connectBytes), 1)
        }
    }

    /// Compressed input of all clients has a share of the loop's time.
    @Test func whatInflatesToMuchWaitsAndWhatInflatesToLittleDoesNot() async throws {
        let command = #"{"id":2,"unsubscribe":{"channel":"news:a"}}"#
        let answer = #"{"id":2,"unsubscribe":{}}"#
        let blanks = String(repeating: " ", count: 40_000)
        try await withLoops(patient) { hub in
            let (much, little) = (try hub.connect(), try hub.connect())
            for client in [much, little] {
                try await client.upgradeDeflating()
                try await client.send(deflated(#"{"id":1,"connect":{}}"#))
                try await client.skipFrame()
            }
            await hub.loops[0].perform { loop in
                loop.waiting.costs.inflating.add(1 << 40, now: loop.milliseconds)
            }
            try await much.send(deflated("{" + blanks + command.dropFirst()))
            while await hub.count(.turnWork) == 0 { try await hub.settle() }
            try await little.send(deflated("{" + blanks.prefix(500) + command.dropFirst()))
            try await expectEqual(little.receiveText(), answer)
            await expectEqual(hub.loops[0].perform { $0.waiting.count }, 1)
            await hub.loops[0].perform { $0.waiting.costs.inflating = .inflatingOfLoop }
            try await expectEqual(much.receiveText(), answer)
        }
    }

    /// Also when the message begins and ends in one piece.
    @Test func whatAWholeMessageInflatesToIsCounted() async throws {
        try await withLoops(patient) { hub in
            let client = try hub.connect()
            try await client.upgradeDeflating()
            let start = await hub.loops[0].perform { loop in
                loop.waiting.costs.inflating = RecentWork(bytesMax: 0, leakedPerMillisecond: 1)
                return loop.milliseconds
            }
            let frame = deflated(bytes(200), isFinal: true)
            expect(frame.count <= LoopSettings.compressedPieceMax)
            // No command: the client is disconnected for it.
            try await client.send(frame)
            _ = try await client.receiveClose()
            // As of the start, when nothing of it can have leaked.
            await expect(hub.loops[0].perform { $0.waiting.costs.inflating.isTooMuch(now: start) })
        }
    }

    @Test func compressedAndOtherFramesOfOneReadAreServedInTheirOrder() async throws {
        func command(_ id: Int) -> String {
            #"{"id":\#(id),"unsubscribe":{"channel":"news:a"}}"#
        }
        try await withLoops(patient) { hub in
            let client = try hub.connect()
            try await client.upgradeDeflating()
            try await client.send(deflated(#"{"id":1,"connect":{}}"#))
            try await client.skipFrame()
            let frames = [
                deflated(command(2)), clientFrame(Frame.text, Array(command(3).utf8)),
                clientFrame(Frame.pong, []), deflated(command(4)), deflated(command(5)),
                clientFrame(Frame.text, Array(command(6).utf8)),
            ]
            try await client.send(Array(frames.joined()))
            for id in 2...6 {
                try await expectEqual(client.receiveText(), #"{"id":\#(id),"unsubscribe":{}}"#)
            }
        }
    }

    /// A session refuses frames over its own limit, so the WebSocket does not collect longer ones.
    @Test func frameOverTheLimitOfItsSessionIsNotCollected() async throws {
        let limits = CentrifugeLimits(frameLengthMax: 4000, commandLengthMax: 4000)
        try await withLoops({ $0.client = limits }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            try await client.send(start(4001))
            try await expectEqual(client.receiveClose().code, 1009)
        }
    }

    // MARK: Memory

    @Test func unfinishedMessagesAreCountedInflated() async throws {
        let shared = HubShared(budget: MemoryBudget(limit: 64 << 20))
        try await withLoops(patient, shared: shared) { hub in
            let client = try hub.connect()
            try await client.upgradeDeflating("/echo")
            let frame = deflatedStart(300_000)
            expect(frame.count < 2000)
            try await client.send(frame)
            try await hub.settle()
            expect(shared.budget.held(for: .messages) >= 300_000)
            await client.close()
            while shared.budget.held(for: .messages) > 0 { try await hub.settle() }
            expectEqual(shared.budget.held, 0)
        }
    }

    @Test func messageThatEndsIsNotCountedAnyMore() async throws {
        let shared = HubShared(budget: MemoryBudget(limit: 64 << 20))
        try await withLoops(patient, shared: shared) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(start(100_000))
            try await hub.settle()
            expect(shared.budget.held(for: .messages) >= 100_000)
            try await client.send(clientFrame(0, []))
            try await expectEqual(client.receiveText().utf8.count, 100_000)
            expectEqual(shared.budget.held(for: .messages), 0)
        }
    }

    @Test func largestAnonymousMessagesAreGivenUpFirst() async throws {
        let budget = MemoryBudget(limit: 8 << 20)
        let tokens = try await TestTokens()
        let log = RecordedLog()
        try await withLoops(
            patient,
            verifier: tokens.verifier,
            shared: HubShared(budget: budget),
            logger: log.logger
        ) { hub in
            let (user, small, large) = (try hub.connect(), try hub.connect(), try hub.connect())
            _ = try await user.connectSession(token: try tokens.connection("42"))
            try await small.connectSession()
            try await large.connectSession()
            // Eight commands of a length that is allowed, and one.
            let many = (2..<10).map { publish($0, 50_000) }.joined(separator: "\n")
            let one = publish(2, 10_000)
            try await user.send(start(of: many))
            try await small.send(start(of: one))
            try await large.send(start(300_000))
            try await hub.settle()
            await expectEqual(hub.count(.memory), 0)

            // Something else takes the rest of what anonymous peers may fill.
            budget.add(budget.limit(for: .anonymous) - budget.held + 1, to: .alerts)
            try await hub.settle()
            try await expectEqual(large.receiveClose().code, 1013)
            await expectEqual(hub.count(.memory), 1)

            let end = Array("}".utf8)
            try await small.send(clientFrame(0, end))
            try await expectEqual(small.receiveText(), #"{"id":2,"publish":{}}"#)
            try await user.send(clientFrame(0, end))
            try await expect(user.receiveText().contains(#"{"id":2,"publish":{}}"#))

            // Users have more, and lose what they have last.
            try await user.send(start(400_000))
            try await hub.settle()
            budget.add(budget.limit(for: .user) - budget.held + 1, to: .alerts)
            try await hub.settle()
            try await expectEqual(user.receiveClose().code, 1013)
            await expectEqual(hub.count(.memory), 2)
            let lines = log.lines.withLock { $0 }.filter { $0.message.contains("memory limit") }
            expect((1...2).contains(lines.count), "one line for what happens in ten seconds")
        }
    }

    @Test func requestWithoutItsEndIsGivenUpLikewise() async throws {
        let budget = MemoryBudget(limit: 8 << 20)
        try await withLoops(patient, shared: HubShared(budget: budget)) { hub in
            let client = try hub.connect()
            let head = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n"
            try await client.send(head + String(repeating: "x", count: 100_000))
            while budget.held(for: .messages) < 100_000 { try await hub.settle() }
            budget.add(budget.limit(for: .anonymous), to: .alerts)
            try await hub.settle()
            let answer = try await client.receiveResponse()
            expectEqual(answer.status, 503)
            expect(answer.fields["retry-after"] != nil)
            await expectEqual(hub.count(.memory), 1)
        }
    }

    /// Each loop gives up its own part, and nothing of those that hold little while others hold much.
    @Test func newMessagesAreGivenUpWhileThereIsNoRoom() async throws {
        let budget = MemoryBudget(limit: 8 << 20)
        try await withLoops(patient, shared: HubShared(budget: budget)) { hub in
            budget.add(budget.limit, to: .alerts)
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.sendText("whole messages need no room")
            try await expectEqual(client.receiveText(), "whole messages need no room")
            try await client.send(start(100))
            try await expectEqual(client.receiveClose().code, 1013)
            expectEqual(budget.held(for: .messages), 0)
        }
    }

    /// The first frame of a compressed message of `count` blanks.
    private func deflatedStart(_ count: Int) -> [UInt8] {
        deflated(bytes(count), isFinal: false)
    }

    private func deflated(_ text: String) -> [UInt8] {
        deflated(Array(text.utf8), isFinal: true)
    }

    private func deflated(_ payload: [UInt8], isFinal: Bool) -> [UInt8] {
        var peer = WebSocketConnection(
            role: .client,
            deflate: DeflateParameters(),
            pool: DeflatePool()
        )
        var output: [UInt8] = []
        try? peer.send(
            .text,
            payload.span,
            isFinal: isFinal,
            output: &output,
            maskingKey: { 7 }
        )
        return output
    }
}

extension LoopTestClient {
    fileprivate func upgradeDeflating(_ path: String = "/connection/websocket") async throws {
        try send(webSocketRequest(path, ["Sec-WebSocket-Extensions: permessage-deflate"]))
        let head = try await receiveHead()
        guard head.fields["sec-websocket-extensions"] != nil else {
            throw Failure.unexpected("no compression")
        }
    }

    /// A frame that may be compressed.
    fileprivate func skipFrame() async throws {
        let short = Int(try await receive(2)[1])
        let length = short < 126 ? [UInt8(short)] : try await receive(short == 126 ? 2 : 8)
        _ = try await receive(length.reduce(0) { $0 << 8 | Int($1) })
    }
}
