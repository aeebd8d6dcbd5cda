import Foundation

/// A subscription as it is stored. The names of its fields are part of the file format. If there is
/// a key, `WebhookVault` seals the secrets; otherwise they are stored in plaintext, because signing
/// needs their values.
package struct WebhookSubscription: Codable {
    package static let domain = "webhooks"

    package var url: String
    package var types: [String]
    package var topics: [String]
    package var severities: [String]
    /// Nil in rows of versions without rates.
    package var rate: Int?
    package var secret: String
    package var signingKey: String?
    package var formerSecret: String?
    package var formerSigningKey: String?
    package var formerUntil: Timestamp?

    package init(_ endpoint: WebhookEndpoint, _ vault: WebhookVault) {
        func seal(_ text: String?, _ field: String) -> String? {
            text.map { vault.seal($0, field, of: endpoint.name) }
        }
        url = endpoint.url
        types = endpoint.filter.types
        topics = endpoint.filter.topics
        severities = endpoint.filter.severities.sorted()
        rate = endpoint.rate
        secret = vault.seal(endpoint.secrets[0].revealed, "secret", of: endpoint.name)
        signingKey = seal(endpoint.signingKey?.revealed, "signingKey")
        formerSecret = seal(endpoint.former?.secret.revealed, "formerSecret")
        formerSigningKey = seal(endpoint.former?.signingKey?.revealed, "formerSigningKey")
        formerUntil = endpoint.former?.until
    }

    /// Nil if the bytes are not a subscription.
    package init?(_ bytes: [UInt8]?) {
        guard let bytes, let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = read
    }

    package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    /// Whether all of its secrets are sealed.
    package var isSealed: Bool {
        [secret, signingKey, formerSecret, formerSigningKey].compactMap(\.self)
            .allSatisfy(WebhookVault.isSealed)
    }

    /// Returns it with plaintext secrets; see `WebhookVault.open`.
    package func opened(of id: String, by vault: WebhookVault) throws(WebhookVaultError) -> Self {
        var opened = self
        opened.secret = try vault.open(secret, "secret", of: id)
        if let text = signingKey {
            opened.signingKey = try vault.open(text, "signingKey", of: id)
        }
        if let text = formerSecret {
            opened.formerSecret = try vault.open(text, "formerSecret", of: id)
        }
        if let text = formerSigningKey {
            opened.formerSigningKey = try vault.open(text, "formerSigningKey", of: id)
        }
        return opened
    }

    package func endpoint(id: String) -> WebhookEndpoint? {
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

/// The state of an endpoint as it is stored, including configured endpoints.
package struct WebhookStanding: Codable {
    package static let domain = "webhooks.standing"

    package var status: WebhookEndpoint.Status
    package var reason: WebhookEndpoint.DisabledReason?
    /// Nil in rows of versions without bounded queues.
    package var isOverfull: Bool?
    package var health: EndpointHealth
    /// When the hub first started without the endpoint; nil while it exists.
    package var absentSince: Timestamp?

    package init(_ endpoint: WebhookEndpoint, _ health: EndpointHealth) {
        status = endpoint.status
        reason = endpoint.disabledReason
        isOverfull = endpoint.isOverfull
        self.health = health
    }

    package init?(_ bytes: [UInt8]?) {
        guard let bytes, let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = read
    }

    package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    package func apply(to endpoint: inout WebhookEndpoint) {
        endpoint.status = status
        endpoint.disabledReason = reason
        endpoint.isOverfull = isOverfull ?? false
    }
}
