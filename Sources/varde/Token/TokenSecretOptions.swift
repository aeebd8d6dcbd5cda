import ArgumentParser
import Base
import Foundation

/// The source of the HS256 secret. It is never an argument itself, because every user of a machine
/// can see those.
struct TokenSecretOptions: ParsableArguments {
    @Option(help: "The environment variable with the secret of HS256.")
    var secretEnv = "VARDE_TOKEN_SECRET"

    @Option(
        help: "A file with the secret; white space around it is ignored.",
        completion: .file()
    )
    var secretFile: String?

    func isNamed(_ environment: [String: String]) -> Bool {
        secretFile != nil || !(environment[secretEnv] ?? "").isEmpty
    }

    /// Returns the secret; nil if no file was named and the variable is empty or not set.
    func read(environment: [String: String]) throws -> [UInt8]? {
        if let secretFile {
            let text = try text(ofFile: secretFile)
            return Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        }
        guard let text = environment[secretEnv], !text.isEmpty else { return nil }
        return Array(text.utf8)
    }
}

/// Reads a short UTF-8 text file of keys.
func text(ofFile path: String) throws(FileError) -> String {
    try text(ofFile: path, lengthMax: 64 * 1024)
}
