import Expectations
import SeededRandom

@testable import Topics

/// Histories that are read from the store when they are needed.
@Suite("Stored histories", .timeLimit(.minutes(10)))
struct StoredHistoriesTests {
    static let topic = Topic(trusted: "n:a")
    private static let other = Topic(trusted: "n:b")

    static func table(
        count: Int = 3,
        bytes: Int = .max,
        isDurable: Bool = true,
        budget: Int = .max
    ) -> HistoryTable {
        HistoryTable(
            epoch: "e",
            cursorBase: 100,
            newestStoredCursor: 110,
            isBacked: true,
            namespaces: NamespaceTable([
                "n": NamespaceSettings(
                    history: HistoryLimit(count: count, age: nil, bytes: bytes),
                    isDurable: isDurable
                )
            ]),
            limits: HubLimits(storedHistoryBytesMax: budget)
        )
    }

    private static func publication(_ offset: UInt64, tags: [String: String] = [:]) -> Publication {
        Publication(topic, offset, cursor: 100 + offset, tags: tags)
    }

    /// Offsets up to 10, of which the store has the last three.
    private static func stored(
        _ offsets: ClosedRange<UInt64> = 8...10,
        tags: [String: String] = [:],
        isCut: Bool = false
    ) -> StoredHistory {
        StoredHistory(
            beginning: 0,
            topOffset: offsets.upperBound,
            evictedOffset: offsets.lowerBound - 1,
            evictedCursor: 100 + offsets.lowerBound - 1,
            throughCursor: 100 + offsets.upperBound,
            publications: offsets.map { publication($0, tags: tags) },
            isCut: isCut
        )
    }

    static func offsets(_ hub: TestHub) -> [UInt64] {
        hub.history(of: topic)?.newest(.max).map(\.offset) ?? []
    }

    static let read = HistoryRead(
        topic: topic,
        limit: HistoryLimit(count: 3, age: nil)
    )

