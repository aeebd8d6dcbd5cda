import Expectations
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

extension OutboxSenderTests {
    // MARK: Failure

    @Test func messageIsTriedAgainAfterAFailureWithTheSameIdentifierAndBody() async throws {
        try await withTemporaryStore { store in
            let script: [ScriptedServer.Answer] = [
                .status(500), .status(302, ["Location": "/elsewhere"]), .status(200),
            ]
            try await ScriptedServer.run(script: script) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    try await sending.commit([message("one")])
                    let lines = await sending.attempts(3)
                    expectEqual(lines.map(\.level), [.warning, .warning, .info])
                    expectEqual(
                        lines.map { $0.metadata["result"] },
                        [
                            "status 500", "status 302", "status 200",
                        ]
                    )
                    expectEqual(lines.map { $0.metadata["attempts"] }, ["1", "2", "3"])
                    let requests = await server.requests.next(3)
                    expectEqual(ids(requests), ["one", "one", "one"])
                    expectEqual(Set(requests.map(\.body)).count, 1)
                    expect(requests.allSatisfy { $0.head.path == "/" }, "no redirect is followed")
                    for request in requests { try verify(request) }
                }
            }
        }
    }

    @Test func nextAttemptFollowsTheScheduleAndIsStored() async throws {
        try await withTemporaryStore { store in
            let schedule = RetrySchedule(delays: [.zero, .seconds(1000)], jitter: 0)
            try await ScriptedServer.run(script: [.status(500)]) { server in
                try await sending(store, to: [try endpoint(server.url)], schedule: schedule) {
                    let before = HubClock.wall
                    try await $0.commit([message("one")])
                    _ = await $0.attempts(1)
                    let row = try await require(store.pendingDeliveries(perEndpoint: 1).first)
                    guard case .pending(let next) = row.status else { return }
                    expect(next - before >= .seconds(1000))
                    expect(next - HubClock.wall <= .seconds(1000))
                    expectEqual(row.attempts, 1)
                    expectEqual(row.statusCode, 500)
                }
            }
        }
    }

    @Test func messageIsGivenUpAfterTheLastAttemptAndTheNextOneFollows() async throws {
        try await withTemporaryStore { store in
            let script = [ScriptedServer.Answer](repeating: .status(500), count: 4) + [.status(200)]
            try await ScriptedServer.run(script: script) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    try await sending.commit([message("one"), message("two")])
                    let lines = await sending.attempts(5)
                    expectEqual(lines[3].message, "webhook given up")
                    expectEqual(lines[3].level, .error)
                    expectEqual(lines[4].message, "webhook delivered")
                    expectEqual(lines[4].metadata["id"], "two")
                }
            }
            let counts = try await store.deliveryCounts()
            expectEqual(counts.failed, 1)
            expectEqual(counts.delivered, 1)
        }
    }

    @Test func endpointThatIsGoneGetsNothingMore() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(410)]) { gone in
                try await ScriptedServer.run(script: [.status(200)]) { here in
                    let endpoints = [
                        try endpoint(gone.url, name: "gone"), try endpoint(here.url, name: "here"),
                    ]
                    try await sending(store, to: endpoints) { sending in
                        try await sending.commit([message("one", to: "gone")])
                        let line = try await require(sending.attempts(1).first)
                        expectEqual(line.message, "webhook endpoint is gone")
                        try await sending.commit([
                            message("two", to: "gone"), message("three", to: "here"),
                        ])
                        _ = await sending.attempts(1)
                        // A second round: whatever was still to come has come.
                        try await sending.commit([message("four", to: "here")])
                        let last = try await require(sending.attempts(1).first)
                        expectEqual(last.metadata["id"], "four")
                        expectEqual(ids(await gone.requests.next(1)), ["one"])
                    }
                }
            }
            let counts = try await store.deliveryCounts()
            expectEqual(counts.failed, 1)
            expectEqual(counts.pending, 1, "what waits for a person's decision stays")
        }
    }

    @Test func receiverThatHangsIsGivenAMinute() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.never]) { server in
                let endpoints = [try endpoint(server.url, timeout: .milliseconds(100))]
                try await sending(store, to: endpoints) { sending in
                    try await sending.commit([message("one")])
                    let line = try await require(sending.attempts(1).first)
                    expectEqual(line.metadata["result"], "no response within 0.1 seconds")
                    let row = try await require(store.pendingDeliveries(perEndpoint: 1).first)
                    guard case .pending(let next) = row.status else { return }
                    expect(next - row.createdAt >= .seconds(60))
                }
            }
        }
    }

    @Test func receiverThatIsNotThereIsTriedAgainBySchedule() async throws {
        try await withTemporaryStore { store in
            let url = try await ScriptedServer.run(script: [.status(200)]) { $0.url }
            try await sending(store, to: [try endpoint(url)]) { sending in
                try await sending.commit([message("one")])
                let lines = await sending.attempts(4)
                expectEqual(lines.map(\.level), [.warning, .warning, .warning, .error])
                let results = lines.compactMap { $0.metadata["result"] }
                expect(results.allSatisfy { $0.hasPrefix("cannot connect: ") }, "\(results)")
            }
        }
    }
}
