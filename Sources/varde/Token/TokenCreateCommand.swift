import CommandKit
import Foundation

struct TokenCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a token and prints it.",
        discussion: """
            With --channel it is a subscription token for that topic, otherwise a connection token. It is \
            signed with a secret (HS256) or with a private key (--key-file and --algorithm).
            """
    )

    @Option(help: "The user of the token; an empty text for an anonymous client.")
    var user: String

    @Option(help: "Its validity: a number with s, m, h or d; or never.")
    var ttl = TokenLifetime.hour

    @Option(help: "JSON that other clients see with the user.")
    var info: String?

    @Option(help: "The topic that a subscription token is for.")
    var channel: String?

    @Option(help: "Topics that the client is subscribed to at once, separated by commas.")
    var subs: String?

    @Option(name: .customLong("group"), help: "A group of the user; may be repeated.")
    var groups: [String] = []

    @Option(help: "The audience of the token (aud).")
    var audience: String?

    @Option(help: "The issuer of the token (iss).")
    var issuer: String?

    @OptionGroup var secret: TokenSecretOptions

    @Option(help: "A private key in PEM, to sign with instead of a secret.", completion: .file())
    var keyFile: String?

    @Option(help: "The algorithm of --key-file: RS256, ES256 or EdDSA.")
    var algorithm: String?

    @Option(help: "The name of the key (kid).")
    var keyID: String?

    func validate() throws {
        guard channel == nil || (subs == nil && groups.isEmpty) else {
            throw ValidationError("--subs and --group are for connection tokens, --channel is not")
        }
        guard (keyFile == nil) == (algorithm == nil) else {
            throw ValidationError("--key-file and --algorithm belong together")
        }
    }

    func run() async throws {
        let now = Timestamp(seconds: Date().timeIntervalSince1970)
        say(try await token(now: now, environment: ProcessInfo.processInfo.environment))
    }

    func token(now: Timestamp, environment: [String: String]) async throws -> String {
        var draft = TokenDraft(
            user: user,
            issuedAt: now,
            lifetime: ttl.duration,
            kind: try kind()
        )
        draft.audience = audience
        draft.issuer = issuer
        draft.groups = groups
        draft.info = try parsedInfo()
        let key = try await signingKey(environment: environment)
        return try draft.signed(with: key)
    }

    private func kind() throws -> TokenDraft.Kind {
        if let channel { return .subscription(try topic(channel)) }
        let names = subs?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        return .connection(topics: try names.map { try topic(String($0)) })
    }

    private func topic(_ name: String) throws -> Topic {
        do throws(TopicError) { return try Topic(name) } catch {
            throw ValidationError("topic '\(name)': \(error)")
        }
    }

    private func parsedInfo() throws -> [UInt8]? {
        guard let info else { return nil }
        guard isJSON(Array(info.utf8)) else { throw ValidationError("--info is not JSON") }
        return Array(info.utf8)
    }

    private func signingKey(environment: [String: String]) async throws -> TokenSigningKey {
        guard let keyFile, let algorithm else {
            guard let bytes = try secret.read(environment: environment) else {
                throw Failure(
                    "no secret: set \(secret.secretEnv), or use --secret-file or --key-file"
                )
            }
            return try .secret(bytes, id: keyID)
        }
        guard let algorithm = TokenAlgorithm(rawValue: algorithm) else {
            throw ValidationError("--algorithm is RS256, ES256 or EdDSA")
        }
        let pem = try text(ofFile: keyFile)
        return try .privateKey(pem: pem, algorithm: algorithm, id: keyID)
    }
}

/// The lifetime of a token: `90s`, `15m`, `1h`, `7d`, `never`.
struct TokenLifetime: ExpressibleByArgument, Equatable {
    static let hour = TokenLifetime(duration: .seconds(3600))
    /// Ten years: more is a mistake, or `never`.
    static let secondsMax: Int64 = 10 * 365 * 86_400

    /// Nil without an expiry.
    let duration: Duration?

    private init(duration: Duration?) {
        self.duration = duration
    }

    init?(argument: String) {
        guard argument != "never" else {
            self.init(duration: nil)
            return
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }),
            argument.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(argument.dropLast()), (1...Self.secondsMax / unit).contains(count)
        else { return nil }
        self.init(duration: .seconds(count * unit))
    }

    var defaultValueDescription: String { "1h" }
}
