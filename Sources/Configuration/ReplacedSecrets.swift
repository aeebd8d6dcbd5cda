/// Secrets in the configuration file that a variable of the environment replaces: the hub does not
/// accept them.
package struct ReplacedSecrets: Hashable, Sendable, CustomStringConvertible {
    /// The key of the list, `api.keys`.
    package let path: String
    package let variable: String
    /// The number of secrets in the file.
    package let count: Int
    /// The place of the list in the file.
    package let origin: ConfigurationOrigin

    package var description: String {
        "\(path): \(variable) replaces the \(count) of \(origin), which \(count == 1 ? "is" : "are")"
            + " not accepted; unset the variable, or remove them"
    }

    /// A variable that contains one secret, and the list that it replaces.
    struct Variable {
        let name: String
        let path: [String]
        /// The secrets of the list.
        let secrets: @Sendable (Configuration) -> [Secret]

        static let all = [
            Variable(name: "VARDE_TOKEN_SECRET", path: ["tokens", "secrets"]) {
                $0.tokens.secrets
            },
            Variable(name: "VARDE_API_KEY", path: ["api", "keys"]) { $0.api.keys.map(\.key) },
        ]
    }
}
