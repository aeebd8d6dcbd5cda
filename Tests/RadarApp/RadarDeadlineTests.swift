import Expectations
import HubTesting
import LoopTesting
import Radar
import Service

@testable import RadarApp

@Suite("Radar service: answers while sources hang", .timeLimit(.minutes(10)))
struct RadarDeadlineTests {
    private static let interpret = #"{"topic":"\#(RadarHub.topic)"}"#

    // MARK: Refreshes

    @Test func refreshIsAnsweredAtTheDeadlineAndTheRestIsPublished() async throws {
        try await RadarRoutesFixture.run(asking: ["one"], timer: RadarHub.atOnce) { routes in
            let hub = routes.hub
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let id = try await routes.service.createRadar().id
            let answer = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            expectEqual(answer.status, 200)
            expect(answer.body.hasSuffix(#""pending":true}"#))
            expectEqual(number("refreshCount", in: answer.body), 0)
            expect(answer.rate.allSatisfy { $0 != nil })
            release()
            await hub.untilEvent("radar.refreshed", of: id)
            let messages = hub.messages(id).map { text("type", in: $0) }
            expectEqual(messages, ["newOpinion", "positionChange", "refresh"])
            try await expectEqual(hub.row(id).refreshCount, 1)
        }
    }

    @Test func refreshThatEndsInTimeIsNotPending() async throws {
        try await RadarRoutesFixture.run(asking: ["one"]) { routes in
            routes.hub.providers.set(.stance("one"), RadarProviders.stance())
            let id = try await routes.service.createRadar().id
            let answer = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            expect(answer.body.hasSuffix(#""pending":false}"#))
            expectEqual(number("refreshCount", in: answer.body), 1)
            let shown = try await routes.send("GET", "/api/radars/\(id)", by: "1")
            expect(!shown.body.contains("pending"), "only a refresh waits for something")
        }
    }

    /// The second source's opinion is in the answer to the refresh.
    @Test func answerAtTheDeadlineHasWhatIsKnown() async throws {
        try await RadarHub.run { hub in
            for source in ["one", "two"] {
                hub.providers.set(.stance(source), RadarProviders.stance())
            }
            let release = hub.providers.hold("one")
            let (opinions, told) = AsyncStream<Never>.makeStream()
            let timer = ProcessTimer { _ in for await _ in opinions {} }
            let service = try await hub.service(asking: "one", "two", timer: timer)
            let id = try await service.createRadar().id
            async let isPending = service.refresh(id)
            await hub.untilEvent("radar.trend.changed", of: id)
            told.finish()
            try await expect(isPending)
            try await expectEqual(service.shown(id).opinions.map(\.author), ["two"])
            release()
            await hub.untilEvent("radar.refreshed", of: id)
            expectEqual(Set(try await hub.opinions(id).map(\.author)), ["one", "two"])
        }
    }

    @Test func nextRefreshJoinsThePollThatIsUnderWay() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", timer: RadarHub.atOnce) {
                $0.refreshInterval = .seconds(30)
            }
            let id = try await service.createRadar().id
            for _ in 0..<3 { try await expect(service.refresh(id)) }
            release()
            await hub.untilEvent("radar.refreshed", of: id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
        }
    }

    // MARK: Interpretations

    @Test func interpretationIsAnsweredAtTheDeadlineAndRadarsOfTheTopicHaveTheLateOne()
        async throws
    {
        try await RadarRoutesFixture.run(asking: ["one"], timer: RadarHub.atOnce) { routes in
            let hub = routes.hub
            hub.providers.set(.interpretation("one"), RadarProviders.interpretation("What it is."))
            let release = hub.providers.hold("one")
            let answer = try await routes.send(
                "POST",
                "/api/interpret",
                by: "1",
                body: Self.interpret
            )
            expectEqual(answer.status, 200)
            expectEqual(text("source", in: answer.body), "lexical")
            expect(answer.body.hasSuffix(#""pending":true}"#))
            let id = try await routes.service.createRadar(by: "1").id
            let other = try await routes.service.createRadar(by: "2").id
            release()
            await hub.untilEvent("radar.interpretation.changed", of: id)
            let data = try hub.data("radar.interpretation.changed", of: id)
            expectEqual(
                data,
                [
                    #"{"radarId":"\#(id)","interpretation":{"text":"What it is.","#
                        + #""category":"work","subCategory":null,"tags":["hours"],"#
                        + #""sentiment":"neutral","source":"one","language":null}}"#
                ]
            )
            let messages = hub.messages(id)
            expectEqual(messages.map { text("type", in: $0) }, ["refresh"])
            expect(messages[0].contains("What it is."))
            expect(hub.events(other).isEmpty, "of a user who has not asked")
            let again = try await routes.send(
                "POST",
                "/api/interpret",
                by: "1",
                body: Self.interpret
            )
            expectEqual(text("text", in: again.body), "What it is.")
            expect(again.body.hasSuffix(#""pending":false}"#))
        }
    }

    @Test func sourcesAreAskedSideBySide() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.interpretation("two"), RadarProviders.interpretation("A drink."))
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", "two")
            let answer = await service.interpret("tea", for: "ann")
            expectEqual(answer.interpretation.source, "two")
            expect(!answer.isPending)
            release()
            await service.endInterpretations()
            let asked: Set = [
                RadarProviders.Question.interpretation("one"), .interpretation("two"),
            ]
            expectEqual(Set(hub.providers.asked), asked)
        }
    }

    @Test func usersWhoAskForOneTopicShareAQuestion() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.interpretation("one"), RadarProviders.interpretation("A drink."))
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", timer: RadarHub.atOnce)
            for user in ["ann", "bob"] {
                await expect(service.interpret("tea", for: user).isPending)
            }
            var ids: [String] = []
            for user in ["ann", "bob"] {
                ids.append(try await service.createRadar("tea", by: user).id)
            }
            release()
            for id in ids { await hub.untilEvent("radar.interpretation.changed", of: id) }
            expectEqual(hub.providers.asked, [.interpretation("one")])
        }
    }

