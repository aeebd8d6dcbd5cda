import Timekeeping
import Webhooks

/// Where webhooks go.
package struct WebhookEndpoint: Sendable {
    /// Of the configuration, or the id of a subscription.
    package let name: String
    package let url: String
    package var secrets: [WebhookSecret]
    package var filter: WebhookFilter
    package let timeout: Duration
    /// Attempts a second; 0 for as many as there are.
    package var rate = 0
    /// Whether the configuration has it; otherwise it was made through the API.
    package let isConfigured: Bool
    /// Nil for those of the configuration.
    package var signingKey: WebhookSigningKey?
    /// What was replaced lately, and until when it signs, too.
    package var former: Former?
    package var status = Status.active
    /// Why it is disabled; nil in every other status.
    package var disabledReason: DisabledReason?
    /// Whether it was told that messages for it are dropped, and its queue has been long since.
    package var isOverfull = false

    package struct Former: Sendable {
        package var secret: WebhookSecret
        package var signingKey: WebhookSigningKey?
        package var until: Timestamp
    }

    package enum Status: String, Sendable, Codable {
        /// Has not answered the verification yet; gets nothing else.
        case pending
        case active
        /// By a person: what is meant for it waits.
        case paused
        /// By the hub: what is meant for it is not even noted.
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

    /// The secrets that sign at `now`.
    package func secrets(now: Timestamp) -> [WebhookSecret] {
        secrets + (former(now: now).map { [$0.secret] } ?? [])
    }

    package func signingKeys(now: Timestamp) -> [WebhookSigningKey] {
        [signingKey, former(now: now)?.signingKey].compactMap(\.self)
    }

    private func former(now: Timestamp) -> Former? {
        former.flatMap { now < $0.until ? $0 : nil }
    }

    /// Whether events that pass its filter are put into the outbox for it.
    package var takesEvents: Bool {
        switch status {
        case .active, .paused: true
        case .pending, .disabled: false
        }
    }

    /// Whether what waits for it is sent. What a pending one has waiting is its verification.
    package var isSent: Bool {
        switch status {
        case .active, .pending: true
        case .paused, .disabled: false
        }
    }
}
