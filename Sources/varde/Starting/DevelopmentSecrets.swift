import CommandKit
import Foundation

/// The secrets of `varde dev`: those of the environment, else those that are kept with the database,
/// else new ones.
struct DevelopmentSecrets {
    private static let apiKeyName = "VARDE_API_KEY"
    private static let tokenSecretName = "VARDE_TOKEN_SECRET"
    private static let fileBytesMax = 64 * 1024

    /// The secrets that the hub uses.
    private(set) var used: GeneratedSecrets
    /// The secrets to print: for one of the environment only its variable, because it may belong to
    /// another hub.
    private(set) var shown: GeneratedSecrets
    /// The file to write, and the secrets for it; nil if there is nothing to keep.
    private let new: (path: String, secrets: GeneratedSecrets)?

    /// Reads the kept secrets, or makes new ones.
    ///
    /// - Parameters:
    ///   - database: nil for a database that is not kept.
    ///   - random: returns the given number of random bytes.
    init(
        database: String?,
        environment: [String: String],
        random: (_ count: Int) -> [UInt8]
    ) throws {
        used = GeneratedSecrets(random: random)
        shown = used
        let path = database.map { Self.path(besideDatabase: $0) }
        if let path, FileManager.default.fileExists(atPath: path) {
            used = try Self.read(path, into: used)
            new = nil
        } else {
            new = path.map { [used] in ($0, used) }
        }
        shown = used
        if let key = environment[Self.apiKeyName], !key.isEmpty {
            used.apiKey = key
            shown.apiKey = "$" + Self.apiKeyName
        }
        if let secret = environment[Self.tokenSecretName], !secret.isEmpty {
            used.tokenSecret = secret
            shown.tokenSecret = "$" + Self.tokenSecretName
        }
    }

    /// The file with the secrets of the hub that has this database.
    static func path(besideDatabase database: String) -> String { database + "-secrets" }

    /// Writes new secrets to the file, which only its owner can read. Call it when the hub has started:
    /// a start that fails leaves no file.
    func keep() throws {
        guard let new else { return }
        try InitCommand.write(Self.text(new.secrets), to: new.path)
    }

    /// The lines of the file. Shells can also read it: `. FILE`.
    private static func text(_ secrets: GeneratedSecrets) -> String {
        "\(apiKeyName)=\(secrets.apiKey)\n\(tokenSecretName)=\(secrets.tokenSecret)\n"
    }

    /// - Parameter secrets: those to use where the file has an empty value.
    private static func read(
        _ path: String,
        into secrets: GeneratedSecrets
    ) throws -> GeneratedSecrets {
        let text = try Base.text(ofFile: path, lengthMax: fileBytesMax)
        var secrets = secrets
        for (index, line) in text.split(separator: "\n").enumerated() {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            switch (parts.first, parts.count) {
            case (apiKeyName, 2): secrets.apiKey = parts[1]
            case (tokenSecretName, 2): secrets.tokenSecret = parts[1]
            default:
                throw Failure(
                    """
                    \(path): cannot be read: line \(index + 1) is not \(apiKeyName)=KEY or \
                    \(tokenSecretName)=SECRET; remove the file to get new secrets
                    """
                )
            }
        }
        return secrets
    }
}
