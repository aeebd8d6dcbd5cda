/// A reference to the text of a secret, as a mapping in place of the text: `{file: PATH}`,
/// `{env: NAME}` or `{credential: NAME}`. Every key with a secret accepts it, because its type
/// reads it.
package enum SecretReference: Hashable, Sendable {
    case file(String)
    case environment(String)
    /// A credential of systemd: a file in `$CREDENTIALS_DIRECTORY`.
    case credential(String)

    /// The text in the documentation of keys.
    static let documentation = "`{file: PATH}`, `{env: NAME}` or `{credential: NAME}`"

    /// Returns nil for any other key, and for a name that can never be valid.
    init?(key: String, value: String) {
        guard !value.isEmpty, value.utf8.count <= 4096, !value.utf8.contains(0) else { return nil }
        switch key {
        case "file": self = .file(value)
        case "env": self = .environment(value)
        case "credential":
            // systemd.exec(5): a valid file name.
            guard !value.contains("/"), value != ".", value != ".." else { return nil }
            self = .credential(value)
        default: return nil
        }
    }
}

/// The process's files and environment, from which secrets are loaded.
package struct SecretPlaces: Sendable {
    /// The maximum size of a file. A secret has at most 512 bytes, and white space around it.
    static let fileBytesMax = 64 << 10
    static let credentialsVariable = "CREDENTIALS_DIRECTORY"

    private let environment: [String: String]

    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// Returns the path of a credential.
    func path(ofCredential name: String) throws(SecretReferenceError) -> String {
        guard let directory = environment[SecretPlaces.credentialsVariable], !directory.isEmpty
        else { throw SecretReferenceError("$CREDENTIALS_DIRECTORY is not set") }
        return directory + "/" + name
    }

    /// Returns the text without white space around it.
    func text(of reference: SecretReference) throws(SecretReferenceError) -> String {
        switch reference {
        case .environment(let name):
            guard let text = environment[name]?.trimmed, !text.isEmpty else {
                throw SecretReferenceError("the environment variable \(name) is not set")
            }
            return String(text)
        case .file(let path): return try contents(of: path)
        case .credential(let name): return try contents(of: try path(ofCredential: name))
        }
    }

    private func contents(of path: String) throws(SecretReferenceError) -> String {
        let text: String
        do { text = try Base.text(ofFile: path, lengthMax: SecretPlaces.fileBytesMax) } catch {
            throw SecretReferenceError("\(error)")
        }
        guard !text.trimmed.isEmpty else { throw SecretReferenceError("\(path) is empty") }
        return String(text.trimmed)
    }
}

/// The reason why a secret was not found. Never contains a part of a secret.
struct SecretReferenceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
