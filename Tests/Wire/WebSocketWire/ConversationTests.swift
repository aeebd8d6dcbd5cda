import Expectations
import SeededRandom
import Wire

/// One end of a simulated conversation: what it has yet to say, what it said, what it heard.
private struct End: ~Copyable {
    var connection: WebSocketConnection
    /// Bytes on their way to the other end.
    var wire: [UInt8] = []
    /// Messages that have not begun, the next one last.
    var unsent: [Received]
    /// The message in progress and the rest of its bytes.
    var sending: (kind: MessageKind, rest: [UInt8])?
    var pingCount: UInt8 = 0
    var heard: [Received] = []

    init(_ role: Role, saying messages: [Received], deflate: DeflateParameters?) {
        connection = WebSocketConnection(
            role: role,
            deflate: deflate,
            pool: DeflatePool(settings: DeflateSettings(messageLengthMin: 20))
        )
        unsent = messages.reversed()
    }

    var isDone: Bool { unsent.isEmpty && sending == nil }

    /// Sends a ping or a fragment of random length, which may be empty or the whole rest.
    mutating func speak(_ random: inout SeededGenerator) throws {
        var keys = random
        defer { random = keys }
        if Int.random(in: 0..<5, using: &keys) == 0 {
            pingCount &+= 1
            let payload = [UInt8](repeating: pingCount, count: Int(pingCount % 126))
            try connection.sendPing(payload.span, output: &wire) {
                UInt32.random(in: 0...UInt32.max, using: &keys)
            }
            return
        }
        if sending == nil, case .message(let kind, let bytes)? = unsent.popLast() {
            sending = (kind, bytes)
        }
        guard let (kind, rest) = sending else { return }
        let count =
            Bool.random(using: &keys) ? rest.count : Int.random(in: 0...rest.count, using: &keys)
        let isFinal = count == rest.count && Bool.random(using: &keys)
        let fragment = Array(rest[..<count])
        try connection.send(kind, fragment.span, isFinal: isFinal, output: &wire) {
            UInt32.random(in: 0...UInt32.max, using: &keys)
        }
        sending = isFinal ? nil : (kind, Array(rest[count...]))
    }

    /// Hears the next bytes of the other end's wire, as many as chance will have it.
    mutating func hear(_ otherWire: inout [UInt8], _ random: inout SeededGenerator) {
        let most = Bool.random(using: &random) ? otherWire.count : min(20, otherWire.count)
        let count = Int.random(in: 0...most, using: &random)
        var transcript = Transcript()
        transcript.record(&connection, Array(otherWire[..<count]))
        otherWire.removeFirst(count)
        heard += transcript.events
        wire += transcript.output
    }

    var heardMessages: [Received] {
        heard.filter { event in
            if case .message = event { true } else { false }
        }
    }

    var heardPingCount: Int { heard.count { if case .ping = $0 { true } else { false } } }

    /// The first byte of each pong, which counts the pings.
    var heardPongs: [UInt8] {
        heard.compactMap { event in
            if case .pong(let bytes) = event { bytes.first } else { nil }
        }
    }
}

@Suite("A client and a server in conversation", .timeLimit(.minutes(10)))
struct ConversationTests {
    private func messages(_ random: inout SeededGenerator) -> [Received] {
        let scalars: [Unicode.Scalar] = ["a", "å", "日", "🗻", "\u{0}", "\u{10FFFF}"]
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in
            let lengthMax = [0, 5, 130, 3000].randomElement(using: &random)!
            let length = Int.random(in: 0...lengthMax, using: &random)
            guard Bool.random(using: &random) else {
                return .binary((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            var text = String.UnicodeScalarView()
            for _ in 0..<length { text.append(scalars.randomElement(using: &random)!) }
            return .text(String(text))
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func everyMessageArrivesInOrderHoweverItIsCut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (fromClient, fromServer) = (messages(&random), messages(&random))
        let deflate =
            seed.isMultiple(of: 3)
            ? nil : DeflateParameters(server: .random(&random), client: .random(&random))
        var client = End(.client, saying: fromClient, deflate: deflate)
        var server = End(.server, saying: fromServer, deflate: deflate)

        while !client.isDone || !server.isDone || !client.wire.isEmpty || !server.wire.isEmpty {
            if !client.isDone { try client.speak(&random) }
            if !server.isDone { try server.speak(&random) }
            server.hear(&client.wire, &random)
            client.hear(&server.wire, &random)
        }
        expectEqual(server.heardMessages, fromClient)
        expectEqual(client.heardMessages, fromServer)
        // Both ends answered every ping, in order.
        expectEqual(server.heardPingCount, Int(client.pingCount))
        expectEqual(client.heardPingCount, Int(server.pingCount))
        expectEqual(client.heardPongs, Array(1..<(UInt8(client.heardPongs.count) + 1)))
        expectEqual(client.heardPongs.count, Int(client.pingCount))
        expectEqual(server.heardPongs.count, Int(server.pingCount))

        try close(&client, &server, &random)
    }

    /// Either end, or both at once, closes; both have to end closed and silent.
    private func close(
        _ client: inout End,
        _ server: inout End,
        _ random: inout SeededGenerator
    ) throws {
        let closer = Int.random(in: 0..<3, using: &random)
        if closer != 1 { try client.connection.startClosing(.goingAway, output: &client.wire) }
        if closer != 0 { try server.connection.startClosing(.goingAway, output: &server.wire) }
        while !client.wire.isEmpty || !server.wire.isEmpty {
            server.hear(&client.wire, &random)
            client.hear(&server.wire, &random)
        }
        expectEqual(client.heard.last, .closed(.goingAway, reason: ""))
        expectEqual(server.heard.last, .closed(.goingAway, reason: ""))
        let (clientState, serverState) = (client.connection.state, server.connection.state)
        expectEqual(clientState, .closed)
        expectEqual(serverState, .closed)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func randomBytesAreReadOrRefusedAndNothingElse(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for role in Role.both {
            var connection = WebSocketConnection(
                role: role,
                limits: WebSocketLimits(messageLengthMax: 1000)
            )
            var transcript = Transcript()
            for _ in 0..<40 {
                // Mostly frames with one wrong byte, so that more than the first header is read.
                var bytes = Wire.frame(
                    [0x81, 0x82, 0x01, 0x80, 0x89, 0x8A, 0x88].randomElement(using: &random)!,
                    "some text",
                    from: role.peer
                )
                let index = Int.random(in: 0..<bytes.count * 4, using: &random)
                if index < bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
                transcript.record(&connection, bytes)
                expect(connection.assembled.count <= 1000 + 125)
            }
            let ends = transcript.events.filter { event in
                switch event {
                case .closed, .failed: true
                case .message, .ping, .pong: false
                }
            }
            expect(ends.count <= 1)
            expectEqual(connection.isClosed, !ends.isEmpty)
        }
    }
}
