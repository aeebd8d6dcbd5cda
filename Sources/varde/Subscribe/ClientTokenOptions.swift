import AllDomains
import Foundation

/// The token with which a command-line client connects.
struct ClientTokenOptions: ParsableArguments {
    /// The token is used for each connection, so it must remain valid as long as the command runs.
    private static let lifetime = Duration.seconds(24 * 3600)

    @Option(help: "A connection token. Every user of the machine can see it: better --token-file.")
    var token: String?

    @Option(help: "A file with a connection token.", completion: .file())
    var tokenFile: String?

    @Option(
        help: """
            Signs a token for this user, valid for a day, with the first secret of --config, or with that of \
            --secret-file or --secret-env.
            """
    )
    var user: String?

    @Option(
        help: "The hub's configuration file, for --user.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    @OptionGroup var secret: TokenSecretOptions

    func validate() throws {
        guard [token, tokenFile, user].compactMap(\.self).count <= 1 else {
            throw ValidationError("give only one of --token, --token-file and --user")
        }
        guard config == nil || user != nil else {
            throw ValidationError("--config is for --user")
        }
    }

    /// Nil for a client without a token.
    func token(now: Timestamp, environment: [String: String]) throws -> String? {
        if let text = try tokenFile.map(text(ofFile:)) ?? token {
            let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty else { throw Failure("the token is empty") }
            return text
        }
        guard let user else { return nil }
        var draft = TokenDraft(
            user: user,
            issuedAt: now,
            lifetime: Self.lifetime,
            kind: .connection(topics: [])
        )
        guard config != nil || secret.isNamed(environment) else {
            throw Failure("--user needs --config, --secret-file or \(secret.secretEnv)")
        }
        var key = try secret.read(environment: environment)
        if let config {
            let tokens = try configuredTokens(config, environment)
            draft.audience = tokens.audience
            draft.issuer = tokens.issuer
            key = tokens.secrets.first.map { Array($0.revealed.utf8) } ?? key
        }
        guard let key else { throw Failure("the configuration has no secret: set tokens.secrets") }
        return try draft.signed(with: .secret(key, id: nil))
    }

    private func configuredTokens(
        _ path: String,
        _ environment: [String: String]
    ) throws -> Configuration.Tokens {
        do throws(ConfigurationError) {
            return try LoadedConfiguration.load(
                path: path,
                environment: environment,
                flags: ConfigurationFlags(),
                domains: allDomains.configurations
            ).configuration.tokens
        } catch {
            throw Failure("configuration refused:\n\(error)")
        }
    }
}
