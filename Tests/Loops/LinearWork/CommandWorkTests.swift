import ClientWire
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// Twice as many commands are twice the work: in one message and in many, in both encodings, also if
/// they extend over turns or wait.
@Suite("Linear work: commands", .timeLimit(.minutes(10)))
struct CommandWorkTests {
    /// The forms of input in which commands arrive.
    enum Form: CaseIterable {
        case oneMessage
        case messages
    }

    private static func topic(_ number: Int) -> String { "news:\(number)" }

    /// For each command of the protocol; unknown methods are as good as known ones.
    private static let commands: [(name: String, command: @Sendable (Int) -> TestCommand)] = [
        ("subscribe", { .subscribe(topic($0)) }),
        ("subscribe to one topic", { _ in .subscribe("news:a") }),
        ("subscribe to a refused topic", { .subscribe("closed:\($0)") }),
        ("recover", { .subscribe(topic($0), since: 0) }),
        ("unsubscribe", { .unsubscribe(topic($0)) }),
        ("publish", { .publish(topic($0)) }),
        ("presence", { .presence(topic($0)) }),
        ("presence_stats", { .presenceStats(topic($0)) }),
        ("history", { .history(topic($0)) }),
        ("rpc", { _ in .rpc("none") }),
        ("hub.topics", { _ in .rpc("hub.topics") }),
        ("hub.explain", { _ in .rpc("hub.explain") }),
        ("send", { _ in .send }),
        ("sub_refresh", { .subRefresh(topic($0), token: "x") }),
        ("pong", { _ in .pong }),
    ]

    /// A pong takes so few bytes that fewer of them do not extend over turns.
    private static let pongs = 320

    @Test(arguments: ClientEncoding.allCases, Form.allCases)
    func commandsOfEachKind(encoding: ClientEncoding, form: Form) throws {
        for (name, command) in Self.commands {
            let units = name == "pong" ? Self.pongs : 40
            try expectLinearWork("\(name), \(encoding), \(form)", units: units) { units in
                let fixture = try WorkFixture(encoding)
                let commands = (0..<units).map(command)
                let bytes =
                    switch form {
                    case .oneMessage: fixture.frame(commands)
                    case .messages: commands.flatMap { fixture.frame([$0]) }
                    }
                return { fixture.handle(bytes) }
            }
        }
    }

    @Test(arguments: ClientEncoding.allCases)
    func subscriptionsThatEnd(encoding: ClientEncoding) async throws {
        let tokens = try await TestTokens()
        for isReversed in [false, true] {
            try expectLinearWork("unsubscribe, reversed \(isReversed)") { units in
                let fixture = try WorkFixture(encoding, tokens: tokens)
                // With tokens they expire, and expiries are ordered.
                let commands = try (0..<units).map {
                    let topic = Self.topic($0)
                    return TestCommand.subscribe(topic, token: try tokens.subscription("42", topic))
                }
                for command in commands { fixture.handle(fixture.frame([command])) }
                let topics = (0..<units).map(Self.topic)
                let ends = fixture.frame(
                    (isReversed ? topics.reversed() : topics).map { .unsubscribe($0) }
                )
                return { fixture.handle(ends) }
            }
        }
    }

    @Test(arguments: ClientEncoding.allCases)
    func refreshes(encoding: ClientEncoding) async throws {
        let tokens = try await TestTokens()
        let token = try tokens.connection("42")
        try expectLinearWork("refresh") { units in
            let fixture = try WorkFixture(encoding, tokens: tokens)
            let bytes = fixture.frame((0..<units).map { _ in .refresh(token) })
            return { fixture.handle(bytes) }
        }
    }

    /// Each command of one message waits for its position, and the others behind it.
    @Test(arguments: ClientEncoding.allCases)
    func commandsThatWaitForTheirPosition(encoding: ClientEncoding) throws {
        try expectLinearWork("position waits") { units in
            let fixture = try WorkFixture(encoding, hasBarrier: true)
            for number in 0..<units { fixture.hub.publish(Self.topic(number), "1") }
            let bytes = fixture.frame((0..<units).map { .subscribe(Self.topic($0), since: 2) })
            return {
                fixture.client.send(bytes)
                for number in 0..<units {
                    fixture.hub.publish(Self.topic(number), "2")
                    fixture.hub.answer()
                    fixture.client.discard()
                }
            }
        }
    }

    /// Commands that come along with a connect command wait for its answer.
    @Test func commandsBehindAConnectCommand() throws {
        try expectLinearWork("connect with commands") { units in
            let fixture = try WorkFixture(connects: false)
            fixture.client.upgrade()
            let commands = (0..<units).map { TestCommand.unsubscribe(Self.topic($0)) }
            let bytes = fixture.frame([.connect(token: "")] + commands)
            return { fixture.handle(bytes) }
        }
    }

    @Test func connectWithManySubscriptions() async throws {
        let tokens = try await TestTokens()
        try expectLinearWork("connect with subscriptions", units: 10) { units in
            let fixture = try WorkFixture(tokens: tokens, connects: false)
            fixture.client.upgrade()
            let topics = (0..<units).map(Self.topic)
            let token = try tokens.connection("42", topics: topics)
            let former = topics.map { #""\#($0)":{"recover":true,"epoch":"e1","offset":0}"# }
            let connect =
                #"{"id":1,"connect":{"token":"\#(token)","subs":{"#
                + former.joined(separator: ",") + "}}}"
            let bytes = clientFrame(1, Array(connect.utf8))
            return { fixture.handle(bytes) }
        }
    }

    @Test func filtersWithManyParts() throws {
        func filter(_ parts: String) -> String {
            #"{"id":2,"subscribe":{"channel":"news:a","tf":\#(parts)}}"#
        }
        let forms: [(name: String, units: Int, filter: (Int) -> String)] = [
            (
                "values", 40,
                { units in
                    let values = (0..<units).map { #""\#($0)""# }.joined(separator: ",")
                    return filter(#"{"key":"a","cmp":"in","vals":[\#(values)]}"#)
                }
            ),
            (
                "nodes", 7,
                { units in
                    let node = #"{"key":"a","cmp":"eq","val":"1"}"#
                    let nodes = [String](repeating: node, count: units).joined(separator: ",")
                    return filter(#"{"op":"and","nodes":[\#(nodes)]}"#)
                }
            ),
        ]
        for (name, units, filter) in forms {
            try expectLinearWork(name, units: units) { units in
                let fixture = try WorkFixture()
                let bytes = clientFrame(1, Array(filter(units).utf8))
                return { fixture.handle(bytes) }
            }
        }
    }

    /// As many clients wait for room in their queues as there are; the others do not pay for them.
    @Test func turnsBesidePostponedClients() throws {
        try expectLinearWork("postponed clients", units: 8) { units in
            let fixture = try WorkFixture { $0.connections.queueBytesMax = 16 << 10 }
            for _ in 0..<40 { fixture.hub.publish("news:a", String(repeating: "1", count: 900)) }
            let crowd = try (0..<units).map { _ in
                let client = try fixture.hub.connectSession()
                client.sendText(
                    (2..<200).map { #"{"id":\#($0),"history":{"channel":"news:a","limit":30}}"# }
                        .joined(separator: "\n")
                )
                return client
            }
            let bytes = fixture.frame([.pong])
            return {
                for _ in 0..<20 {
                    fixture.client.send(bytes)
                    fixture.client.discard()
                }
                withExtendedLifetime(crowd) {}
            }
        }
    }
}
