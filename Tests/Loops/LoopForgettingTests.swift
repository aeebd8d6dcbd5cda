import ClientWire
import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: forgotten topics", .timeLimit(.minutes(10)))
struct LoopForgettingTests {
    /// A client that is subscribed to `news:a`, and has had its only publication.
    private func subscriber(_ hub: LoopFixture) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.connectSession()
        _ = try await client.subscribe(2, "news:a")
        hub.publish("news:a", "1")
        try await expect(client.receiveText().contains(#""data":1,"offset":1"#))
        return client
    }

    @Test func subscriberThatIsThereIsSentBackAndToldThatItIsAnotherHistory() async throws {
        try await withLoops { hub in
            let client = try await subscriber(hub)
            hub.forget("news:a")
            try await expectEqual(
                client.receiveText(),
                #"{"push":{"channel":"news:a","unsubscribe":{"code":2500,"#
                    + #""reason":"insufficient state"}}}"#
            )
            let back = try await client.subscribe(
                3,
                "news:a",
                #","recover":true,"epoch":"e1","offset":1"#
            )
            expect(back.contains(#""epoch":"e1-101","offset":0,"was_recovering":true"#))
            expect(!back.contains(#""recovered":true"#))
            hub.publish("news:a", "2")
            try await expect(client.receiveText().contains(#""data":2,"offset":1"#))
        }
    }

    @Test func streamGetsWhatTheTopicBeginsWith() async throws {
        try await withLoops { hub in
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:a"))
            try await expectEqual(stream.receiveHead().status, 200)
            _ = try await stream.receive(through: "\n\n")
            hub.publish("news:a", "1")
            hub.forget("news:a")
            hub.publish("news:a", "2")
            let events = try await stream.receive(through: "data: 2\n\n")
            expectEqual(
                events,
                "id: 101\nevent: news:a\ndata: 1\n\nid: 102\nevent: news:a\ndata: 2\n\n"
            )
        }
    }

    @Test func streamThatComesBackIsToldTheGap() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1")
            hub.forget("news:a")
            hub.publish("news:a", "2")
            let stream = try hub.connect()
            try await stream.send(
                httpRequest("GET", "/events?topics=news:a", ["Last-Event-ID: 100"])
            )
            try await expectEqual(stream.receiveHead().status, 200)
            let events = try await stream.receive(through: "data: 2\n\n")
            expect(events.contains("id: 101\nevent: gap\n"))
        }
    }

    @Test func positionOfBeforeTheFirstPublicationIsGoodForRecoveryAndPages() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1")
            hub.forget("news:a")
            let client = try hub.connect()
            try await client.connectSession()
            let began = try await client.subscribe(2, "news:b")
            expectEqual(text("epoch", in: began), "e1-101")
            hub.publish("news:c", "1")
            hub.publish("news:b", "7", "8")
            _ = try await client.receiveText()
            _ = try await client.receiveText()
            let page = try await client.command(
                #"{"id":3,"history":{"channel":"news:b","limit":9,"#
                    + #""since":{"offset":1,"epoch":"e1-101"}}}"#
            )
            expectEqual(offsets(in: page), [2])
            expectEqual(text("epoch", in: page), "e1-102")
            let other = try hub.connect()
            try await other.connectSession()
            let back = try await other.subscribe(
                2,
                "news:b",
                #","recover":true,"epoch":"e1-101","offset":1"#
            )
            expect(back.contains(#""recovered":true"#))
            expectEqual(offsets(in: back), [2])
        }
    }

    @Test func unusedTopicsAreThoseWithoutSubscribersOnAnyLoop() async throws {
        try await withLoops(loops: 2) { hub in
            let names = ["news:a", "news:b", "news:c"]
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:b")
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:c"))
            try await expectEqual(stream.receiveHead().status, 200)
            let unused = await hub.transport.unused(names.map(topic))
            expectEqual(unused, [topic("news:a")])
        }
    }

    // MARK: Topics without publications

    @Test func topicsThatSubscribersBringIntoBeingAreBoundedAndRefusalsCounted() async throws {
        try await withLoops(hubLimits: HubLimits(unpublishedTopicsMax: 2)) { hub in
            hub.publish("news:published", "1")
            let client = try hub.connect()
            try await client.connectSession()
            for (id, name) in [(2, "news:a"), (3, "news:b")] {
                try await expect(client.subscribe(id, name).contains(#""subscribe""#))
            }
            try await expect(client.subscribe(4, "news:c").contains(#""code":111"#))
            try await expect(client.subscribe(5, "news:published").contains(#""subscribe""#))
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:a,news:c"))
            try await expectEqual(stream.receiveResponse().status, 503)
            let counters = await hub.loops[0].snapshot()
            expectEqual(counters.bounds[.unpublishedTopics], 2)
            hub.publish("news:a", "1")
            try await expect(client.receiveText().contains(#""channel":"news:a""#))
            try await expect(client.subscribe(6, "news:c").contains(#""subscribe""#))
        }
    }

    @Test func boundOfTopicsWithoutPublicationsIsReadAgain() async throws {
        try await withLoops(hubLimits: HubLimits(unpublishedTopicsMax: 1)) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a")
            try await expect(client.subscribe(3, "news:b").contains(#""code":111"#))
            _ = await hub.loops[0].perform { loop in
                var settings = loop.settings
                settings.hub = HubLimits(unpublishedTopicsMax: 2)
                let update = LoopUpdate(
                    settings: settings,
                    rules: loop.rules,
                    verifier: loop.admission.verifier
                )
                return loop.use(update)
            }
            try await expect(client.subscribe(4, "news:b").contains(#""subscribe""#))
        }
    }
}