    @Test func hubThatStopsCancelsItsQuestions() async throws {
        try await RadarHub.run { hub in
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", timer: RadarHub.atOnce)
            await expect(service.interpret("tea", for: "ann").isPending)
            await service.endInterpretations()
            let next = await service.interpret("coffee", for: "ann")
            expectEqual(next.interpretation, lexicalInterpretation(of: "coffee"))
            expect(!next.isPending)
            release()
        }
    }

    // MARK: How many are under way

    private struct Asked {
        var table = RadarInterpretations()

        mutating func join(_ topic: Int, by user: String, follows: Bool = true) -> Bool {
            let question = table.join(
                Array("topic \(topic)".utf8),
                by: Array(user.utf8),
                follows: follows
            ) { RadarInterpretations.Question(first: Task { nil }, whole: Task {}) }
            return question != nil
        }
    }

    @Test func oneUserHasABoundedNumberOfQuestions() {
        var asked = Asked()
        for topic in 0..<RadarInterpretations.questionsOfUserMax {
            let isAsked = asked.join(topic, by: "ann")
            expect(isAsked)
        }
        let one = asked.join(100, by: "ann")
        let again = asked.join(0, by: "ann")
        let other = asked.join(100, by: "bob")
        expect(!one)
        expect(again, "a question that is under way")
        expect(other)
        asked.table.end(Array("topic 0".utf8))
        let next = asked.join(101, by: "ann")
        expect(next)
    }

    @Test func allUsersHaveABoundedNumberOfQuestions() {
        var asked = Asked()
        for topic in 0..<RadarInterpretations.questionsMax {
            let isAsked = asked.join(topic, by: "user \(topic / 10)")
            expect(isAsked)
        }
        let one = asked.join(-1, by: "ann")
        expect(!one)
        asked.table.end(Array("topic 5".utf8))
        let next = asked.join(-1, by: "ann")
        expect(next)
    }

    @Test func followersAreReturnedOnce() {
        var asked = Asked()
        let polled = asked.join(1, by: "ann", follows: false)
        let followed = asked.join(1, by: "bob")
        expect(polled)
        expect(followed)
        let topic = Array("topic 1".utf8)
        expectEqual(asked.table.found(topic), [Array("bob".utf8)])
        expectEqual(asked.table.found(topic), [])
        for number in 0...RadarInterpretations.followersMax {
            _ = asked.join(1, by: "user \(number)")
        }
        expectEqual(asked.table.found(topic).count, RadarInterpretations.followersMax)
    }
}
