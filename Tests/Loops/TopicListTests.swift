import ClientWire
import Configuration
import Core
import Expectations
import LoopTesting
import Reactor
import Service

@testable import Loops

@Suite("Loop: the list of topics", .timeLimit(.minutes(10)))
struct TopicListTests {
    private func list(
        _ request: String,
        topics: [String],
        stored: StoredTopicsPage? = nil
    ) throws -> (json: String, workBytes: Int) {
        let histories = LoopFixture.namespaces.map {
            ($0.name, HistoryLimit(count: $0.historySize, age: nil))
        }
        var hub = LoopTopics(
            epoch: "e1",
            cursorBase: 0,
            namespaces: NamespaceTable(
                histories: Dictionary(uniqueKeysWithValues: histories)
            )
        )
        for (index, name) in topics.enumerated() {
            _ = hub.publish(
                Publication(
                    topic: Topic(trusted: name),
                    offset: 1,
                    cursor: UInt64(index + 1),
                    time: Timestamp(milliseconds: 0),
                    payload: [49]
                )
            )
        }
        let admission = Loops.Admission(
            verifier: TokenVerifier(keys: TokenKeySet(configured: [])),
            apiKeys: APIKeys([]),
            rules: NamespaceRules(LoopFixture.namespaces, domains: [:], reserved: []),
            sockets: [],
            settings: AccessSettings(),
            context: LoopContext(
                index: 0,
                shared: HubShared(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let session = ClientSession(
            machine: ClientMachine(
                stream: .lines,
                CentrifugeSession(limits: CentrifugeLimits(), encoding: .json, now: 0)
            ),
            compressedForm: .clientStream,
            id: "c1",
            address: "",
            network: 0,
            start: MonotonicInstant(nanoseconds: 0)
        )
        let page = try require(TopicsPage(Array(request.utf8)))
        let list = TopicList(page, for: session, hub, admission, stored: stored)
        return (String(decoding: list.json(for: session), as: UTF8.self), list.workBytes)
    }

    private func topic(_ name: String, _ offset: Int = 1) -> String {
        #"{"topic":"\#(name)","offset":\#(offset),"epoch":"e1","subscribed":false}"#
    }

    @Test func listHasTheTopicsThatTheClientMayRead() throws {
        let (json, workBytes) = try list("{}", topics: ["news:b", "closed:a", "news:a"])
        expectEqual(
            json,
            #"{"topics":[\#(topic("news:a")),\#(topic("news:b"))],"complete":true}"#
        )
        expectEqual(workBytes, 3 * 16, "also for the topic that it may not read")
    }

    @Test func listContinuesWhereItHasEnded() throws {
        let topics = ["news:a", "news:b", "news:c"]
        let first = try list(#"{"limit":2}"#, topics: topics)
        expectEqual(
            first.json,
            #"{"topics":[\#(topic("news:a")),\#(topic("news:b"))],"complete":false,"next":2}"#
        )
        let rest = try list(#"{"limit":2,"cursor":2}"#, topics: topics)
        expectEqual(rest.json, #"{"topics":[\#(topic("news:c"))],"complete":true}"#)
    }

    @Test func topicsOfTheStoreComeLast() throws {
        let row = StoredTopicsPage.Row(
            place: 7,
            topic: Topic(trusted: "news:stored"),
            position: Position(offset: 4, epoch: "e1")
        )
        let page = StoredTopicsPage(rows: [row], next: 7)
        let (json, workBytes) = try list("{}", topics: ["news:a"], stored: page)
        let next = (1 << 40) + 7
        expectEqual(
            json,
            #"{"topics":[\#(topic("news:a")),\#(topic("news:stored", 4))],"complete":false,"#
                + #""next":\#(next)}"#
        )
        expectEqual(workBytes, 2 * 16)
    }

    @Test(arguments: [#"{"limit":0}"#, #"{"limit":"x"}"#, #"{"cursor":-1}"#])
    func invalidRequestIsNoPage(request: String) {
        expect(TopicsPage(Array(request.utf8)) == nil)
        expect(TopicsPage(nil) != nil)
    }
}
