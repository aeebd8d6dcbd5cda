import Expectations
import LoopTesting
import Reactor

@testable import Loops

@Suite("Loop: histories from the store", .timeLimit(.minutes(10)))
struct LoopHistoryWaitsTests {
    private static let topic = Topic(trusted: "news:a")

    /// A store with ten publications of a topic, read when a test says so.
    private final class Store {
        let histories: HistoryTable
        let hub: SteppedLoop
        let lists = Locked<[@Sendable (StoredTopicsPage?) -> Void]>([])

        init(bytesMax: Int = 1) throws {
            let limits = LoopFixture.namespaces.map {
                ($0.name, HistoryLimit(count: $0.historySize, age: nil))
            }
            histories = HistoryTable(
                epoch: LoopFixture.epoch,
                cursorBase: LoopFixture.cursorBase,
                newestStoredCursor: LoopFixture.cursorBase + 10,
                isBacked: true,
                namespaces: NamespaceTable(histories: Dictionary(uniqueKeysWithValues: limits)),
                limits: HubLimits(storedHistoryBytesMax: bytesMax)
            )
            hub = try SteppedLoop(
                hasBarrier: false,
                stored: SteppedLoop.StoredTopics(
                    histories: histories,
                    lister: { [lists] _, _, done in lists.withLock { $0.append(done) } }
                )
            )
        }

        func publication(_ offset: UInt64) -> Publication {
            Publication(
                topic: topic,
                offset: offset,
                cursor: LoopFixture.cursorBase + offset,
                time: .init(milliseconds: 0),
                payload: Array("\(offset)".utf8)
            )
        }

        func publish(_ offset: UInt64) throws {
            let publication = publication(offset)
            histories.publish([publication])
            expect(
                hub.loop.mailbox.post(
                    .publications([publication], committed: hub.ask { $0.now })
                )
            )
            hub.run()
        }

        /// Reads what was requested; the snapshot has the publications up to an offset.
        func read(through top: UInt64 = 10, fails: Bool = false) throws {
            try finish(histories.takeReads(countMax: 9), through: top, fails: fails)
        }

        func finish(
            _ reads: [HistoryRead],
            through top: UInt64 = 10,
            fails: Bool = false
        ) throws {
            for read in reads {
                let found = FoundHistory.history(
                    StoredHistory(
                        beginning: 0,
                        topOffset: top,
                        evictedOffset: 0,
                        evictedCursor: 0,
                        throughCursor: LoopFixture.cursorBase + top,
                        publications: (1...top).map { publication($0) },
                        isCut: false
                    )
                )
                let end =
                    try fails
                    ? histories.fail(read.topic)
                    : histories.finish(
                        read,
                        read.topic == topic ? found : .nothing(forgottenThrough: 0)
                    )
                guard let end else { continue }
                expectEqual(end.readers, [0])
                expect(hub.loop.mailbox.post(.historyRead(end.topic, end.outcome)))
            }
            hub.run()
        }

        func client() throws -> SteppedClient {
            let client = try hub.connectSession()
            expectEqual(client.messages().count, 1)
            return client
        }

        func answerList(_ page: StoredTopicsPage?) {
            let asked = lists.withLock { lists in
                defer { lists = [] }
                return lists
            }
            expectEqual(asked.count, 1)
            for done in asked { done(page) }
            hub.run()
        }

        var waitCount: Int { hub.ask { $0.waiting.historyWorkCount } }
    }

    private static func recover(_ id: Int, _ offset: UInt64, topic: String = "news:a") -> String {
        #"{"id":\#(id),"subscribe":{"channel":"\#(topic)","recover":true,"epoch":"e1","#
            + #""offset":\#(offset)}}"#
    }

    private static func refused(_ id: Int) -> String {
        #"{"id":\#(id),"error":{"code":100,"message":"internal server error","temporary":true}}"#
    }

    private static let missed = #"{"data":9,"offset":9},{"data":10,"offset":10}"#

