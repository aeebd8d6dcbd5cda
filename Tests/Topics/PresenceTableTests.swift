import Expectations
import SeededRandom
import Topics

@Suite("Presence", .timeLimit(.minutes(10)))
struct PresenceTableTests {
    private static let topic = Topic(trusted: "chat:a")
    private static let other = Topic(trusted: "chat:b")

    private func info(_ client: String, user: String, note: String? = nil) -> ClientInfo {
        ClientInfo(user: user, client: client, topicInfo: note.map { Array($0.utf8) })
    }

    @Test func nobodyIsInATopicThatNobodyJoined() {
        var table = PresenceTable()
        expect(table.clients(in: Self.topic).isEmpty)
        expect(table.stats(of: Self.topic) == (0, 0))
        expectNil(table.leave(Self.topic, client: "1"))
        expect(table.removeClient("1").isEmpty)
        expectEqual(table.topicCount, 0)
    }

    @Test func clientsOfOneUserCountAsOneUser() {
        var table = PresenceTable()
        expectEqual(table.join(Self.topic, info("1", user: "ada")), true)
        expectEqual(table.join(Self.topic, info("2", user: "ada")), true)
        expectEqual(table.join(Self.topic, info("3", user: "")), true)
        expectEqual(table.join(Self.topic, info("4", user: "")), true)
        expect(table.stats(of: Self.topic) == (4, 2), "those without a user are one together")
        expectEqual(table.leave(Self.topic, client: "1"), info("1", user: "ada"))
        expect(table.stats(of: Self.topic) == (3, 2))
        table.leave(Self.topic, client: "2")
        expect(table.stats(of: Self.topic) == (2, 1))
        expectEqual(Set(table.clients(in: Self.topic).map(\.client)), ["3", "4"])
    }

    @Test func usersWhoseNamesOnlyLookAlikeAreTwo() {
        var table = PresenceTable()
        table.join(Self.topic, info("1", user: "\u{E9}"))
        table.join(Self.topic, info("2", user: "e\u{301}"))
        expect(table.stats(of: Self.topic) == (2, 2))
        table.leave(Self.topic, client: "2")
        expect(table.stats(of: Self.topic) == (1, 1))
    }

    @Test func secondJoinOfAClientReplacesWhatIsKnownOfIt() {
        var table = PresenceTable()
        expectEqual(table.join(Self.topic, info("1", user: "ada", note: "1")), true)
        expectEqual(table.join(Self.topic, info("1", user: "ada", note: "2")), false)
        expectEqual(table.clients(in: Self.topic), [info("1", user: "ada", note: "2")])
        expectEqual(table.join(Self.topic, info("1", user: "grace")), false)
        expect(table.stats(of: Self.topic) == (1, 1))
        expectEqual(table.leave(Self.topic, client: "1"), info("1", user: "grace"))
        expectEqual(table.count, 0)
        expect(table.removeClient("1").isEmpty, "it is in no topic any more")
    }

    @Test func clientLeavesOneTopicAndStaysInAnother() {
        var table = PresenceTable()
        table.join(Self.topic, info("1", user: "ada"))
        table.join(Self.other, info("1", user: "ada"))
        expect(table.leave(Self.topic, client: "1") != nil)
        expectNil(table.leave(Self.topic, client: "1"))
        expect(table.stats(of: Self.other) == (1, 1))
        expectEqual(table.removeClient("1").map(\.topic), [Self.other])
    }

    @Test func removedClientIsToldWithItsTopicsInTheOrderOfItsJoins() {
        var table = PresenceTable()
        table.join(Self.other, info("1", user: "ada", note: "b"))
        table.join(Self.topic, info("1", user: "ada", note: "a"))
        table.join(Self.topic, info("2", user: "ada"))
        let left = table.removeClient("1")
        expectEqual(left.map(\.topic), [Self.other, Self.topic])
        expectEqual(left.map(\.info.topicInfo), [Array("b".utf8), Array("a".utf8)])
        expect(table.stats(of: Self.topic) == (1, 1))
        expectEqual(table.topicCount, 1)
    }

    @Test func answerStaysAsItWasWhenClientsComeAndGo() {
        var table = PresenceTable()
        table.join(Self.topic, info("1", user: "ada"))
        let answer = table.clients(in: Self.topic)
        table.removeClient("1")
        table.join(Self.topic, info("2", user: "ada"))
        expectEqual(answer.map(\.client), ["1"])
    }

    /// Random joins and leaves, and the same to a dictionary.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func tableIsAsANaiveModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let topics = (0..<5).map { Topic(trusted: "t:\($0)") }
        var table = PresenceTable()
        var model: [Topic: [String: ClientInfo]] = [:]
        for _ in 0..<600 {
            let topic = topics.randomElement(using: &random)!
            let client = "\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let info = info(client, user: "\(Int.random(in: 0..<4, using: &random))")
                let isFirst = model[topic]?[client] == nil
                expectEqual(table.join(topic, info), isFirst, "seed \(seed)")
                model[topic, default: [:]][client] = info
            case 6..<9:
                let expected = model[topic]?.removeValue(forKey: client)
                expectEqual(table.leave(topic, client: client), expected, "seed \(seed)")
            default:
                let left = table.removeClient(client)
                let expected = topics.filter { model[$0]?[client] != nil }
                expectEqual(Set(left.map(\.topic)), Set(expected), "seed \(seed)")
                expectEqual(left.count, expected.count, "seed \(seed)")
                for (topic, info) in left {
                    expectEqual(model[topic]?.removeValue(forKey: client), info, "seed \(seed)")
                }
            }
            for topic in topics {
                let expected = model[topic] ?? [:]
                let users = Set(expected.values.map(\.user)).count
                expect(table.stats(of: topic) == (expected.count, users), "seed \(seed)")
                let clients = table.clients(in: topic)
                expectEqual(clients.count, expected.count, "seed \(seed)")
                expect(clients.allSatisfy { expected[$0.client] == $0 }, "seed \(seed)")
            }
            expectEqual(table.count, model.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
            expectEqual(table.topicCount, model.values.count { !$0.isEmpty }, "seed \(seed)")
        }
    }
}