    @Test func topicIsReadWhenItIsRequested() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        expect(hub.isElsewhere(Self.topic))
        expectEqual(table.takeReads(countMax: 9), [], "nobody has asked")
        expectEqual(hub.request(Self.topic), .read)
        expectEqual(hub.request(Self.topic), .read)
        let reads = table.takeReads(countMax: 9)
        expectEqual(reads.map(\.topic), [Self.topic], "one read for all requests")
        expectEqual(reads.first?.limit.count, 3)
        expectEqual(table.takeReads(countMax: 9), [])
        let end = try table.finish(Self.read, .history(Self.stored()))
        expectEqual(
            end,
            HistoryReadEnd(topic: Self.topic, outcome: .read(through: 110), readers: [0])
        )
        expect(!hub.isElsewhere(Self.topic))
        expectNil(hub.request(Self.topic))
        expectEqual(Self.offsets(hub), [8, 9, 10])
        expectEqual(hub.position(of: Self.topic), Position(offset: 10, epoch: "e"))
    }

    @Test func topicsOfMemoryAndWithoutHistoryAreNotRead() {
        for table in [Self.table(count: 0), Self.table(isDurable: false)] {
            let hub = TestHub(sharing: table)
            expect(!hub.isElsewhere(Self.topic))
            expectNil(hub.request(Self.topic))
            expectNil(hub.request(Topic(trusted: "unknown:a")))
        }
    }

    @Test func firstPublicationOfATopicNeedsNoRead() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        let first = Publication(Self.topic, 1, cursor: 111)
        table.publish([first])
        expect(!hub.isElsewhere(Self.topic))
        hub.publish(first)
        expectEqual(Self.offsets(hub), [1])
    }

    /// Of a topic that is only in the store.
    @Test func laterPublicationIsNotKeptWithoutTheOthers() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        table.publish([Self.publication(11)])
        hub.publish(Self.publication(11))
        expect(hub.isElsewhere(Self.topic))
        expectEqual(table.sizes.topicCount, 0)
    }

    /// The snapshot may have them, or not.
    @Test(arguments: [10, 11, 12] as [UInt64])
    func commitsSinceTheRequestAreMergedByOffset(top: UInt64) throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        let later = [Self.publication(11), Self.publication(12)]
        table.publish(later)
        _ = try table.finish(Self.read, .history(Self.stored(top - 2...top)))
        for publication in later { hub.publish(publication) }
        expectEqual(Self.offsets(hub), [10, 11, 12])
    }

    /// What the snapshot has and the loop has not received comes through the loop's mailbox.
    @Test func loopWaitsUntilItHasReachedTheSnapshot() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, .history(Self.stored(9...11)))
        expect(hub.isElsewhere(Self.topic))
        expectEqual(hub.request(Self.topic), .cursor(111))
        table.publish([Self.publication(11)])
        expect(hub.isElsewhere(Self.topic))
        hub.publish(Self.publication(11))
        expect(!hub.isElsewhere(Self.topic))
        expectEqual(Self.offsets(hub), [9, 10, 11])
    }

    @Test func erasedAndRemovedPublicationsDoNotComeBack() throws {
        for isErasure in [true, false] {
            let table = Self.table()
            let hub = TestHub(sharing: table)
            _ = hub.request(Self.topic)
            _ = table.takeReads(countMax: 1)
            let old = Self.stored(tags: ["act": "7"])
            if isErasure {
                table.erase(Erasure(topic: Self.topic, tag: "act", value: "7"))
            } else {
                table.removeHistory(of: Self.topic, through: 10)
            }
            _ = try table.finish(Self.read, .history(old))
            expectEqual(Self.offsets(hub), [])
            expectEqual(hub.position(of: Self.topic).offset, 10)
        }
    }

    /// The snapshot can have publications that were committed after an erasure that is not yet noted.
    @Test(arguments: [false, true])
    func erasureLeavesWhatWasCommittedAfterIt(isNotedBefore: Bool) throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        let erasure = Erasure(topic: Self.topic, tag: "act", value: "7")
        if isNotedBefore { table.erase(erasure) }
        let end = try table.finish(Self.read, .history(Self.stored(11...11, tags: ["act": "7"])))
        if !isNotedBefore { table.erase(erasure) }
        expectEqual((end == nil), isNotedBefore)
        expectEqual(hub.request(Self.topic), .read)
        table.publish([Self.publication(11, tags: ["act": "7"])])
        hub.publish(Self.publication(11, tags: ["act": "7"]))
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, .history(Self.stored(11...11, tags: ["act": "7"])))
        expectEqual(Self.offsets(hub), [11])
    }

    @Test func forgottenTopicIsReadAgain() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        table.forget(ForgottenTopic(Self.topic, throughCursor: 110))
        let first = try table.finish(Self.read, .history(Self.stored()))
        expectNil(first)
        expectEqual(table.takeReads(countMax: 1).map(\.topic), [Self.topic])
        let second = try table.finish(Self.read, .nothing(forgottenThrough: 0))
        expectEqual(second?.readers, [0])
        expectEqual(Self.offsets(hub), [])
    }

    @Test func readThatTheCommitsDoNotContinueIsRepeated() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        table.publish([Self.publication(12)])
        let first = try table.finish(Self.read, .history(Self.stored()))
        expectNil(first)
        expectEqual(table.takeReads(countMax: 1).map(\.topic), [Self.topic])
        let second = try table.finish(Self.read, .history(Self.stored(10...12)))
        expect(second != nil)
    }

    @Test func manyCommitsDuringAReadAreReadAgain() throws {
        let length = Self.publication(11).wireLength
        for isTooMuch in [false, true] {
            let table = Self.table(budget: 2 * 2 * length - (isTooMuch ? 1 : 0))
            let hub = TestHub(sharing: table)
            _ = hub.request(Self.topic)
            _ = table.takeReads(countMax: 1)
            table.publish([Self.publication(11), Self.publication(12)])
            let end = try table.finish(Self.read, .history(Self.stored(10...10)))
            expectEqual((end == nil), isTooMuch)
        }
    }

    @Test(arguments: [10_000, 10_001] as [UInt64])
    func soManyCommitsAreCollectedDuringARead(count: UInt64) throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        table.publish((11...10 + count).map { Self.publication($0) })
        let end = try table.finish(Self.read, .history(Self.stored()))
        expectEqual((end == nil), (count > 10_000))
    }

    /// They are in the snapshot, which begins later.
    @Test func commitsBeforeTheReadIsTakenAreNotCollected() throws {
        let table = Self.table(budget: 1)
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        table.publish([Self.publication(11), Self.publication(12)])
        _ = table.takeReads(countMax: 1)
        let end = try table.finish(Self.read, .history(Self.stored(10...12)))
        expectEqual(end?.readers, [0])
    }

    @Test func longPublicationsAskForARead() async {
        let table = Self.table(count: 10, bytes: Self.publication(11).wireLength)
        let (requests, asked) = AsyncStream<Void>.makeStream()
        table.setWhenRequested { asked.yield() }
        table.publish([Self.publication(11)])
        asked.finish()
        var count = 0
        for await _ in requests { count += 1 }
        expectEqual(count, 1)
        expectEqual(table.takeReads(countMax: 1).count, 1)
    }

    @Test func failedReadIsReportedAndCanBeRepeated() {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        _ = first.request(Self.topic)
        _ = second.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        expectEqual(
            table.fail(Self.topic),
            HistoryReadEnd(topic: Self.topic, outcome: .failed, readers: [0, 1])
        )
        expect(first.isElsewhere(Self.topic))
        expectEqual(first.request(Self.topic), .read)
        expectEqual(table.takeReads(countMax: 1).map(\.topic), [Self.topic])
    }

    @Test func damagedHistoryIsAnError() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        var stored = Self.stored()
        stored.publications.swapAt(0, 1)
        #expect(throws: RestoreError.offset(8, after: 9)) {
            _ = try table.finish(Self.read, .history(stored))
        }
        expectEqual(table.fail(Self.topic).readers, [0])
    }

    // MARK: The budget

    @Test func unusedHistoriesAreDroppedWhenThereAreTooMany() throws {
        let bytes = 2 * Self.stored().publications.reduce(0) { $0 + $1.wireLength }
        let table = Self.table(budget: bytes)
        let hub = TestHub(sharing: table)
        for topic in [Self.topic, Self.other] {
            _ = hub.request(topic)
            let read = table.takeReads(countMax: 1)[0]
            var stored = Self.stored()
            stored.publications = stored.publications.map {
                Publication(topic, $0.offset, cursor: $0.cursor)
            }
            _ = try table.finish(read, .history(stored))
            hub.release(topic)
        }
        expectEqual(table.sizes.storedBytes, bytes, "just within the budget")
        let publications = (0..<3 as Range<UInt64>).map {
            Publication(Topic(trusted: "n:c"), $0 + 1, cursor: 111 + $0)
        }
        table.publish(publications)
        expect(table.sizes.storedBytes <= bytes)
        expect(hub.isElsewhere(Self.topic), "unused for longest")
    }

    @Test func historyThatALoopWaitsForStays() throws {
        let table = Self.table(budget: 1)
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, .history(Self.stored()))
        expectEqual(Self.offsets(hub), [8, 9, 10])
        _ = hub.request(Self.other)
        _ = hub.request(Topic(trusted: "n:c"))
        expectEqual(table.takeReads(countMax: 9).map(\.topic), [Self.other])
        expectEqual(table.takeReads(countMax: 9), [], "the first one has to be used before")
        hub.release(Self.topic)
        expect(hub.isElsewhere(Self.topic))
        expectEqual(table.takeReads(countMax: 9).map(\.topic), [Topic(trusted: "n:c")])
    }

    /// Another loop could drop it between the look and the use.
    @Test func historyThatALoopIsAboutToReadStays() throws {
        let bytes = Self.stored().publications.reduce(0) { $0 + $1.wireLength }
        let table = Self.table(budget: bytes)
        let hub = TestHub(sharing: table)
        expect(hub.mustRequest(Self.topic))
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, .history(Self.stored()))
        hub.release(Self.topic)
        for _ in 0..<2 { expect(!hub.mustRequest(Self.topic)) }
        // Each publication is too much.
        for (numbers, isKept) in [(1..<4 as Range<UInt64>, true), (4..<7, false)] {
            table.publish(
                numbers.map { Publication(Topic(trusted: "n:\($0)"), 1, cursor: 110 + $0) }
            )
            expectEqual(Self.offsets(hub), (isKept ? [8, 9, 10] : []))
            expectEqual(hub.takeKept(), (isKept ? [Self.topic] : []))
            hub.release(Self.topic)
        }
    }

    @Test(arguments: [9, 10])
    func longPublicationsAreReadForTheLimitOfBytes(bytesMax: Int) throws {
        let length = Self.publication(11).wireLength
        let table = Self.table(count: 10, bytes: bytesMax * length)
        table.publish([Self.publication(11), Self.publication(12)])
        expectEqual(table.takeReads(countMax: 1), [], "less than a quarter of the limit")
        table.publish([Self.publication(13)])
        let reads = table.takeReads(countMax: 1)
        expectEqual(reads.isEmpty, (bytesMax == 10))
        guard let read = reads.first else { return }
        _ = try table.finish(read, .history(Self.stored(5...13, isCut: true)))
        expectEqual(table.takeEvictions(), [Self.topic: 4])
    }

    /// The rest is still in the store, and no loss of the limits.
    @Test func cutOfTheBudgetIsNotReportedToTheStore() throws {
        let table = Self.table(budget: 4 * Self.publication(11).wireLength)
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        let read = table.takeReads(countMax: 1)[0]
        expectEqual(read.limit.bytes, 2 * Self.publication(11).wireLength)
        _ = try table.finish(read, .history(Self.stored(9...10, isCut: true)))
        expect(table.takeEvictions().isEmpty)
    }
}
