/// A key that was set by its former path. The former path works for one version, with a warning.
package struct MovedKey: Hashable, Sendable, CustomStringConvertible {
    /// The path that was used.
    package let former: String
    /// The path of the key.
    package let path: String
    package let origin: ConfigurationOrigin

    package var description: String {
        "\(origin): \(former) is now \(path); the next version refuses the former name"
    }
}
