import Foundation
import Timekeeping
import Webhooks

/// A subscription as the store keeps it. The names of its fields are part of the file format. The secrets stand
/// there as they are: what signs has to be known.
struct WebhookSubscription: Codable {
    static let domain = "webhooks"

    var url: String
    var types: [String]
    var topics: [String]
    var severities: [String]
    /// Nil in rows of before there were rates.
    var rate: Int?
    var secret: String
    var signingKey: String?
    var formerSecret: String?
    var formerSigningKey: String?
    var formerUntil: Timestamp?

    init(_ endpoint: WebhookEndpoint) {
        url = endpoint.url
        types = endpoint.filter.types
        topics = endpoint.filter.topics
        severities = endpoint.filter.severities.sorted()
        rate = endpoint.rate
        secret = endpoint.secrets[0].revealed
        signingKey = endpoint.signingKey?.revealed
        formerSecret = endpoint.former?.secret.revealed
        formerSigningKey = endpoint.former?.signingKey?.revealed
        formerUntil = endpoint.former?.until
    }

    /// Nil for bytes that are no subscription.
    init?(_ bytes: [UInt8]?) {
        guard let bytes, let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = read
    }

    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    func endpoint(id: String) -> WebhookEndpoint? {
        guard let secret = try? WebhookSecret(secret),
            let filter = try? WebhookFilter(types: types, topics: topics, severities: severities)
        else { return nil }
        var endpoint = WebhookEndpoint(
            name: id,
            url: url,
            secrets: [secret],
            filter: filter,
            timeout: WebhookService.timeout,
            isConfigured: false
        )
        endpoint.rate = rate ?? 0
        endpoint.signingKey = signingKey.flatMap { WebhookSigningKey($0) }
        if let formerSecret, let formerUntil, let former = try? WebhookSecret(formerSecret) {
            endpoint.former = WebhookEndpoint.Former(
                secret: former,
                signingKey: formerSigningKey.flatMap { WebhookSigningKey($0) },
                until: formerUntil
            )
        }
        return endpoint
    }
}

/// How an endpoint stands, as the store keeps it; of the configured ones, too.
struct WebhookStanding: Codable {
    static let domain = "webhooks.standing"

    var status: WebhookEndpoint.Status
    var reason: WebhookEndpoint.DisabledReason?
    /// Nil in rows of before queues were bounded.
    var isOverfull: Bool?
    var health: EndpointHealth
    /// When the hub first started without the endpoint; nil while it is there.
    var absentSince: Timestamp?

    init(_ endpoint: WebhookEndpoint, _ health: EndpointHealth) {
        status = endpoint.status
        reason = endpoint.disabledReason
        isOverfull = endpoint.isOverfull
        self.health = health
    }

    init?(_ bytes: [UInt8]?) {
        guard let bytes, let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = read
    }

    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    func apply(to endpoint: inout WebhookEndpoint) {
        endpoint.status = status
        endpoint.disabledReason = reason
        endpoint.isOverfull = isOverfull ?? false
    }
}
