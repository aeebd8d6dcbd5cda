import Expectations
import SwiftProtobuf

@testable import ClientWire

@Suite("Commands in Protobuf", .timeLimit(.minutes(10)))
struct CentrifugeProtobufCommandTests {
    /// Each command in both encodings, with every field.
    static let pairs: [(json: String, protobuf: WireCommand)] = [
        ("{}", WireCommand()),
        (
            #"{"id":4294967295,"connect":{"token":"t","data":{"a":1},"name":"n","version":"v","#
                + #""subs":{"b":{"recover":true,"offset":7,"epoch":"e","flag":2}}}}"#,
            command(.max) {
                $0.connect.token = "t"
                $0.connect.data = wireData(Array(#"{"a":1}"#.utf8))
                $0.connect.name = "n"
                $0.connect.version = "v"
                $0.connect.subs["b"] = .with {
                    $0.recover = true
                    $0.offset = 7
                    $0.epoch = "e"
                    $0.flag = 2
                }
            }
        ),
        (
            #"{"id":2,"subscribe":{"channel":"a","token":"t","recover":true,"epoch":"e","#
                + #""offset":18446744073709551615,"data":[1],"positioned":true,"#
                + #""recoverable":true,"join_leave":true,"delta":"fossil","flag":3,"#
                + #""tf":{"op":"and","nodes":[{"key":"k","cmp":"eq","val":"v"},"#
                + #"{"key":"k","cmp":"in","vals":["v","w"]}]}}}"#,
            command(2) {
                $0.subscribe.channel = "a"
                $0.subscribe.token = "t"
                $0.subscribe.recover = true
                $0.subscribe.epoch = "e"
                $0.subscribe.offset = .max
                $0.subscribe.data = wireData(Array("[1]".utf8))
                $0.subscribe.positioned = true
                $0.subscribe.recoverable = true
                $0.subscribe.joinLeave = true
                $0.subscribe.delta = "fossil"
                $0.subscribe.flag = 3
                $0.subscribe.tf.op = "and"
                $0.subscribe.tf.nodes = [
                    .with {
                        $0.key = "k"
                        $0.cmp = "eq"
                        $0.val = "v"
                    },
                    .with {
                        $0.key = "k"
                        $0.cmp = "in"
                        $0.vals = ["v", "w"]
                    },
                ]
            }
        ),
        (
            #"{"id":2,"subscribe":{"channel":"a","type":1}}"#,
            command(2) {
                $0.subscribe.channel = "a"
                $0.subscribe.type = 1
            }
        ),
        (#"{"id":2,"unsubscribe":{"channel":"a"}}"#, command(2) { $0.unsubscribe.channel = "a" }),
        (
            #"{"id":2,"publish":{"channel":"a","data":"x"}}"#,
            command(2) {
                $0.publish.channel = "a"
                $0.publish.data = wireData(Array(#""x""#.utf8))
            }
        ),
        (#"{"id":2,"publish":{"type":-1}}"#, command(2) { $0.publish.type = -1 }),
        (#"{"id":2,"presence":{"channel":"a"}}"#, command(2) { $0.presence.channel = "a" }),
        (
            #"{"id":2,"presence_stats":{"channel":"a"}}"#,
            command(2) { $0.presenceStats.channel = "a" }
        ),
        (
            #"{"id":2,"history":{"channel":"a","limit":-1,"reverse":true,"#
                + #""since":{"offset":5,"epoch":"e"}}}"#,
            command(2) {
                $0.history.channel = "a"
                $0.history.limit = -1
                $0.history.reverse = true
                $0.history.since.offset = 5
                $0.history.since.epoch = "e"
            }
        ),
        (
            #"{"id":2,"history":{"since":{}}}"#,
            command(2) { $0.history.since = WireStreamPosition() }
        ),
        (#"{"id":2,"ping":{}}"#, command(2) { $0.ping = WirePingRequest() }),
        (#"{"id":2,"send":{}}"#, command(2) { $0.send = WireSendRequest() }),
        (#"{"send":{"data":1}}"#, command(0) { $0.send.data = wireData([0x31]) }),
        (
            #"{"id":2,"rpc":{"method":"m","data":null}}"#,
            command(2) { $0.rpc.method = "m" }
        ),
        (#"{"id":2,"refresh":{"token":"t"}}"#, command(2) { $0.refresh.token = "t" }),
        (
            #"{"id":2,"sub_refresh":{"channel":"a","token":"t"}}"#,
            command(2) {
                $0.subRefresh.channel = "a"
                $0.subRefresh.token = "t"
            }
        ),
        (#"{"id":2,"sub_refresh":{"type":1}}"#, command(2) { $0.subRefresh.type = 1 }),
        (#"{"id":2}"#, command(2) { _ in }),
    ]

    private static func command(
        _ id: UInt32,
        _ body: (inout WireCommand) -> Void
    ) -> WireCommand {
        var command = WireCommand()
        command.id = id
        body(&command)
        return command
    }

    private static func bytes(_ command: WireCommand) throws -> [UInt8] {
        try command.serializedBytes()
    }

    @Test(arguments: pairs.indices)
    func commandReadsTheSameInBothEncodings(index: Int) throws {
        let (json, protobuf) = Self.pairs[index]
        let fromJSON = try CentrifugeCommand(Array(json.utf8)[...], encoding: .json)
        let bytes = try Self.bytes(protobuf)
        try expectEqual(CentrifugeCommand(bytes[...], encoding: .protobuf), fromJSON)
    }

    /// A cut at the end of a field leaves a shorter message; everywhere else it is refused.
    @Test(arguments: pairs.indices)
    func everyCutIsReadOrRefused(index: Int) throws {
        let bytes = try Self.bytes(Self.pairs[index].protobuf)
        var refused = 0
        for length in bytes.indices {
            do {
                _ = try CentrifugeCommand(bytes[..<length], encoding: .protobuf)
            } catch {
                expectEqual(error, .notProtobuf, "cut at \(length)")
                refused += 1
            }
        }
        // The id is 2 bytes; whatever follows it is one field.
        if bytes.count > 2 { expect(refused >= bytes.count - 7) }
    }

    /// Every byte replaced by every other: read or refused, and never anything else.
    @Test func everyDamagedByteIsReadOrRefused() throws {
        let bytes = try Self.bytes(Self.pairs[2].protobuf)
        var refused = 0
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max where byte != bytes[index] {
                var damaged = bytes
                damaged[index] = byte
                do {
                    _ = try CentrifugeCommand(damaged[...], encoding: .protobuf)
                } catch {
                    refused += 1
                }
            }
        }
        expect(refused > bytes.count * 30)
    }

    @Test func severalMethodsAreRefused() throws {
        let bytes = try Self.bytes(
            Self.command(1) {
                $0.rpc = WireRPCRequest()
                $0.ping = WirePingRequest()
            }
        )
        #expect(throws: CommandError.severalMethods) {
            try CentrifugeCommand(bytes[...], encoding: .protobuf)
        }
    }

    @Test func depthOfFiltersIsLimited() throws {
        func nested(_ depth: Int) throws -> [UInt8] {
            var node = WireFilterNode()
            for _ in 1..<depth {
                var parent = WireFilterNode()
                parent.op = "not"
                parent.nodes = [node]
                node = parent
            }
            return try Self.bytes(Self.command(1) { $0.subscribe.tf = node })
        }
        let deep = try nested(90)
        #expect(throws: Never.self) { try CentrifugeCommand(deep[...], encoding: .protobuf) }
        let tooDeep = try nested(120)
        #expect(throws: CommandError.notProtobuf) {
            try CentrifugeCommand(tooDeep[...], encoding: .protobuf)
        }
    }

    @Test func dataThatAreNoJSONAreTold() throws {
        for text in ["x", "1 2", "1],[2", "{", " ", "\u{0}"] {
            let bytes = try Self.bytes(
                Self.command(1) { $0.publish.data = wireData(Array(text.utf8)) }
            )
            let command = try CentrifugeCommand(bytes[...], encoding: .protobuf)
            expectEqual(command.method, .dataNotJSON, "\(text)")
        }
    }
}
