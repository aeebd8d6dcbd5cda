/// Changes of endpoints, committed one after the other.
extension WebhookService {
    package func load(_ id: String) throws -> WebhookEndpoint {
        guard let endpoint = directory[id] else { throw WebhookError.notFound }
        return endpoint
    }

    func change(
        _ id: String,
        _ body: @escaping @Sendable (inout WebhookEndpoint) throws -> Void
    ) async throws -> WebhookEndpoint {
        try await execution.run(id) { [self] in
            var endpoint = try load(id)
            try body(&endpoint)
            try await commit(endpoint)
            return endpoint
        }
    }

    package func commit(
        _ endpoint: WebhookEndpoint,
        events: [TopicEvent] = [],
        deliveries: [NewDelivery] = []
    ) async throws {
        var rows = [standingRow(of: endpoint)]
        if !endpoint.isConfigured {
            rows.append(
                StateRow(
                    domain: WebhookSubscription.domain,
                    key: endpoint.name,
                    value: WebhookSubscription(endpoint, vault).bytes
                )
            )
        }
        _ = try await store.commit(Change(events: events, state: rows, deliveries: deliveries))
        await waitForOtherNodes()
        directory.put(endpoint)
        wake()
    }

    /// Seals the secrets that were stored while no key was configured.
    package func sealStored() async throws {
        guard vault.hasKey else { return }
        for id in unsealed {
            try await execution.run(id) { [self] in try await commit(load(id)) }
        }
    }

    package func saveStanding(of name: String) async {
        await unlessTheStoreFails { [self] in
            try await execution.run(name) { [self] in
                let row = standingRow(of: try load(name))
                _ = try await store.commit(Change(state: [row]))
            }
        }
    }

    private func standingRow(of endpoint: WebhookEndpoint) -> StateRow {
        let health = directory.health(of: endpoint.name)
        return StateRow(
            domain: WebhookStanding.domain,
            key: endpoint.name,
            value: WebhookStanding(endpoint, health).bytes
        )
    }
}
