/// A receiver of webhooks.
package struct WebhookEndpoint: Sendable {
    /// The name in the configuration, or the id of a subscription.
    package let name: String
    package let url: String
    package var secrets: [WebhookSecret]
    package var filter: WebhookFilter
    package let timeout: Duration
    /// The maximum number of attempts per second; 0 for no limit.
    package var rate = 0
    /// Whether the endpoint is in the configuration; otherwise it was created through the API.
    package let isConfigured: Bool
    /// Nil for endpoints of the configuration.
    package var signingKey: WebhookSigningKey?
    /// The secrets that were replaced last, which also sign until a given time.
    package var former: Former?
    package var status = Status.active
    /// Why the endpoint is disabled; nil in every other status.
    package var disabledReason: DisabledReason?
    /// Whether a notice about dropped messages was sent, and the queue has been long since.
    package var isOverfull = false

    package struct Former: Sendable {
        package var secret: WebhookSecret
        package var signingKey: WebhookSigningKey?
        package var until: Timestamp
    }

    package enum Status: String, Sendable, Codable {
        /// Has not yet answered the verification, and receives nothing else.
        case pending
        case active
        /// Paused by a person. Its messages wait.
        case paused
        /// Disabled by the hub. Its messages are not stored.
        case disabled
    }

    package enum DisabledReason: String, Sendable, Codable {
        /// It answered 410.
        case gone
        /// It failed for days.
        case failing
        /// It never answered the verification with 2xx.
        case unverified
    }

    package init(
        name: String,
        url: String,
        secrets: [WebhookSecret],
        filter: WebhookFilter,
        timeout: Duration,
        isConfigured: Bool = true
    ) {
        precondition(!secrets.isEmpty, "endpoint \(name) has no secret")
        self.name = name
        self.url = url
        self.secrets = secrets
        self.filter = filter
        self.timeout = timeout
        self.isConfigured = isConfigured
    }

    /// Returns the secrets that sign at `now`.
    package func secrets(now: Timestamp) -> [WebhookSecret] {
        secrets + (former(now: now).map { [$0.secret] } ?? [])
    }

    package func signingKeys(now: Timestamp) -> [WebhookSigningKey] {
        [signingKey, former(now: now)?.signingKey].compactMap(\.self)
    }

    private func former(now: Timestamp) -> Former? {
        former.flatMap { now < $0.until ? $0 : nil }
    }

    /// Whether events that match its filter are added to its outbox.
    package var takesEvents: Bool {
        switch status {
        case .active, .paused: true
        case .pending, .disabled: false
        }
    }

    /// Whether its waiting messages are sent. For a pending endpoint, that is the verification.
    package var isSent: Bool {
        switch status {
        case .active, .pending: true
        case .paused, .disabled: false
        }
    }
}
