import Configuration
import Foundation

/// The keys of clients' tokens and of the server API, read from the configured places.
package struct Credentials: Sendable {
    package let verifier: TokenVerifier
    package let apiKeys: APIKeys
    /// Signs with the first secret, which replaces the others; nil if there is no secret.
    package let issuer: TokenIssuer?

    /// The development secret, used if none is configured. It stays the same until the process
    /// ends, so a reload of the configuration logs no user out.
    private static let developmentSecret = randomBytes(TokenKey.secretLengthMin)

    /// A public key in PEM has some hundred bytes.
    private static let publicKeyBytesMax = 64 << 10

    /// - Parameter signsTokens: whether the hub makes its own access tokens, which requires a
    ///   secret.
    /// - Throws: `ConfigurationError` with every key that cannot be used. It contains no secret.
    package static func load(
        _ loaded: LoadedConfiguration,
        signsTokens: Bool = false
    ) async throws(ConfigurationError) -> Credentials {
        var problems: [ConfigurationProblem] = []
        let (secrets, signing) = secretKeys(loaded, signsTokens, &problems)
        let keys = secrets + publicKeys(loaded, &problems)
        let published = await publishedKeys(loaded, &problems)
        let apiKeys = apiKeys(loaded, &problems)
        if !problems.isEmpty { throw ConfigurationError(problems) }
        let tokens = loaded.configuration.tokens
        return Credentials(
            verifier: TokenVerifier(
                keys: TokenKeySet(configured: keys, published: published),
                audience: tokens.audience,
                issuer: tokens.issuer,
                leeway: tokens.leeway,
                requiresExpiry: tokens.requireExpiry
            ),
            apiKeys: apiKeys,
            issuer: signing.map {
                TokenIssuer(key: $0, audience: tokens.audience, issuer: tokens.issuer)
            }
        )
    }

    /// The keys of the configured secrets, and the key that signs.
    private static func secretKeys(
        _ loaded: LoadedConfiguration,
        _ signsTokens: Bool,
        _ problems: inout [ConfigurationProblem]
    ) -> ([TokenKey], signing: TokenSigningKey?) {
        let configuration = loaded.configuration
        if signsTokens, configuration.tokens.secrets.isEmpty, !configuration.development {
            let message =
                "found none, expected one, or VARDE_TOKEN_SECRET: accounts are on, and their access"
                + " tokens are signed with it"
            problems.append(loaded.problem(at: "tokens.secrets", message))
        }
        var keys: [TokenKey] = []
        var signing: TokenSigningKey?
        for (index, secret) in secrets(of: configuration, signsTokens).enumerated() {
            do throws(TokenKeyError) {
                keys.append(try TokenKey.secret(secret))
                let key = try TokenSigningKey.secret(secret)
                signing = signing ?? key
            } catch {
                problems.append(loaded.problem(at: "tokens.secrets[\(index)]", "\(error)"))
            }
        }
        return (keys, signing)
    }

    private static func publicKeys(
        _ loaded: LoadedConfiguration,
        _ problems: inout [ConfigurationProblem]
    ) -> [TokenKey] {
        var keys: [TokenKey] = []
        for (index, file) in loaded.configuration.tokens.publicKeys.enumerated() {
            let path = "tokens.public_keys[\(index)]"
            do {
                let pem = try text(ofFile: file, lengthMax: publicKeyBytesMax)
                keys.append(try TokenKey.publicKey(pem: pem))
            } catch let error as FileError {
                problems.append(loaded.problem(at: path, "\(error)"))
            } catch {
                problems.append(loaded.problem(at: path, "\(file): \(error)"))
            }
        }
        return keys
    }

    /// The keys of `tokens.jwks_file`. Empty until those of `tokens.jwks_url` are fetched; nil if
    /// neither is configured.
    private static func publishedKeys(
        _ loaded: LoadedConfiguration,
        _ problems: inout [ConfigurationProblem]
    ) async -> [TokenKey]? {
        let tokens = loaded.configuration.tokens
        guard let file = tokens.jwksFile else { return tokens.jwksURL == nil ? nil : [] }
        do {
            return try await keySet(file)
        } catch {
            problems.append(loaded.problem(at: "tokens.jwks_file", "\(file): \(error)"))
            return nil
        }
    }

    private static func apiKeys(
        _ loaded: LoadedConfiguration,
        _ problems: inout [ConfigurationProblem]
    ) -> APIKeys {
        var entries: [(hash: APIKeyHash, grant: APIKeyGrant)] = []
        for (index, key) in loaded.configuration.api.keys.enumerated() {
            let path = "api.keys[\(index)]"
            do throws(APIKeyError) {
                let grant = APIKeyGrant(
                    name: key.name ?? path,
                    methods: key.methods,
                    namespaces: key.namespaces,
                    isReadOnly: key.readOnly
                )
                entries.append((hash: try hash(key.key), grant: grant))
            } catch {
                problems.append(loaded.problem(at: path, "\(error)"))
            }
        }
        return APIKeys(scoped: entries)
    }

    /// The configured secrets. If the hub signs tokens and no secret is configured, development
    /// mode uses its own.
    private static func secrets(
        of configuration: Configuration,
        _ signsTokens: Bool
    ) -> [[UInt8]] {
        let configured = configuration.tokens.secrets.map { Array($0.revealed.utf8) }
        let needsOne = signsTokens && configuration.development
        return configured.isEmpty && needsOne ? [developmentSecret] : configured
    }

    private struct UnreadableFile: Error, CustomStringConvertible {
        let description: String
    }

    /// The usable keys of a file with a JSON Web Key Set.
    package static func keySet(_ file: String) async throws -> [TokenKey] {
        let document: Data
        do { document = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            throw UnreadableFile(description: "cannot be read: \(error.reason)")
        }
        let set = try JSONWebKeySet(document: Array(document))
        return TokenKey.published(set.keys)
    }

    private static func hash(_ key: Secret) throws(APIKeyError) -> APIKeyHash {
        let text = key.revealed
        return text.hasPrefix(APIKeyHash.prefix)
            ? try APIKeyHash(text) : try APIKeyHash(key: text)
    }
}
