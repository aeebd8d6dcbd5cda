import Webhooks

extension Configuration.Webhook: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Webhook>] {
        let url = ScalarType.url(hiding: .pathAndQuery, example: "https://example.org/hook")
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "pager"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("url", \.url, url, isRequired: true, reload: .restart),
            .optional("secret", \.secret, .secret(example: "whsec_ and base64"), reload: .restart),
            .optional("secret_file", \.secretFile, .file("/run/secrets/pager"), reload: .restart),
            .optional(
                "secret_env",
                \.secretEnvironment,
                .text(example: "PAGER_SECRET"),
                reload: .restart
            ),
            .list(
                "types",
                \.types,
                .pattern("event type", separator: ".", example: "aurora.alert.*"),
                counts: 0...100,
                reload: .restart
            ),
            .list(
                "topics",
                \.topics,
                .pattern("topic", separator: ":", example: "aurora:*"),
                counts: 0...100,
                reload: .restart
            ),
            .list("severities", \.severities, .choice(), counts: 0...3, reload: .restart),
            .scalar(
                "timeout",
                \.timeout,
                .duration(.seconds(1) ... .seconds(60)),
                reload: .restart
            ),
            .scalar("rate", \.rate, .integer(EndpointRates.range), reload: .restart),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
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
    static var fields: [ConfigurationField<Configuration.WebhookLimits>] {
        [
            .list(
                "allow_addresses",
                \.allowAddresses,
                .addressBlock,
                counts: 0...256,
                reload: .restart
            ),
            .list("ports", \.ports, .integer(1...65_535), counts: 0...64, reload: .restart),
            .scalar("subscriptions", \.subscriptions, .integer(0...10_000), reload: .restart),
            .scalar("waiting", \.waiting, .integer(100...10_000_000), reload: .restart),
            .scalar(
                "waiting_age",
                \.waitingAge,
                .duration(.seconds(4 * 86_400) ... .seconds(365 * 86_400)),
                reload: .restart
            ),
            .optional(
                "secret_key_file",
                \.secretKeyFile,
                .file("/run/secrets/webhooks"),
                reload: .restart
            ),
            .optional(
                "secret_key_env",
                \.secretKeyEnvironment,
                .text(example: "WEBHOOK_SECRET_KEY"),
                reload: .restart
            ),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard secretKeyFile != nil, let secretKeyEnvironment else { return [] }
        return [
            (
                "secret_key_env",
                "found \(secretKeyEnvironment), expected none: secret_key_file says where the key is"
            )
        ]
    }
}

extension ScalarType where Value == String {
    /// Addresses with a common beginning.
    fileprivate static var addressBlock: ScalarType {
        ScalarType(
            name: "address block",
            range: "ADDRESS/LENGTH",
            example: "10.1.0.0/16",
            read: { AddressBlock($0.text)?.description },
            text: yamlText
        )
    }
}
