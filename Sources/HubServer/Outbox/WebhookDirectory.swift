import Locking
import Timekeeping
import Webhooks

/// The endpoints of this moment, those of the configuration first, and how each has been doing.
///
/// Domains ask it for every event, the sender for every attempt; `WebhookService` alone changes what there is,
/// after it was committed.
final class WebhookDirectory: Sendable {
    private struct Content {
        var endpoints: [String: WebhookEndpoint] = [:]
        /// In the order in which they came.
        var names: [String] = []
        var health: [String: EndpointHealth] = [:]
        var changes = Changes()
    }

    /// Endpoints that are other than they were when the sender last asked.
    struct Changes: Equatable {
        /// Made, changed or removed.
        var endpoints: Set<String> = []
        /// Those whose pace is another.
        var paces: Set<String> = []
    }

    private let content = Locked(Content())

    init(_ endpoints: [WebhookEndpoint] = []) {
        for endpoint in endpoints { put(endpoint) }
    }

    var all: [WebhookEndpoint] {
        content.withLock { content in content.names.compactMap { content.endpoints[$0] } }
    }

    subscript(name: String) -> WebhookEndpoint? {
        content.withLock { $0.endpoints[name] }
    }

    func put(_ endpoint: WebhookEndpoint) {
        content.withLock {
            if $0.endpoints.updateValue(endpoint, forKey: endpoint.name) == nil {
                $0.names.append(endpoint.name)
            }
            $0.changes.endpoints.insert(endpoint.name)
        }
    }

    func remove(_ name: String) {
        content.withLock {
            $0.endpoints[name] = nil
            $0.health[name] = nil
            $0.names.removeAll { $0 == name }
            $0.changes.endpoints.insert(name)
        }
    }

    /// Endpoints that the hub has switched off.
    var disabledCount: Int {
        content.withLock { $0.endpoints.values.count { $0.status == .disabled } }
    }

    /// What has changed since the last call.
    func takeChanges() -> Changes {
        content.withLock { content in
            defer { content.changes = Changes() }
            return content.changes
        }
    }

    // MARK: Health

    func health(of name: String) -> EndpointHealth {
        content.withLock { $0.health[name] } ?? EndpointHealth()
    }

    /// Of all endpoints that have failed since they last succeeded.
    var healths: [String: EndpointHealth] { content.withLock { $0.health } }

    func setHealth(_ health: EndpointHealth, of name: String) {
        content.withLock {
            $0.health[name] = health == EndpointHealth() ? nil : health
            $0.changes.paces.insert(name)
        }
    }

    /// Notes what came of an attempt.
    func note(isSuccess: Bool, of name: String, now: Timestamp) -> EndpointHealth.Notice {
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
