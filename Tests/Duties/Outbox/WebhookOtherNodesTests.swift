import Expectations
import HubTesting
import LoopTesting

@testable import Duties

@Suite("Webhooks: endpoints of several nodes", .timeLimit(.minutes(10)))
struct WebhookOtherNodesTests {
    /// A node without an endpoint that is active on another one published without a message to it.
    @Test func changeTakesEffectWhenTheOtherNodesHaveIt() async throws {
        struct Moment: Equatable {
            var storedCount: Int
            var here: [WebhookEndpoint.Status]
        }
        let moments = Locked<[Moment]>([])
        try await ScriptedServer.run(script: [.status(200)]) { server in
            try await WebhookHub.run { hub in
                let (store, directory) = (hub.store, hub.service.directory)
                hub.service.setOtherNodes {
                    let rows = try? await store.state(domain: WebhookSubscription.domain)
                    let here = directory.all.map(\.status)
                    moments.withLock {
                        $0.append(Moment(storedCount: rows?.count ?? -1, here: here))
                    }
                }
                let id = try await hub.verified(server.url).id
                expectEqual(directory.all.map(\.status), [.active])
                try await hub.service.delete(id)
                expect(directory.all.isEmpty)
            }
        }
        expectEqual(
            moments.withLock { $0 },
            [
                Moment(storedCount: 1, here: []), Moment(storedCount: 1, here: [.pending]),
                Moment(storedCount: 0, here: [.active]),
            ]
        )
    }
}
