import Aurora
import Expectations
import Foundation
import HubTesting
import Repository

@testable import AuroraApp
@testable import Hub

extension RoutesTests {
    // MARK: Health

    @Test func liveIsWhoeverAnswers() async throws {
        try await withHub { hub throws in
            let response = await hub.get("/livez")
            expectEqual(response.head.status, 200)
            try expectEqual(text(response, "status"), "alive")
        }
    }

    @Test func readyIsWhoHasNoReasonNotToBe() async throws {
        try await withHub { hub throws in
            let before = await hub.get("/readyz")
            expectEqual(before.head.status, 503)
            try expectEqual(text(before, "status"), "not ready")
            try expectEqual(text(before, "reason"), "starting")
            hub.readiness.set(nil, part: "hub")
            let after = await hub.get("/readyz")
            expectEqual(after.head.status, 200)
            try expectEqual(JSONReader.fields(of: after.body[...]).map(\.key), ["status"])
            try expectEqual(text(after, "status"), "ready")
            hub.readiness.set("shutting down", part: "hub")
            hub.readiness.set("disk full", part: "disk")
            try expectEqual(text(await hub.get("/readyz"), "reason"), "disk full; shutting down")
        }
    }

    private func machine(_ name: String) -> FeedMachine {
        FeedMachine(
            name: name,
            policy: FeedPolicy(interval: .seconds(60)),
            validators: FeedValidators(),
            now: RoutesTests.start,
            random: 0
        )
    }

    @Test func healthNamesEveryFeedAndWhatItLastFailedOf() async throws {
        try await withHub { hub in
            hub.readiness.set(nil, part: "hub")
            var good = machine("b.good")
            _ = good.start(now: RoutesTests.start)
            _ = good.finish(FeedResponse(status: 200), now: RoutesTests.start, random: 0)
            good.accepted(now: RoutesTests.start, random: 0)
            hub.board.update(good)
            let response = await hub.get("/api/health")
            expectEqual(response.head.status, 200)
            try expectEqual(text(response, "status"), "healthy")
            try expectEqual(raw(response, "problems"), "[]")
            try expectEqual(text(response, "version"), "1.2.3")
            try expectEqual(fields(response)["replay"].map(Array.init), Array("true".utf8))

            var bad = machine("a.bad")
            _ = bad.start(now: RoutesTests.start)
            _ = bad.finish(FeedResponse(status: 500), now: RoutesTests.start, random: 0)
            hub.board.update(bad)
            let degraded = await hub.get("/api/health")
            expectEqual(degraded.head.status, 200, "the hub serves its last good state")
            try expectEqual(text(degraded, "status"), "degraded")
            let problems = try raw(degraded, "problems")
            expectEqual(problems, #"[{"part":"feed a.bad","reason":"status 500"}]"#)
            let feeds = try JSONReader.elements(of: try require(fields(degraded)["feeds"]))
                .map { try JSONReader.fields(of: $0) }
            expectEqual(
                feeds.first?.map(\.key),
                [
                    "name", "input", "status", "stale", "last_success", "age_seconds", "data_time",
                    "consecutive_failures", "last_failure", "next_attempt",
                ]
            )
            let names = feeds.map { $0.first.flatMap { JSONReader.string($0.value) } }
            expectEqual(names, ["a.bad", "b.good"])
            let failure = feeds.first?.first { $0.key == "last_failure" }
            expectEqual(failure.flatMap { JSONReader.string($0.value) }, "status 500")
        }
    }

    @Test func healthNamesThePartThatObjects() async throws {
        try await withHub { hub async throws in
            let response = await hub.get("/api/health")
            try expectEqual(text(response, "status"), "degraded")
            try expectEqual(raw(response, "problems"), #"[{"part":"hub","reason":"starting"}]"#)
        }
    }

    private func raw(_ response: ServerResponse, _ name: String) throws -> String? {
        try fields(response)[name].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func healthCountsWebhooksThatWait() async throws {
        try await withHub { hub in
            let delivery = NewDelivery(
                endpoint: "pager",
                messageID: "one",
                eventType: "test",
                subject: nil,
                body: [],
                createdAt: HubClock.wall
            )
            _ = try await hub.store.commit(Change(deliveries: [delivery]))
            let response = await hub.get("/api/health")
            try expectEqual(
                fields(response)["webhooks"].map { String(decoding: $0, as: UTF8.self) },
                #"{"pending":1,"failed":0}"#
            )
        }
    }
}
