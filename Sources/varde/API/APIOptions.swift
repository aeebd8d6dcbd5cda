import ArgumentParser
import Foundation

/// The address of a running hub, and the source of the key. The key is never an argument, because
/// every user of a machine can see those.
struct APIOptions: ParsableArguments {
    @Option(
        help: """
            Where the hub is: http://HOST:PORT or https://HOST:PORT. (default: the variable VARDE_URL, \
            else \(ServerURL.defaultText))
            """
    )
    var url: String?

    @Option(
        help: "A file with the API key, instead of the variable VARDE_API_KEY.",
        completion: .file()
    )
    var apiKeyFile: String?

    @Flag(help: "Accept any certificate. For a hub on your own machine.")
    var insecure = false

    @Flag(help: "Print the hub's answer as it is, one line of JSON.")
    var json = false

    func client(environment: [String: String]) throws -> APIClient {
        APIClient(
            url: try ServerURL(named: url, environment, form: "http://HOST:PORT"),
            key: try key(environment: environment),
            isInsecure: insecure
        )
    }

    private func key(environment: [String: String]) throws -> String {
        let text = try apiKeyFile.map(text(ofFile:)) ?? environment["VARDE_API_KEY"] ?? ""
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !key.isEmpty else {
            throw ValidationError(
                "no API key: set VARDE_API_KEY, or name a file with --api-key-file"
            )
        }
        guard !key.hasPrefix("sha256:") else {
            throw ValidationError("that is the hash of an API key; the key itself is needed")
        }
        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("the API key has spaces or other characters that no key has")
        }
        return key
    }
}
