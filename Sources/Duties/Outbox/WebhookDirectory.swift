/// The current endpoints, those of the configuration first, and the health of each.
///
/// Domains read it for every event, the sender for every attempt. Only `WebhookService` changes it,
/// after the change was committed.
package final class WebhookDirectory: Sendable {
    private struct Content {
        var endpoints: [String: WebhookEndpoint] = [:]
        /// In the order in which they were added.
        var names: [String] = []
        var health: [String: EndpointHealth] = [:]
        var changes = Changes()
    }

    /// The endpoints that have changed since the sender last asked.
    package struct Changes: Equatable {
        /// Those that were added, changed or removed.
        package var endpoints: Set<String> = []
        /// Those with another pace.
        package var paces: Set<String> = []
    }

    private let content = Locked(Content())

    package init(_ endpoints: [WebhookEndpoint] = []) {
        for endpoint in endpoints { put(endpoint) }
    }

    /// Replaces all endpoints and their health, as they are read from the store. The sender reads
    /// the messages of all of them again, and drops those of endpoints that are gone.
    package func replace(with endpoints: [WebhookEndpoint], healths: [String: EndpointHealth]) {
        var next = Content()
        for endpoint in endpoints {
            next.endpoints[endpoint.name] = endpoint
            next.names.append(endpoint.name)
        }
        next.health = healths.filter { $0.value != EndpointHealth() }
        next.changes.endpoints = Set(next.names)
        next.changes.paces = Set(healths.keys)
        content.withLock { [next] content in
            let former = content.changes.endpoints.union(content.names)
            content = next
            content.changes.endpoints.formUnion(former)
        }
    }

    package var all: [WebhookEndpoint] {
        content.withLock { content in content.names.compactMap { content.endpoints[$0] } }
    }

    package subscript(name: String) -> WebhookEndpoint? {
        content.withLock { $0.endpoints[name] }
    }

    package func put(_ endpoint: WebhookEndpoint) {
        content.withLock {
            if $0.endpoints.updateValue(endpoint, forKey: endpoint.name) == nil {
                $0.names.append(endpoint.name)
            }
            $0.changes.endpoints.insert(endpoint.name)
        }
    }

    package func remove(_ name: String) {
        content.withLock {
            $0.endpoints[name] = nil
            $0.health[name] = nil
            $0.names.removeAll { $0 == name }
            $0.changes.endpoints.insert(name)
        }
    }

    /// The number of endpoints that the hub has disabled.
    package var disabledCount: Int {
        content.withLock { $0.endpoints.values.count { $0.status == .disabled } }
    }

    /// Returns and clears the changes since the last call.
    package func takeChanges() -> Changes {
        content.withLock { content in
            defer { content.changes = Changes() }
            return content.changes
        }
    }

    // MARK: Health

    package func health(of name: String) -> EndpointHealth {
        content.withLock { $0.health[name] } ?? EndpointHealth()
    }

    /// The health of every endpoint that has failed since its last success.
    package var healths: [String: EndpointHealth] { content.withLock { $0.health } }

    package func setHealth(_ health: EndpointHealth, of name: String) {
        content.withLock {
            $0.health[name] = health == EndpointHealth() ? nil : health
            $0.changes.paces.insert(name)
        }
    }

    /// Records the result of an attempt.
    package func note(isSuccess: Bool, of name: String, now: Timestamp) -> EndpointHealth.Notice {
        content.withLock {
            var health = $0.health[name] ?? EndpointHealth()
            let before = health
            let notice = health.note(isSuccess: isSuccess, now: now)
            if health != before { $0.changes.paces.insert(name) }
            $0.health[name] = health == EndpointHealth() ? nil : health
            return notice
        }
    }
}