    @Test func subscriberWaitsForTheHistory() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8))
        expectEqual(client.messages(), [])
        expectEqual(store.hub.ask { $0.counted.historyWaits }, 1)
        try store.read()
        expectEqual(
            client.messages(),
            [
                subscribed(2, offset: 8, recovered: true, missed: Self.missed)
            ]
        )
        try store.publish(11)
        expectEqual(client.messages(), [pushed("news:a", "11", 11)])
        expectEqual(store.waitCount, 0)
        expect(store.hub.ask { $0.hub.isElsewhere(Self.topic) }, "it is released")
    }

    @Test func historyThatIsHereIsReleasedAfterTheTurn() throws {
        let store = try Store(bytesMax: 2000)
        let first = try store.client()
        first.sendText(Self.recover(2, 8))
        try store.read()
        _ = first.messages()
        let second = try store.client()
        second.sendText(Self.recover(2, 8))
        expectEqual(
            second.messages(),
            [
                subscribed(2, offset: 8, recovered: true, missed: Self.missed)
            ]
        )
        expect(!store.hub.ask { $0.hub.isElsewhere(Self.topic) })
        let other = Publication(
            topic: Topic(trusted: "news:b"),
            offset: 1,
            cursor: LoopFixture.cursorBase + 11,
            time: .init(milliseconds: 0),
            payload: [UInt8](repeating: 32, count: 2000)
        )
        store.histories.publish([other])
        expect(store.hub.ask { $0.hub.isElsewhere(Self.topic) })
    }

    /// The snapshot has it, and the loop receives it as it receives all that comes after the answer.
    @Test func whatTheLoopHasNotReceivedIsSentOnce() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 9))
        try store.read(through: 11)
        expectEqual(client.messages(), [], "the loop is behind")
        try store.publish(11)
        let missed = #"{"data":10,"offset":10},{"data":11,"offset":11}"#
        expectEqual(client.messages(), [subscribed(2, offset: 9, recovered: true, missed: missed)])
        try store.publish(12)
        expectEqual(client.messages(), [pushed("news:a", "12", 12)])
    }

    @Test func whatIsPublishedMeanwhileIsRecovered() throws {
        let store = try Store(bytesMax: 1 << 20)
        let client = try store.client()
        client.sendText(Self.recover(2, 9))
        let reads = store.histories.takeReads(countMax: 9)
        try store.publish(11)
        try store.finish(reads)
        let missed = #"{"data":10,"offset":10},{"data":11,"offset":11}"#
        expectEqual(client.messages(), [subscribed(2, offset: 9, recovered: true, missed: missed)])
    }

    @Test func laterCommandsWaitForTheirTurn() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8) + "\n" + #"{"id":3,"unsubscribe":{"channel":"news:a"}}"#)
        client.sendText(#"{"id":4,"history":{"channel":"news:a"}}"#)
        expectEqual(client.messages(), [])
        try store.read()
        try store.read()
        let answers = client.messages().joined(separator: "\n").split(separator: "\n")
        expectEqual(answers.map { $0.prefix(7) }, [#"{"id":2"#, #"{"id":3"#, #"{"id":4"#])
    }

    @Test func subscriberThatHasMissedNothingNeedsNoHistory() throws {
        let store = try Store()
        let first = try store.client()
        first.sendText(Self.recover(2, 8))
        try store.read()
        expectEqual(first.messages().count, 1)
        let second = try store.client()
        second.sendText(Self.recover(2, 10))
        expectEqual(second.messages(), [subscribed(2, offset: 10, recovered: true)])
        let third = try store.client()
        third.sendText(Self.recover(2, 9))
        expectEqual(third.messages(), [])
        expectEqual(store.hub.ask { $0.counted.historyWaits }, 2)
    }

    @Test func failedReadIsATemporaryError() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8))
        try store.read(fails: true)
        expectEqual(client.messages(), [Self.refused(2)])
        client.sendText(Self.recover(3, 8))
        try store.read()
        expectEqual(
            client.messages(),
            [
                subscribed(3, offset: 8, recovered: true, missed: Self.missed)
            ]
        )
    }

    @Test(arguments: [(9_999, 0), (10_000, 1)])
    func slowReadIsATemporaryError(milliseconds: Int, answers: Int) throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8))
        store.hub.letTimePass(.milliseconds(milliseconds))
        expectEqual(client.messages(), Array(repeating: Self.refused(2), count: answers))
        expectEqual(store.waitCount, 1 - answers)
    }

    @Test func clientThatLeavesNoLongerWaits() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8))
        client.close()
        expectEqual(store.waitCount, 0)
        try store.read()
        expectEqual(store.waitCount, 0)
        expect(store.hub.ask { $0.hub.isElsewhere(Self.topic) }, "no one holds it")
        let next = try store.client()
        next.sendText(Self.recover(2, 8))
        try store.read()
        expectEqual(next.messages().count, 1)
    }

    @Test func topicThatTheClientMayNotReadIsNotRead() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(Self.recover(2, 8, topic: "closed:a"))
        expectEqual(client.messages().first?.contains(#""code":103"#), true)
        expect(store.histories.takeReads(countMax: 1).isEmpty)
    }

    @Test func streamThatAnEventSourceAsksForIsSentBackIfItsHistoryCannotBeRead() throws {
        let store = try Store()
        let client = try store.hub.connect()
        client.send(
            "GET /events?topics=news:a HTTP/1.1\r\nHost: h\r\nLast-Event-ID: 109\r\n"
                + "Accept: text/event-stream\r\n\r\n"
        )
        try store.read(fails: true)
        let answer = client.received()
        expect(answer.hasPrefix("HTTP/1.1 200 "))
        expect(answer.contains("\r\n\r\nretry: "))
        expect(!answer.contains("data:"))
    }

    @Test(arguments: [false, true])
    func streamWaitsForItsHistories(fails: Bool) throws {
        let store = try Store()
        let client = try store.hub.connect()
        client.send(
            "GET /events?topics=news:a,news:b HTTP/1.1\r\nHost: h\r\nLast-Event-ID: 109\r\n\r\n"
        )
        expectEqual(client.received(), "")
        try store.read(fails: fails)
        try store.read(fails: fails)
        let answer = client.received()
        if fails {
            expect(answer.hasPrefix("HTTP/1.1 503 "))
            expect(answer.contains("Retry-After: 1\r\n"))
        } else {
            expect(answer.hasPrefix("HTTP/1.1 200 "))
            expect(answer.hasSuffix("id: 110\nevent: news:a\ndata: 10\n\n"))
        }
        expectEqual(store.waitCount, 0)
    }

    // MARK: Lists

    private static func page(_ places: ClosedRange<Int>, next: Int?) -> StoredTopicsPage {
        StoredTopicsPage(
            rows: places.map {
                StoredTopicsPage.Row(
                    place: $0,
                    topic: Topic(trusted: "news:\($0)"),
                    position: Position(offset: UInt64($0), epoch: "e1")
                )
            },
            next: next
        )
    }

    private static func listed(_ number: Int) -> String {
        #"{"topic":"news:\#(number)","offset":\#(number),"epoch":"e1","subscribed":false}"#
    }

    @Test func listHasTheTopicsOfTheStorePageByPage() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(#"{"id":2,"rpc":{"method":"hub.topics","data":{"limit":2}}}"#)
        expectEqual(client.messages(), [])
        store.answerList(Self.page(1...3, next: nil))
        let next = (1 << 40) + 2
        expectEqual(
            client.messages(),
            [
                #"{"id":2,"rpc":{"data":{"topics":[\#(Self.listed(1)),\#(Self.listed(2))],"#
                    + #""complete":false,"next":\#(next)}}}"#
            ]
        )
        client.sendText(#"{"id":3,"rpc":{"method":"hub.topics","data":{"cursor":\#(next)}}}"#)
        store.answerList(Self.page(3...3, next: nil))
        expectEqual(
            client.messages(),
            [
                #"{"id":3,"rpc":{"data":{"topics":[\#(Self.listed(3))],"complete":true}}}"#
            ]
        )
    }

    @Test func listThatCannotBeReadIsATemporaryError() throws {
        let store = try Store()
        let client = try store.client()
        client.sendText(#"{"id":2,"rpc":{"method":"hub.topics"}}"#)
        store.answerList(nil)
        expectEqual(client.messages(), [Self.refused(2)])
    }
}
