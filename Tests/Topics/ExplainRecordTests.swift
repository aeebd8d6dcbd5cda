import Expectations
import SeededRandom
import Topics

@Suite("Explaining what became of a publication", .timeLimit(.minutes(10)))
struct ExplainRecordTests {
    private typealias Outcome = ExplainRecord.Outcome

    private static let topic = Topic(trusted: "aurora:tromso")
    private static let other = Topic(trusted: "aurora:alta")

    private func answers(
        _ record: ExplainRecord,
        _ offsets: ClosedRange<UInt64>,
        client: String = "c",
        topic: Topic = topic,
        topOffset: UInt64 = 100
    ) -> [Outcome] {
        offsets.map {
            record.answer(client: client, topic: topic, offset: $0, topOffset: topOffset)
        }
    }

    @Test func deliveredIsWhatIsConcludedFromASubscription() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        let handle = record.begin(client: "c", topic: Self.topic, after: 10)
        expectEqual(answers(record, 10...12), [.notSubscribed, .delivered, .delivered])
        record.end(handle, through: 11)
        expectEqual(answers(record, 10...12), [.notSubscribed, .delivered, .notSubscribed])
        expectEqual(answers(record, 11...11, client: "d"), [.notSubscribed])
        expectEqual(answers(record, 11...11, topic: Self.other), [.notSubscribed])
        expectEqual(record.exceptionCount, 0)
    }

    @Test func whatWasNotPublishedIsSaidToBeSo() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        _ = record.begin(client: "c", topic: Self.topic, after: 0)
        expectEqual(
            answers(record, 0...2, topOffset: 1),
            [.notPublished, .delivered, .notPublished]
        )
    }

    @Test func exceptionsAreAnsweredByTheirNames() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        let handle = record.begin(client: "c", topic: Self.topic, after: 0)
        record.note(.trimmed, 1...2, of: handle)
        record.note(.filtered, 4...4, of: handle)
        record.note(.conflated, 5...5, of: handle)
        record.note(.dropped, 6...7, of: handle)
        expectEqual(
            answers(record, 1...8),
            [
                .trimmed, .trimmed, .delivered, .filtered, .conflated, .dropped, .dropped,
                .delivered,
            ]
        )
        record.end(handle, through: 8)
        expectEqual(answers(record, 4...4), [.filtered], "the end changes nothing")
        for exception in ExplainRecord.Exception.allCases {
            expectEqual(exception.outcome.rawValue, "\(exception)")
        }
    }

    @Test func thousandNeighboursAreOneEntry() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        let one = record.begin(client: "c", topic: Self.topic, after: 0)
        let two = record.begin(client: "d", topic: Self.topic, after: 0)
        for offset in 1...1000 as ClosedRange<UInt64> {
            record.note(.filtered, offset...offset, of: one)
            record.note(.filtered, offset...offset, of: two)
        }
        expectEqual(record.exceptionCount, 0, "the newest of a subscription does not count")
        record.note(.dropped, 1001...1001, of: one)
        expectEqual(record.exceptionCount, 1)
        record.note(.dropped, 1003...1003, of: one)
        expectEqual(record.exceptionCount, 2, "1002 was delivered")
        expectEqual(
            answers(record, 1000...1003, topOffset: 2000),
            [
                .filtered, .dropped, .delivered, .dropped,
            ]
        )
    }

    @Test func refusedClientIsNotAuthorizedFromThenOn() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        record.refuse(client: "c", topic: Self.topic, at: 10)
        expectEqual(answers(record, 10...11), [.notSubscribed, .notAuthorized])
        let handle = record.begin(client: "c", topic: Self.topic, after: 12)
        record.end(handle, through: 13)
        expectEqual(answers(record, 12...14), [.notAuthorized, .delivered, .notAuthorized])
    }

    @Test func newestRefusalHasTheAnswerOfItsHook() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        func answer(_ client: String, _ offset: UInt64) -> String? {
            record.refusal(client: client, topic: Self.topic, offset: offset)?.answer
        }
        let members = ExplainRecord.HookRefusal(hook: "app", answer: "error 1403: members only")
        record.refuse(client: "c", topic: Self.topic, at: 10, by: members)
        expectEqual(answer("c", 11), members.answer)
        expectNil(answer("c", 10))
        expectNil(answer("d", 11))
        record.refuse(client: "c", topic: Self.topic, at: 12)
        expectEqual(answer("c", 12), members.answer)
        expectNil(answer("c", 13), "the hub refused it since then")
    }

    @Test func laterSubscriptionThatRecoversCountsForMore() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        let first = record.begin(client: "c", topic: Self.topic, after: 0)
        record.note(.dropped, 3...5, of: first)
        record.end(first, through: 5)
        let second = record.begin(client: "c", topic: Self.topic, after: 2)
        record.note(.trimmed, 3...4, of: second)
        expectEqual(answers(record, 2...5), [.delivered, .trimmed, .trimmed, .delivered])
    }

    @Test func subscriptionThatWasGivenNothingLeavesNothing() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 8)
        let handle = record.begin(client: "c", topic: Self.topic, after: 10)
        record.end(handle, through: 10)
        expectEqual(record.subscriptionCount, 0)
        expectEqual(answers(record, 10...11), [.notSubscribed, .notSubscribed])
    }

    @Test func forgottenSubscriptionIsUnknownAndNotDenied() {
        var record = ExplainRecord(subscriptionsMax: 2, exceptionsMax: 8)
        for client in ["c", "d", "e"] {
            let handle = record.begin(client: client, topic: Self.topic, after: 0)
            record.end(handle, through: 5)
        }
        expectEqual(record.subscriptionCount, 2)
        expectEqual(answers(record, 5...6), [.unknown, .notSubscribed])
        expectEqual(answers(record, 5...5, client: "d"), [.delivered])
        expectEqual(answers(record, 5...5, topic: Self.other), [.notSubscribed])
    }

    @Test func subscriptionThatGoesOnIsNeverForgotten() {
        var record = ExplainRecord(subscriptionsMax: 2, exceptionsMax: 8)
        _ = record.begin(client: "c", topic: Self.topic, after: 0)
        for _ in 0..<100 {
            let handle = record.begin(client: "d", topic: Self.topic, after: 0)
            record.end(handle, through: 5)
        }
        expectEqual(answers(record, 1...1), [.delivered])
    }

    @Test func subscriptionWithoutRoomIsUnknown() {
        var record = ExplainRecord(subscriptionsMax: 1, exceptionsMax: 8)
        let first = record.begin(client: "c", topic: Self.topic, after: 0)
        let handle = record.begin(client: "d", topic: Self.topic, after: 0)
        expectEqual(handle, .unrecorded)
        record.note(.dropped, 1...1, of: handle)
        record.end(handle, through: 2)
        expectEqual(answers(record, 1...1, client: "d"), [.unknown])
        expectEqual(answers(record, 1...1), [.delivered])
        expectEqual(record.exceptionCount, 0)
        record.end(first, through: 3)
        expect(record.begin(client: "e", topic: Self.topic, after: 0) != .unrecorded)
    }

    @Test func forgottenExceptionsMakeOlderOffsetsUnknownUnlessTheyAreNoted() {
        var record = ExplainRecord(subscriptionsMax: 8, exceptionsMax: 1)
        let handle = record.begin(client: "c", topic: Self.topic, after: 0)
        record.note(.dropped, 2...3, of: handle)
        record.note(.filtered, 5...5, of: handle)
        record.note(.filtered, 7...7, of: handle)
        expectEqual(record.exceptionCount, 1)
        expectEqual(
            answers(record, 1...8),
            [
                .unknown, .unknown, .unknown, .delivered, .filtered, .delivered, .filtered,
                .delivered,
            ]
        )
    }

    @Test func exceptionsOfAnEarlierSubscriptionInTheSlotDoNotCount() {
        var record = ExplainRecord(subscriptionsMax: 1, exceptionsMax: 2)
        let first = record.begin(client: "c", topic: Self.topic, after: 0)
        record.note(.dropped, 1...9, of: first)
        record.end(first, through: 9)
        let second = record.begin(client: "d", topic: Self.other, after: 0)
        expect(
            answers(record, 1...9, client: "d", topic: Self.other).allSatisfy { $0 == .delivered }
        )
        record.note(.filtered, 1...1, of: second)
        record.note(.filtered, 3...3, of: second)
        expectEqual(record.exceptionCount, 1)
        expectEqual(
            answers(record, 1...3, client: "d", topic: Self.other),
            [
                .filtered, .delivered, .filtered,
            ]
        )
    }

    @Test func exceptionsAreNotedAtTheEndOfTheNumbersToo() {
        var record = ExplainRecord(subscriptionsMax: 1, exceptionsMax: 2)
        let handle = record.begin(client: "c", topic: Self.topic, after: 0)
        record.note(.dropped, UInt64.max - 1...UInt64.max, of: handle)
        record.note(.dropped, 1...1, of: handle)
        expectEqual(record.exceptionCount, 1)
        expectEqual(
            record.answer(client: "c", topic: Self.topic, offset: .max, topOffset: .max),
            .dropped
        )
    }

    @Test func handleThatHasEndedTraps() async {
        await #expect(processExitsWith: .failure) {
            var record = ExplainRecord(subscriptionsMax: 2, exceptionsMax: 2)
            let handle = record.begin(client: "c", topic: Topic(trusted: "a"), after: 0)
            record.end(handle, through: 0)
            record.note(.dropped, 1...1, of: handle)
        }
    }

    /// A naive model remembers every delivery of one subscriber after the other. With room for
    /// everything the record agrees; without, it says the same or that it does not know.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func recordIsNeverWrong(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let isRoomy = seed.isMultiple(of: 2)
        var record = ExplainRecord(
            subscriptionsMax: isRoomy ? 1000 : 6,
            exceptionsMax: isRoomy ? 1000 : 10
        )
        let clients = ["a", "b", "c", "d"]
        let topics = [Self.topic, Self.other]
        var tops: [Topic: UInt64] = [:]
        var handles: [String: ExplainRecord.Handle] = [:]
        var model: [String: Outcome] = [:]
        for _ in 0..<300 {
            let topic = topics.randomElement(using: &random)!
            let name = { (client: String) in "\(client) \(topic.name)" }
            if Int.random(in: 0..<3, using: &random) > 0 {
                let offset = tops[topic, default: 0] + 1
                tops[topic] = offset
                for client in clients {
                    guard let handle = handles[name(client)] else { continue }
                    let exception = ExplainRecord.Exception(
                        rawValue: UInt8.random(in: 0..<8, using: &random)
                    )
                    if let exception { record.note(exception, offset...offset, of: handle) }
                    model["\(name(client)) \(offset)"] = exception?.outcome ?? .delivered
                }
            } else {
                let client = clients.randomElement(using: &random)!
                let top = tops[topic, default: 0]
                if let handle = handles.removeValue(forKey: name(client)) {
                    record.end(handle, through: top)
                } else {
                    handles[name(client)] = record.begin(client: client, topic: topic, after: top)
                }
            }
        }
        var unknownCount = 0
        for topic in topics {
            let top = tops[topic, default: 0]
            for client in clients {
                for offset in 1...max(1, top) {
                    let expected = model["\(client) \(topic.name) \(offset)"] ?? .notSubscribed
                    let answer = record.answer(
                        client: client,
                        topic: topic,
                        offset: offset,
                        topOffset: max(1, top)
                    )
                    if answer == .unknown { unknownCount += 1 }
                    let isRight = answer == expected || answer == .unknown
                    expect(isRight, "\(client) \(topic) \(offset): \(answer), seed \(seed)")
                }
            }
        }
        expectEqual(isRoomy, (unknownCount == 0), "\(unknownCount) unknown, seed \(seed)")
    }
}
