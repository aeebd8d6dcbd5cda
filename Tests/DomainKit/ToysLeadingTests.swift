import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hub

/// A whole hub that leads from time to time, with the toy domain and a shop on loopback.
@Suite("A domain of a hub that leads from time to time", .timeLimit(.minutes(10)))
struct ToysLeadingTests {
    private func withHub(
        _ shop: ScriptedServer,
        _ body: (ToysHub) async throws -> Void
    ) async throws {
        try await ToysHub.run(
            shop: shop.url,
            keys: "namespaces: [{name: chat, publish: users, subscribe: users}]",
            leads: false,
            body
        )
    }

    private static let unavailable =
        #"{"message":"this node does not lead the cluster; try again, or ask another node","#
        + #""code":"UNAVAILABLE"}"#

    @Test func hubThatDoesNotLeadServesClientsAndRefusesTheDomainsRoutes() async throws {
        let polls = Locked(0)
        try await ScriptedServer.run { _ in
            polls.withLock { $0 += 1 }
            return .json("{}")
        } _: { shop in
            try await withHub(shop) { hub in
                let (ann, bob) = (try await hub.connect("ann"), try await hub.connect("bob"))
                let subscribed = try await bob.subscribe(2, "chat:1")
                let epoch = try require(text("epoch", in: subscribed))
                let publish = #"{"id":2,"publish":{"channel":"chat:1","data":{"n":1}}}"#
                try await expect(ann.command(publish).contains(#""publish":{}"#))
                try await expect(bob.receiveText().contains(#"{"n":1}"#))
                let since = #","recover":true,"offset":0,"epoch":"\#(epoch)""#
                let recovered = try await ann.subscribe(3, "chat:1", since)
                expectEqual(offsets(in: recovered), [1])
                // The rules of its topics need no state.
                try await expect(ann.subscribe(4, "toys:ann").contains(#""subscribe":{"#))
                let others = try await bob.subscribe(5, "toys:ann")
                expectEqual(number("code", in: others), 102)
                for (method, path) in [("GET", "/api/toys"), ("POST", "/api/toys/1/parts")] {
                    let refused = try await hub.askAsAnn(method, path)
                    expectEqual(refused.status, 503)
                    expectEqual(refused.fields["retry-after"], "1")
                    expectEqual(refused.body, Self.unavailable)
                }
                try await expectEqual(hub.askAsAnn("GET", "/api/webhooks").status, 503)
                try await expectEqual(hub.askAsAnn("GET", "/api/alerts/rules").status, 503)
                try await expectEqual(hub.askAsAnn("GET", "/api/nothing").status, 404)
                try await expectEqual(hub.askAsAnn("GET", "/livez").status, 200)
                let metrics = try Exposition(try await hub.askAsAnn("GET", "/metrics").body)
                expectNil(metrics["hub_toys"])
                try await expect(!hub.askAsAnn("GET", "/api/health").body.contains("toys.prices"))
            }
        }
        expectEqual(polls.withLock { $0 }, 0)
    }

    @Test func domainWorksWhileTheHubLeadsAsOftenAsItDoes() async throws {
        let prices = [5, 6, 7].map { ScriptedServer.Answer.json(#"{"car":\#($0)}"#) }
        try await ScriptedServer.run(script: prices) { shop in
            try await withHub(shop) { hub in
                for round in 1...3 {
                    try await hub.service.lead()
                    expect(hub.service.isLeading)
                    let added = try await hub.askAsAnn(
                        "POST",
                        "/api/toys",
                        body: #"{"name":"car"}"#
                    )
                    expectEqual(added.status, 201)
                    _ = await shop.requests.next(1)
                    let metrics = try Exposition(try await hub.askAsAnn("GET", "/metrics").body)
                    expectEqual(metrics.value("hub_toys"), Double(round))
                    expect(metrics["hub_alerts_active"] != nil)
                    try await expect(
                        hub.askAsAnn("GET", "/api/health").body.contains("toys.prices")
                    )
                    await hub.service.follow()
                    expect(!hub.service.isLeading)
                    try await expectEqual(hub.askAsAnn("GET", "/api/toys").status, 503)
                    let later = try Exposition(try await hub.askAsAnn("GET", "/metrics").body)
                    expectNil(later["hub_toys"])
                    try await expect(
                        !hub.askAsAnn("GET", "/api/health").body.contains("toys.prices")
                    )
                    try await expectEqual(hub.toys().count, round)
                    // The next leader polls it at once.
                    _ = try await hub.service.store.commit(
                        Change(feeds: [FeedRow(name: "toys.prices", validators: nil)])
                    )
                }
            }
        }
    }

    @Test func publicationsReachClientsOfBothStates() async throws {
        try await ScriptedServer.run(script: [.never]) { shop in
            try await withHub(shop) { hub in
                let ann = try await hub.connect("ann")
                _ = try await ann.subscribe(2, "toys:ann")
                for id in 1...2 {
                    try await hub.service.lead()
                    _ = try await hub.askAsAnn("POST", "/api/toys", body: #"{"name":"car"}"#)
                    try await expect(ann.receiveText().contains(#""data":{"id":\#(id),"#))
                    await hub.service.follow()
                }
            }
        }
    }

    /// The answer comes when the hub does not lead any longer.
    @Test func nothingIsCommittedAfterTheHubHasEndedToLead() async throws {
        let gate = ScriptedServer.Gate()
        guard case .response(let prices) = ScriptedServer.Answer.json(#"{"car":12}"#)
        else { return }
        try await ScriptedServer.run(script: [.held(gate, prices)]) { shop in
            try await withHub(shop) { hub in
                try await hub.service.lead()
                _ = try await hub.askAsAnn("POST", "/api/toys", body: #"{"name":"car"}"#)
                _ = await shop.requests.next(1)
                await hub.service.follow()
                let cursor = try await cursor(hub)
                gate.open()
                // The next commit follows the last one before the end.
                try await expectEqual(self.cursor(hub), cursor + 1)
                try await expectEqual(hub.toys().map(\.price), [nil])
                try await expect(hub.service.store.feedValidators().isEmpty)
                // It is asked again, and its price is stored.
                let ann = try await hub.connect("ann")
                _ = try await ann.subscribe(2, "toys:ann")
                try await hub.service.lead()
                try await expect(ann.receiveText().contains(#""price":12"#))
            }
        }
    }

    /// The cursor of a publication that is committed now.
    private func cursor(_ hub: ToysHub) async throws -> UInt64 {
        let event = TopicEvent(
            topic: topic("chat:2"),
            time: hub.service.clock.now,
            payload: Array("{}".utf8)
        )
        let committed = try await hub.service.store.commit(Change(events: [event]))
        guard case .published(let publication, _) = committed.outcomes[0] else { return 0 }
        return publication.cursor
    }

    @Test func leadingAndFollowingTwiceIsDoingSoOnce() async throws {
        try await ScriptedServer.run(script: [.never]) { shop in
            try await withHub(shop) { hub in
                await hub.service.follow()
                async let first: Void = hub.service.lead()
                async let second: Void = hub.service.lead()
                _ = try await (first, second)
                try await expectEqual(hub.askAsAnn("GET", "/api/toys").status, 200)
                _ = await shop.requests.next(1)
                await hub.service.follow()
                await hub.service.follow()
                try await expectEqual(hub.askAsAnn("GET", "/api/toys").status, 503)
                try await hub.service.lead()
                try await expectEqual(hub.askAsAnn("GET", "/api/toys").status, 200)
            }
        }
    }
}

extension ToysHub {
    fileprivate func askAsAnn(
        _ method: String,
        _ target: String,
        body: String = ""
    ) async throws -> LoopTestClient.Response {
        try await ask(method, target, user: "ann", body: body)
    }

    fileprivate func toys() async throws -> [Toy] {
        try await service.store.read(ToysTables.self) { try $0.toys(of: "ann") }
    }
}
