import Webhooks

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
