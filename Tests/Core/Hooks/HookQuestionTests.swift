import Expectations

@testable import Core

@Suite("Hooks: bodies of questions, and equal questions", .timeLimit(.minutes(10)))
struct HookQuestionTests {
    private static let ann = HookClient(
        id: "c-1",
        transport: "websocket",
        protocolName: "json",
        user: "ann",
        meta: Array(#"{"plan":"pro"}"#.utf8)
    )
    private static let head =
        #""client":"c-1","transport":"websocket","protocol":"json","encoding":"json""#
    private static let topic = Topic(trusted: "chat:1")

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [
        (
            HookQuestion.Subject.connect(
                .init(
                    name: "js",
                    version: "5.4",
                    data: bytes(#"{"a":1}"#),
                    topics: [topic]
                )
            ),
            #"{\#(head),"data":{"a":1},"name":"js","version":"5.4","channels":["chat:1"]}"#
        ),
        (.connect(.init()), "{\(head)}"),
        (.refresh, #"{\#(head),"user":"ann","meta":{"plan":"pro"}}"#),
        (
            .subscribe(topic, token: "t", data: bytes("[1]")),
            #"{\#(head),"user":"ann","channel":"chat:1","meta":{"plan":"pro"},"token":"t","data":[1]}"#
        ),
        (
            .subscribe(topic, token: "", data: nil),
            #"{\#(head),"user":"ann","channel":"chat:1","meta":{"plan":"pro"}}"#
        ),
        (
            .subRefresh(topic),
            #"{\#(head),"user":"ann","channel":"chat:1","meta":{"plan":"pro"}}"#
        ),
        (
            .publish(topic, data: bytes("null")),
            #"{\#(head),"user":"ann","channel":"chat:1","meta":{"plan":"pro"},"data":null}"#
        ),
        (
            .rpc(method: "sum", data: bytes("[1,2]")),
            #"{\#(head),"user":"ann","meta":{"plan":"pro"},"method":"sum","data":[1,2]}"#
        ),
        (
            .rpc(method: "now", data: nil),
            #"{\#(head),"user":"ann","meta":{"plan":"pro"},"method":"now"}"#
        ),
    ])
    func bodyHasTheFieldsOfTheProxy(subject: HookQuestion.Subject, body: String) {
        let question = HookQuestion(subject, of: Self.ann)
        expectEqual(String(decoding: question.body, as: UTF8.self), body)
    }

    @Test func questionWithoutAClientHasOnlyItsTopic() {
        let question = HookQuestion(.cacheEmpty(Self.topic), of: nil)
        expectEqual(question.body, Self.bytes(#"{"channel":"chat:1"}"#))
        expectEqual(question.key, HookQuestion(.cacheEmpty(Self.topic), of: Self.ann).key)
        expect(question.key != nil)
        let other = HookQuestion(.cacheEmpty(Topic(trusted: "chat:2")), of: nil)
        expect(question.key != other.key)
    }

    // MARK: Keys

    private func connect(
        _ connection: HookQuestion.Connection = .init(),
        id: String = "c-1",
        headers: [HookQuestion.Header] = []
    ) -> HookQuestion {
        var client = Self.ann
        client.id = id
        return HookQuestion(.connect(connection), of: client, headers: headers)
    }

    @Test func connectionsDifferByWhatTheApplicationCanTellThemApart() {
        let cookie = HookQuestion.Header("Cookie", "a=1")
        let same = connect(headers: [cookie])
        expectEqual(same.key, connect(id: "c-2", headers: [.init("cookie", "a=1")]).key)
        let others = [
            connect(), connect(headers: [.init("Cookie", "a=2")]),
            connect(headers: [.init("Cookie2", "a=1")]),
            connect(headers: [cookie, .init("X-Tenant", "1")]),
            connect(.init(name: "js"), headers: [cookie]),
            connect(.init(version: "js"), headers: [cookie]),
            connect(.init(data: Self.bytes("js")), headers: [cookie]),
            connect(.init(data: []), headers: [cookie]),
        ]
        expectEqual(Set(([same] + others).map(\.key)).count, 1 + others.count)
        // What it had before is no part of the question who it is.
        expectEqual(same.key, connect(.init(topics: [Self.topic]), headers: [cookie]).key)
    }

    @Test func subscriptionsDifferByUserTopicTokenAndData() {
        func key(
            _ topic: String = "chat:1",
            token: String = "",
            data: String? = nil,
            user: String = "ann",
            meta: String? = nil,
            id: String = "c-1"
        ) -> [UInt8]? {
            var client = HookClient(id: id, transport: "sse", protocolName: "json", user: user)
            client.meta = meta.map(Self.bytes)
            let topic = Topic(trusted: topic)
            return HookQuestion(
                .subscribe(topic, token: token, data: data.map(Self.bytes)),
                of: client
            ).key
        }
        expectEqual(key(), key(id: "c-2"))
        let keys = [
            key(), key("chat:2"), key(token: "t"), key(data: "t"), key(user: "bob"), key(data: ""),
            key(meta: "1"),
        ]
        expectEqual(Set(keys).count, keys.count)
    }

    @Test(arguments: [
        HookQuestion.Subject.refresh, .subRefresh(topic), .publish(topic, data: [48]),
        .rpc(method: "m", data: nil),
    ])
    func questionAboutOneClientHasNoKey(subject: HookQuestion.Subject) {
        expectNil(HookQuestion(subject, of: Self.ann).key)
    }
}
