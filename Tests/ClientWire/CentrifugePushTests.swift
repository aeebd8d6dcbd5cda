import ClientWire
import Expectations

@Suite("protocol/vectors/centrifuge-pushes.json", .timeLimit(.minutes(10)))
struct CentrifugePushTests {
    private static let topic = Topic(trusted: "aurora:tromso")

    private static let namelessClient = ClientInfo(user: "", client: "c7")
    private static let client = ClientInfo(
        user: "42",
        client: "c8",
        connectionInfo: Array(#"{"name":"Ada"}"#.utf8),
        topicInfo: Array(#"{"colour":"green"}"#.utf8)
    )

    private static func publication(_ payload: String, offset: UInt64 = 6) -> Publication {
        Publication(
            topic: topic,
            offset: offset,
            cursor: 106,
            time: Timestamp(milliseconds: 1),
            payload: Array(payload.utf8),
            allowsDelta: true
        )
    }

    @Test func fileCanBeRead() throws {
        try expectEqual(PushVector.file.get().count, 14)
    }

    @Test(arguments: PushVector.all)
    func pushIsWrittenInBothEncodings(vector: PushVector) throws {
        try expectEqual(text(require(push(vector.name, .json))), vector.json)
        try expectEqual(hex(require(push(vector.name, .protobuf))), vector.protobuf)
    }

    /// Nil for a name that this test does not know.
    private func push(_ name: String, _ encoding: ClientEncoding) -> [UInt8]? {
        let accented = "{\"text\":\"blå\\n\"}"
        return switch name {
        case "publication":
            CentrifugePush.publication(Self.publication(#"{"score":73}"#), encoding: encoding)
        case "largest offset":
            CentrifugePush.publication(Self.publication("1", offset: .max), encoding: encoding)
        case "publication in full for a subscriber with deltas":
            delta(accented, .full, encoding)
        case "difference":
            delta(accented, .difference(Array("4\n4@0,0:3~x;".utf8)), encoding)
        case "difference that is not UTF-8":
            delta(accented, .difference(Array("4\n1:".utf8) + [0xC3, 0x3B]), encoding)
        case "join":
            CentrifugePush.join(Self.topic, Self.client, encoding: encoding)
        case "join of a client without a name":
            CentrifugePush.join(Self.topic, Self.namelessClient, encoding: encoding)
        case "leave":
            CentrifugePush.leave(Self.topic, Self.client, encoding: encoding)
        case "unsubscribe":
            CentrifugePush.unsubscribe(Self.topic, .insufficientState, encoding: encoding)
        case "subscribe":
            CentrifugePush.subscribe(
                ServerSubscription(
                    topic: Self.topic,
                    subscribed: Subscribed(
                        position: Position(offset: 5, epoch: "xk3f"),
                        isRecoverable: true,
                        recovery: nil
                    ),
                    data: Array(#"{"role":"guest"}"#.utf8)
                ),
                encoding: encoding
            )
        case "message":
            CentrifugePush.message(Array(#"{"n":1}"#.utf8), encoding: encoding)
        case "disconnect":
            CentrifugePush.disconnect(.shutdown, encoding: encoding)
        case "refresh":
            CentrifugePush.refresh(timeToLiveSeconds: 600, encoding: encoding)
        case "refresh for ever":
            CentrifugePush.refresh(timeToLiveSeconds: nil, encoding: encoding)
        default: nil
        }
    }

    private func delta(
        _ payload: String,
        _ form: CentrifugePush.DeltaForm,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        CentrifugePush.appendPublication(
            Self.publication(payload),
            delta: form,
            encoding: encoding,
            to: &bytes
        )
        return bytes
    }

    @Test(arguments: ClientEncoding.allCases)
    func publicationsAreAppendedOneBehindTheOther(encoding: ClientEncoding) {
        var bytes: [UInt8] = [0xAA]
        CentrifugePush.appendPublication(Self.publication("1"), encoding: encoding, to: &bytes)
        CentrifugePush.appendPublication(Self.publication("2"), encoding: encoding, to: &bytes)
        let one = CentrifugePush.publication(Self.publication("1"), encoding: encoding)
        let two = CentrifugePush.publication(Self.publication("2"), encoding: encoding)
        expectEqual(bytes, [0xAA] + one + two)
    }

    @Test func textsOfOthersStayOnOneLineInJSON() {
        let info = ClientInfo(user: "a\nb", client: "c", connectionInfo: Array("[\n1]".utf8))
        for bytes in [
            CentrifugePush.join(Self.topic, info, encoding: .json),
            CentrifugePush.message(Array("[\n1]".utf8), encoding: .json),
        ] {
            expect(!bytes.contains(UInt8(ascii: "\n")))
            expect(text(bytes).contains("[ 1]"))
        }
    }
}
