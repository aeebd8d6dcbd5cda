import Configuration

/// The section of the configuration that switches the domain on.
struct ToysSection: DomainSection {
    static let key = "toys"

    /// Where the shop tells its prices.
    var pricesURL = ""

    static var fields: [ConfigurationField<ToysSection>] {
        [
            .scalar(
                "prices_url",
                \.pricesURL,
                .url(example: "https://shop.example.org/prices"),
                isRequired: true,
                reload: .restart,
                meaning: "Where the shop publishes its prices."
            )
        ]
    }

    /// The owners of toys are the users of tokens.
    func contradictions(in configuration: Configuration) -> [(path: String, message: String)] {
        guard configuration.tokens.secrets.isEmpty else { return [] }
        return [("tokens.secrets", "found none, expected one: a toy belongs to a token's user")]
    }
}
