import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service

@testable import Duties

@Suite("Webhooks: endpoints that left the configuration", .timeLimit(.minutes(10)))
struct WebhookAbsenceTests {
    private let start = Timestamp(milliseconds: 1_766_314_800_000)

    private func endpoint(_ name: String, _ url: String) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: url,
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: ["aurora.*"]),
            timeout: .seconds(60)
        )
    }

    /// Leaves two messages that wait for an endpoint which a person has paused.
    private func leaveTwoMessages(for pager: WebhookEndpoint, in store: HubStore) async throws {
        try await WebhookHub.run(configured: [pager], store: store) { hub in
            _ = try await hub.object("POST", "/api/webhooks/\(pager.name)/pause")
            for number in 1...2 { try await hub.publish("e\(number)") }
        }
    }

    @Test func whatWaitsIsToldAtTheStartAndSentWhenTheEndpointIsBack() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(200)]) { server in
                let pager = try endpoint("pager", server.url)
                let other = try endpoint("other", server.url)
                try await leaveTwoMessages(for: pager, in: store)
                try await WebhookHub.run(configured: [other], store: store) { hub in
                    let line = await hub.line("webhooks wait for endpoints that are not there")
                    expectEqual(line?.level, .notice)
                    expectEqual(line?.metadata, ["endpoints": "pager", "messages": "2"])
                    // Nothing is noted for it meanwhile.
                    try await hub.publish("e3")
                    _ = await hub.line("webhook delivered")
                }
                try await WebhookHub.run(configured: [pager, other], store: store) { hub in
                    let shown = try await hub.object("GET", "/api/webhooks/pager")
                    expectEqual(shown["status"] as? String, "paused", "it stands as it stood")
                    _ = try await hub.object("POST", "/api/webhooks/pager/resume")
                    for _ in 1...2 { _ = await hub.line("webhook delivered") }
                }
                let received = await server.requests.next(3).map {
                    $0.head.headers.first("webhook-id")
                }
                expectEqual(received, ["e3", "e1", "e2"])
            }
        }
    }

    @Test func whatWaitsForTooLongIsGivenUpLikeThatOfAnyOther() async throws {
        try await withTemporaryStore { store in
            let metrics = OutboxMetrics()
            let pager = try endpoint("pager", "http://127.0.0.1:9/")
            try await leaveTwoMessages(for: pager, in: store)
            let limits = WebhookService.Limits(waitingAgeMax: .seconds(86_400))
            try await WebhookHub.run(store: store, limits: limits, metrics: metrics) { hub in
                _ = await hub.line("webhooks wait for endpoints that are not there")
                hub.pass(.seconds(86_400))
                let line = await hub.line("webhooks dropped")
                expectEqual(line?.metadata, ["endpoint": "pager", "messages": "2"])
                try await expectEqual(store.waitingEndpoints(), [])
                let rows = try await store.deliveries(of: "pager", limit: 9)
                expectEqual(rows.map(\.failureReason), ["dropped", "dropped"])
            }
            let text = await metrics.text(store)
            expect(
                text.contains(
                    "hub_webhook_dropped_total{reason=\"bounds\"} 2\n"
                )
            )
        }
    }

    // MARK: How it stood

    private func standing(absentSince: Timestamp?) throws -> WebhookStanding {
        var endpoint = try endpoint("pager", "http://127.0.0.1:9/")
        endpoint.status = .disabled
        endpoint.disabledReason = .gone
        var standing = WebhookStanding(endpoint, EndpointHealth())
        standing.absentSince = absentSince
        return standing
    }

    /// What becomes of a standing at a start; nil for nothing.
    private func written(_ absentSince: Timestamp?, isThere: Bool) throws -> StateRow? {
        try standing(absentSince: absentSince)
            .row("pager", isThere: isThere, ageMax: .seconds(10), wall: start)
    }

    @Test func absenceCountsFromTheFirstStartWithoutTheEndpoint() throws {
        try expectNil(written(nil, isThere: true))
        let left = try require(written(nil, isThere: false))
        expectEqual(WebhookStanding(left.value)?.absentSince, start)
        expectEqual(WebhookStanding(left.value)?.status, .disabled)
        try expectNil(written(start - .seconds(10), isThere: false), "it is noted")
        let back = try require(written(start - .seconds(10), isThere: true))
        expectNil(WebhookStanding(back.value)?.absentSince)
        expectEqual(WebhookStanding(back.value)?.status, .disabled)
    }

    @Test(arguments: [true, false])
    func standingIsForgottenWithTheLastThatCouldWait(isThere: Bool) throws {
        let row = try require(written(start - .milliseconds(10_001), isThere: isThere))
        expectNil(row.value)
    }

    @Test func endpointThatComesBackLaterBeginsAnewAndOneThatComesBackSoonDoesNot() async throws {
        for (away, status) in [(86_400, "disabled"), (31 * 86_400, "active")] {
            try await withTemporaryStore { store in
                let row = StateRow(
                    domain: WebhookStanding.domain,
                    key: "pager",
                    value: try standing(absentSince: HubClock.wall - .seconds(away)).bytes
                )
                _ = try await store.commit(Change(state: [row]))
                let pager = try endpoint("pager", "http://127.0.0.1:9/")
                try await WebhookHub.run(configured: [pager], store: store) { hub in
                    let shown = try await hub.object("GET", "/api/webhooks/pager")
                    expectEqual(shown["status"] as? String, status, "away for \(away) s")
                }
            }
        }
    }
}
