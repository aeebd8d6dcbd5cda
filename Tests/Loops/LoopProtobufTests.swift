import Expectations
import LoopTesting

@testable import Loops

/// The client protocol in Protobuf. The messages are written here by their numbers, as a client would.
@Suite("Loop: the client protocol in Protobuf", .timeLimit(.minutes(10)))
struct LoopProtobufTests {
    private typealias Frame = LoopTestClient.Frame

    /// Fields of a message, by their numbers.
    private struct Message {
        var bytes: [UInt8] = []

        init(_ bytes: [UInt8] = []) { self.bytes = bytes }

        func number(_ field: Int, _ value: Int) -> Message {
            Message(bytes + Message.varint(field << 3) + Message.varint(value))
        }

        func text(_ field: Int, _ value: String) -> Message {
            message(field, Message(Array(value.utf8)))
        }

        func message(_ field: Int, _ value: Message) -> Message {
            let head = Message.varint(field << 3 | 2) + Message.varint(value.bytes.count)
            return Message(bytes + head + value.bytes)
        }

        /// Behind its length, as messages stand in a frame.
        var delimited: [UInt8] { Message.varint(bytes.count) + bytes }

        private static func varint(_ value: Int) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F | 0x80)] + varint(value >> 7)
        }

        // MARK: Reading

        /// The messages of a frame.
        static func messages(of frame: [UInt8]) -> [Message] {
            var rest = frame[...]
            var messages: [Message] = []
            while !rest.isEmpty {
                let length = takeVarint(&rest)
                messages.append(Message(Array(rest.prefix(length))))
                rest = rest.dropFirst(length)
            }
            return messages
        }

        /// The last field of this number as a number; 0 when there is none.
        func number(_ field: Int) -> Int { fields[field]?.number ?? 0 }

        /// The last field of this number; empty when there is none.
        func message(_ field: Int) -> Message { Message(fields[field]?.bytes ?? []) }

        func text(_ field: Int) -> String { String(decoding: message(field).bytes, as: UTF8.self) }

        private var fields: [Int: (number: Int, bytes: [UInt8])] {
            var rest = bytes[...]
            var fields: [Int: (number: Int, bytes: [UInt8])] = [:]
            while !rest.isEmpty {
                let tag = Message.takeVarint(&rest)
                let value = Message.takeVarint(&rest)
                guard tag & 7 == 2 else {
                    fields[tag >> 3] = (value, [])
                    continue
                }
                fields[tag >> 3] = (0, Array(rest.prefix(value)))
                rest = rest.dropFirst(value)
            }
            return fields
        }

        private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> Int {
            var value = 0
            var shift = 0
            while let byte = bytes.popFirst() {
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            return value
        }
    }

    // The numbers of the methods in commands and replies.
    private static let (push, connect, subscribe, publish) = (4, 4, 5, 7)

    private func command(_ id: Int, _ method: Int, _ message: Message) -> [UInt8] {
        Message().number(1, id).message(method, message).delimited
    }

    /// The next messages that are no pings.
    private func receive(_ client: LoopTestClient, _ count: Int) async throws -> [Message] {
        var messages: [Message] = []
        while messages.count < count {
            let frame = try await client.receiveFrame()
            try require(frame.opcode == Frame.binary)
            messages += Message.messages(of: frame.payload).filter { !$0.bytes.isEmpty }
        }
        return messages
    }

    private func upgraded(_ hub: LoopFixture, _ way: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        let path = "/connection/websocket"
        switch way {
        case "subprotocol":
            let field = "Sec-WebSocket-Protocol: centrifuge-protobuf"
            try await client.send(webSocketRequest(path, [field]))
            let head = try await client.receiveHead()
            expectEqual(head.fields["sec-websocket-protocol"], "centrifuge-protobuf")
        default: try await client.upgrade(path + "?" + way)
        }
        return client
    }

    @Test(arguments: ["subprotocol", "format=protobuf", "cf_protocol=protobuf"])
    func commandsOfOneFrameAreAllAnswered(way: String) async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1")
            let client = try await upgraded(hub, way)
            let frame =
                command(1, Self.connect, Message())
                + command(2, Self.subscribe, Message().text(1, "news:a"))
                + command(3, Self.subscribe, Message().text(1, "nowhere:a"))
            try await client.send(clientFrame(Frame.binary, frame))
            let replies = try await receive(client, 3)
            expectEqual(replies.map { $0.number(1) }, [1, 2, 3])
            expect(!replies[0].message(5).text(1).isEmpty, "the client's id")
            expectEqual(replies[1].message(6).text(6), "e1")
            expectEqual(replies[1].message(6).number(9), 1)
            expectEqual(replies[2].message(2).number(1), 102)
        }
    }

    @Test func publicationsComeAsMessages() async throws {
        try await withLoops { hub in
            let client = try await upgraded(hub, "subprotocol")
            let frame =
                command(1, Self.connect, Message())
                + command(2, Self.subscribe, Message().text(1, "news:a"))
            try await client.send(clientFrame(Frame.binary, frame))
            _ = try await receive(client, 2)
            hub.publish("news:a", #"{"n":1}"#, "2")
            for (offset, data) in [(1, #"{"n":1}"#), (2, "2")] {
                let push = try await receive(client, 1)[0].message(Self.push)
                expectEqual(push.text(2), "news:a")
                expectEqual(push.message(4).text(4), data)
                expectEqual(push.message(4).number(6), offset)
            }
        }
    }

    @Test func clientsOfBothEncodingsShareATopic() async throws {
        try await withLoops { hub in
            let text = try hub.connect()
            try await text.connectSession()
            _ = try await text.subscribe(2, "news:a")
            let binary = try await upgraded(hub, "subprotocol")
            let data = Message().text(1, "news:a").text(2, #"{"n": 1}"#)
            let frame = command(1, Self.connect, Message()) + command(2, Self.publish, data)
            try await binary.send(clientFrame(Frame.binary, frame))
            try await expectEqual(receive(binary, 2)[1].number(1), 2)
            let pushed = try await text.receiveText()
            expect(pushed.contains(#""pub":{"data":{"n": 1},"offset":1,"info":{"user":"""#))
        }
    }

    @Test func textMessageEndsTheConnection() async throws {
        try await withLoops { hub in
            let client = try await upgraded(hub, "subprotocol")
            try await client.send(
                clientFrame(Frame.binary, command(1, Self.connect, Message()))
            )
            _ = try await receive(client, 1)
            try await client.sendText("{}")
            try await expect(client.receiveClose() == (3506, "inappropriate protocol"))
        }
    }

    @Test(arguments: [[0xFF], [5, 8, 1], [2, 0x0F, 0x0F]] as [[UInt8]])
    func frameThatHoldsNoMessagesEndsTheConnection(bytes: [UInt8]) async throws {
        try await withLoops { hub in
            let client = try await upgraded(hub, "subprotocol")
            try await client.send(
                clientFrame(Frame.binary, command(1, Self.connect, Message()))
            )
            _ = try await receive(client, 1)
            try await client.send(clientFrame(Frame.binary, bytes))
            try await expect(client.receiveClose() == (3501, "bad request"))
        }
    }
}
