extension Configuration.Webhook: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Webhook>] {
        addressFields + selectionFields
    }

    private static var addressFields: [ConfigurationField<Configuration.Webhook>] {
        let url = ScalarType.url(hiding: .pathAndQuery, example: "https://example.org/hook")
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "pager"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the endpoint in logs and metrics."
            ),
            .scalar(
                "url",
                \.url,
                url,
                isRequired: true,
                reload: .restart,
                meaning: """
                    Where to send. Logs and answers show only its host, as the path may be a \
                    credential.
                    """
            ),
            .optional(
                "secret",
                \.secret,
                .secret(example: "whsec_ and base64"),
                reload: .restart,
                meaning: "The signing secret: `whsec_` and 24 to 64 bytes in base64."
            ),
            .optional(
                "secret_file",
                \.secretFile,
                .file("/run/secrets/pager"),
                reload: .restart,
                meaning: "A file that holds the secret; white space around it is ignored."
            ),
            .optional(
                "secret_env",
                \.secretEnvironment,
                .text(example: "PAGER_SECRET"),
                reload: .restart,
                meaning: "An environment variable that holds the secret."
            ),
        ]
    }

    private static var selectionFields: [ConfigurationField<Configuration.Webhook>] {
        [
            .list(
                "types",
                \.types,
                .pattern("event type", separator: ".", example: "chat.alert.*"),
                counts: 0...100,
                reload: .restart,
                meaning: "Events of these types."
            ),
            .list(
                "topics",
                \.topics,
                .pattern("topic", separator: ":", example: "chat:*"),
                counts: 0...100,
                reload: .restart,
                meaning: "Events of these topics."
            ),
            .list(
                "severities",
                \.severities,
                .choice(),
                counts: 0...3,
                reload: .restart,
                meaning: "Alerts of these severities; other events then do not pass."
            ),
            .scalar(
                "timeout",
                \.timeout,
                .duration(.seconds(1) ... .seconds(60)),
                reload: .restart,
                meaning: "The longest time of one attempt."
            ),
            .scalar(
                "rate",
                \.rate,
                .integer(EndpointRates.range),
                reload: .restart,
                meaning: "Attempts a second; further ones wait. 0 for no limit."
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        let given = [
            ("secret", secret != nil), ("secret_file", secretFile != nil),
            ("secret_env", secretEnvironment != nil),
        ].filter(\.1).map(\.0)
        switch given.count {
        case 0: return [("secret", "found nothing, expected secret, secret_file or secret_env")]
        case 1: return []
        default:
            let names = given.joined(separator: " and ")
            return [(given[1], "found \(names), expected only one of them")]
        }
    }
}

extension Configuration.WebhookLimits: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.WebhookLimits>] {
        targetFields + waitingFields
    }

    private static var targetFields: [ConfigurationField<Configuration.WebhookLimits>] {
        [
            .list(
                "allow_addresses",
                \.allowAddresses,
                .addressBlock,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    Blocks of addresses that may be called nevertheless, such as the network of your \
                    own receivers.
                    """
            ),
            .list(
                "ports",
                \.ports,
                .integer(1...65_535),
                counts: 0...64,
                reload: .restart,
                meaning: """
                    Ports that URLs given through the API may name besides 80, 443, 8080 and 8443. \
                    `webhooks` may name any.
                    """
            ),
            .scalar(
                "subscriptions",
                \.subscriptions,
                .integer(0...10_000),
                reload: .restart,
                meaning: "The most webhooks that can be made through the API."
            ),
        ]
    }

    private static var waitingFields: [ConfigurationField<Configuration.WebhookLimits>] {
        [
            .scalar(
                "waiting",
                \.waiting,
                .integer(100...10_000_000),
                reload: .restart,
                meaning: """
                    Messages that may wait for one endpoint, paused or not; beyond it the oldest are \
                    given up. Queues are counted only from time to time, so there may be one percent \
                    more.
                    """
            ),
            .scalar(
                "waiting_age",
                \.waitingAge,
                .duration(.seconds(4 * 86_400) ... .seconds(365 * 86_400)),
                reload: .restart,
                meaning: """
                    The greatest age of the event of a waiting message; older ones are given up \
                    within an hour.
                    """
            ),
            .optional(
                "secret_key",
                \.secretKey,
                .secret(example: "at least 32 random bytes as text"),
                reload: .restart,
                meaning: """
                    The key that encrypts the secrets of webhooks in the database, usually \
                    `{file: PATH}`, `{env: NAME}` or `{credential: NAME}`. At most one of this, \
                    `secret_key_file` and `secret_key_env`.
                    """
            ),
            .optional(
                "secret_key_file",
                \.secretKeyFile,
                .file("/run/secrets/webhooks"),
                reload: .restart,
                meaning: """
                    A text of at least 32 bytes, such as `openssl rand -base64 32` prints. With it \
                    the secrets and signing keys of webhooks that were made through the API are \
                    sealed in the store (AES-256-GCM); existing ones at the next start. Keep it \
                    apart from backups: without it a hub with sealed secrets does not start. Give at \
                    most one of this and `secret_key_env`.
                    """
            ),
            .optional(
                "secret_key_env",
                \.secretKeyEnvironment,
                .text(example: "WEBHOOK_SECRET_KEY"),
                reload: .restart,
                meaning: "The environment variable that holds this text."
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        let given = [
            ("secret_key", secretKey != nil), ("secret_key_file", secretKeyFile != nil),
            ("secret_key_env", secretKeyEnvironment != nil),
        ].filter(\.1).map(\.0)
        guard given.count > 1 else { return [] }
        let names = given.joined(separator: " and ")
        return [(given[1], "found \(names), expected only one of them")]
    }
}

extension ScalarType where Value == String {
    /// A block of addresses with a common prefix.
    package static var addressBlock: ScalarType {
        ScalarType(
            name: "address block",
            range: "ADDRESS/LENGTH",
            example: "10.1.0.0/16",
            read: { AddressBlock($0.text)?.description },
            text: yamlText
        )
    }
}
