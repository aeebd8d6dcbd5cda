import Configuration

/// A configuration section with the key of a provider: in the configuration file, in a file of its
/// own, or in the environment.
package protocol KeyedSection: ConfigurationSection {
    /// At most one of the three is set; `contradictionsOfKeys` checks this.
    var key: Secret? { get set }
    var keyFile: String? { get set }
    var keyEnvironment: String? { get set }

    /// The URL that requests are sent to. Nil for a section that is incomplete or needs no
    /// provider.
    var effectiveURL: String? { get }
    /// The provider's own URL; nil if it has none.
    var providerURL: String? { get }
    /// The environment variable with the key for `providerURL`.
    var providerKeyVariable: String? { get }
}

extension KeyedSection {
    /// The source of the key. A validated section has at most one.
    package var keySource: SecretSource? {
        if let key { return .text(key) }
        if let keyFile { return .file(keyFile) }
        return keyEnvironment.map(SecretSource.environment)
    }

    /// The environment variable with the key, for a section that sets none.
    ///
    /// A key is never sent to a host for which it may not be intended, so this is nil for hosts
    /// other than the provider's own and this machine.
    package var keyVariable: String? {
        let host = effectiveURL.flatMap(ScalarType<String>.host(of:))
        let own = providerURL.flatMap(ScalarType<String>.host(of:))
        guard host == own || asksThisMachine else { return nil }
        return providerKeyVariable
    }

    package var asksThisMachine: Bool {
        guard let host = effectiveURL.flatMap(ScalarType<String>.host(of:)) else { return false }
        return ListenAddress(host: host, port: 0).isLoopback
    }

    /// The names of the set keys among `key`, `key_file` and `key_env`.
    package var keysGiven: [String] {
        [
            ("key", key != nil), ("key_file", keyFile != nil), ("key_env", keyEnvironment != nil),
        ].filter(\.1).map(\.0)
    }

    /// Returns a problem if more than one key is set.
    package func contradictionsOfKeys() -> [(path: String, message: String)] {
        guard keysGiven.count > 1 else { return [] }
        let names = keysGiven.joined(separator: " and ")
        return [(keysGiven[1], "found \(names), expected only one of them")]
    }

    /// The alternatives that provide a key, for the error about a section without one.
    package var waysToGiveAKey: String {
        let variable = keyVariable.map { " or the environment variable \($0)" } ?? ""
        return "key, key_file, key_env\(variable)"
    }

    /// Reads the key from `keyVariable` if the section sets none.
    ///
    /// - Parameter path: the path of the section.
    package mutating func readKey(
        at path: String,
        _ environment: [String: String],
        _ reader: inout ConfigurationReader
    ) {
        guard keySource == nil, let name = keyVariable, let text = environment[name], !text.isEmpty
        else { return }
        key = reader.variable(name, text, "\(path).key", .providerKey)
    }

    /// Returns a warning about a plaintext key in the configuration file; nil without one.
    ///
    /// - Parameter path: the path of the section.
    package func exposureOfKey(
        at path: String,
        in loaded: LoadedConfiguration
    ) -> ConfigurationExposure? {
        guard key != nil else { return nil }
        return loaded.exposure(ofSecretAt: "\(path).key", instead: "use key_file or key_env")
    }

    /// The fields `key`, `key_file` and `key_env`.
    ///
    /// - Parameter meaning: the description of `key`.
    package static func keyFields(meaning: String) -> [ConfigurationField<Self>] {
        [
            .optional("key", \.key, .providerKey, reload: .restart, meaning: meaning),
            .optional(
                "key_file",
                \.keyFile,
                .file("/run/secrets/provider-key"),
                reload: .restart,
                meaning: "A file that holds the key; white space around it is ignored."
            ),
            .optional(
                "key_env",
                \.keyEnvironment,
                .text(example: "PROVIDER_KEY"),
                reload: .restart,
                meaning: "An environment variable that holds the key."
            ),
        ]
    }
}

extension ScalarType where Value == Secret {
    /// The hub's key at a provider.
    package static var providerKey: ScalarType {
        .secret(example: "the key that the provider gave you")
    }
}
