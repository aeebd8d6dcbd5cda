import ClientWire
import Expectations
import LoopTesting

@testable import Loops

/// What one turn of a loop does for one peer: at the limit, one over it, and the counter that tells of it.
@Suite("Loop: the work of a turn", .timeLimit(.minutes(10)))
struct LoopTurnTests {
    private typealias Frame = LoopTestClient.Frame

    private static let commands = (2...4).map { id in
        #"{"id":\#(id),"unsubscribe":{"channel":"news:a"}}"#
    }
    private static let answers = (2...4).map { #"{"id":\#($0),"unsubscribe":{}}"# }

    /// The frame and two answers are as much as the turn does: the third command is in it, or not.
    @Test(arguments: [(0, 0), (-1, 1)])
    func commandsBeyondTheWorkOfATurnWait(more: Int, postponed: UInt64) async throws {
        let frame = Self.commands.joined(separator: "\n")
        let work = frame.utf8.count + Self.answers.prefix(2).joined().utf8.count
        try await withLoops({ $0.turnWorkBytesMax = work + more }) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            _ = try await client.command(#"{"id":1,"connect":{}}"#)
            try await client.sendText(frame)
            for answer in Self.answers { try await expectEqual(client.receiveText(), answer) }
            await expectEqual(hub.count(.turnWork), postponed)
        }
    }

    /// Few bytes ask, few answer, and all topics are looked at for it.
    @Test(
        .disabled(if: historiesAreStored, "about histories in memory"),
        arguments: [
            #"{"id":2,"rpc":{"method":"hub.topics"}}"#,
            #"{"id":2,"rpc":{"method":"hub.explain","data":{"topic":"told:0","offset":1}}}"#,
        ]
    )
    func callThatLooksAtVeryMuchIsMuchOfATurnsWork(call: String) async throws {
        try await withLoops({ $0.turnWorkBytesMax = 1000 }) { hub in
            for index in 0..<200 { hub.publish("told:\(index)", "1") }
            try await hub.settle()
            await hub.loops[0].perform { loop in
                for index in 0..<20_000 {
                    loop.fanOut.record.refuse(client: "\(index)", topic: topic("told:1"), at: 1)
                }
            }
            let client = try hub.connect()
            try await client.connectSession()
            try await client.sendText(call + "\n" + Self.commands[1])
            try await expect(client.receiveText().hasPrefix(#"{"id":2,"rpc":"#))
            try await expectEqual(client.receiveText(), Self.answers[1])
            await expectEqual(hub.count(.turnWork), 1)
        }
    }

    /// The client's next command waits for the end of the turn, and nobody else's does.
    @Test func clientWhoseCallsHaveCostMuchGoesLast() async throws {
        try await withLoops { hub in
            let (costly, other) = (try hub.connect(), try hub.connect())
            try await costly.connectSession()
            let call = #"{"id":2,"rpc":{"method":"hub.topics"}}"#
            _ = try await costly.command(call)
            await expectEqual(hub.count(.turnWork), 0, "a short list")
            await hub.loops[0].perform { loop in
                for case .client(let session) in loop.sessions {
                    session.calls.add(1 << 40, now: loop.milliseconds)
                }
            }
            try await other.connectSession()
            await expectEqual(hub.count(.turnWork), 0)
            let reply = try await costly.command(call)
            expect(reply.hasPrefix(#"{"id":2,"rpc":"#))
            await expectEqual(hub.count(.turnWork), 1)
        }
    }

    /// The commands behind the call wait with it, and no other client does.
    @Test func callWaitsWhileThoseOfAllClientsAreTooMany() async throws {
        try await withLoops { hub in
            let (caller, other) = (try hub.connect(), try hub.connect())
            try await caller.connectSession()
            try await other.connectSession()
            await hub.loops[0].perform { loop in
                loop.waiting.costs.calls.add(loop.waiting.costs.calls.bytesMax + 1, now: .max)
            }
            let call = #"{"id":3,"rpc":{"method":"hub.topics"}}"#
            let (before, behind) = (Self.commands[0], Self.commands[2])
            try await caller.sendText([before, call, behind].joined(separator: "\n"))
            try await expectEqual(caller.receiveText(), Self.answers[0])
            await expectEqual(hub.count(.turnWork), 1)
            try await expectEqual(other.command(Self.commands[0]), Self.answers[0])
            await expectEqual(hub.loops[0].perform { $0.waiting.count }, 1)
            await hub.loops[0].perform { $0.waiting.costs.calls = .callsOfLoop }
            try await expect(caller.receiveText().hasPrefix(#"{"id":3,"rpc":"#))
            try await expectEqual(caller.receiveText(), Self.answers[2])
            await expect(hub.loops[0].perform { $0.waiting.isEmpty })
        }
    }

    @Test func callThatWaitedIsAnsweredWithoutFurtherInput() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            await hub.loops[0].perform { loop in
                loop.waiting.costs.calls.add(
                    loop.waiting.costs.calls.bytesMax + 1,
                    now: loop.milliseconds + 200
                )
            }
            let reply = try await client.command(#"{"id":2,"rpc":{"method":"hub.topics"}}"#)
            expect(reply.hasPrefix(#"{"id":2,"rpc":"#))
        }
    }

    /// What a filter keeps back was looked at all the same.
    @Test func recoveryThatAFilterEmptiesIsWorkOfATurn() async throws {
        try await withLoops({ $0.turnWorkBytesMax = 1000 }) { hub in
            hub.publish("news:a", (0..<50).map { "\($0)" })
            try await hub.settle()
            let client = try hub.connect()
            try await client.connectSession()
            let filter = #""tf":{"key":"colour","cmp":"ex"}"#
            let position = #""recover":true,"epoch":"e1","offset":0"#
            try await client.sendText(
                #"{"id":2,"subscribe":{"channel":"news:a",\#(position),\#(filter)}}"# + "\n"
                    + Self.commands[1]
            )
            let reply = try await client.receiveText()
            expect(reply.contains(#""recovered":true"#))
            expect(offsets(in: reply).isEmpty)
            try await expectEqual(client.receiveText(), Self.answers[1])
            await expectEqual(hub.count(.turnWork), 1)
        }
    }

    @Test(arguments: [(0, 0), (1, 1)])
    func echoesBeyondTheWorkOfATurnWait(more: Int, postponed: UInt64) async throws {
        try await withLoops({ $0.turnWorkBytesMax = 100 }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            let payloads = [50, 50 + more, 1, 120, 125].map { [UInt8](repeating: 7, count: $0) }
            let frames = payloads.map { clientFrame(Frame.binary, $0) }
            try await client.send(Array(frames[..<2].joined()) + clientFrame(Frame.ping, [1]))
            for payload in payloads[..<2] {
                try await expectEqual(client.receiveFrame().payload, payload)
            }
            try await expectEqual(client.receiveFrame(), Frame(opcode: Frame.pong, payload: [1]))
            await expectEqual(hub.count(.turnWork), postponed)
            // The others have more than a turn each, and what comes behind them is not lost.
            try await client.send(Array(frames[2...].joined()) + clientFrame(Frame.close, []))
            for payload in payloads[2...] {
                try await expectEqual(client.receiveFrame().payload, payload)
            }
            try await expectEqual(client.receiveFrame().opcode, Frame.close)
            await expect(client.endsHere())
            await expectEqual(hub.count(.turnWork), postponed + 2)
        }
    }

    @Test func turnThatTakesAllTheConnectionsThatItMayIsCounted() async throws {
        try await withLoops({ $0.turnAcceptsMax = 1 }) { hub in
            for count in 1...3 {
                let response = try await hub.connect().get("/")
                expectEqual(response.status, 200)
                await expectEqual(hub.count(.turnAccepts), UInt64(count))
            }
        }
        try await withLoops({ $0.turnAcceptsMax = 2 }) { hub in
            for _ in 1...3 {
                let response = try await hub.connect().get("/")
                expectEqual(response.status, 200)
            }
            await expectEqual(hub.count(.turnAccepts), 0)
        }
    }
}
