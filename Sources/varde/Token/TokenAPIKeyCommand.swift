import CommandKit

struct TokenAPIKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-key",
        abstract: "Makes an API key, and its hash for the configuration.",
        discussion: """
            Prints one line of JSON with "key", for the user of the server API, and "hash", for the \
            hub. The key is stored nowhere: keep it, or make another.
            """
    )

    func run() throws {
        say(try Self.line(random: randomBytes(APIKeys.newKeyLength)))
    }

    static func line(random: [UInt8]) throws -> String {
        let key = APIKeys.newKey(random: random)
        let hash = try APIKeyHash(key: key)
        var json = JSONWriter()
        json.object {
            $0.field("key", key)
            $0.field("hash", hash.text)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
