import Foundation
import Tokens

/// The keys of clients' tokens and of the server API, read from where the configuration says.
package struct Credentials: Sendable {
    package let verifier: TokenVerifier
    package let apiKeys: APIKeys

    /// Who may use the server API.
    var access: ServerAPI.Access {
        apiKeys.isEmpty ? .closed : .keys({ apiKeys.accepts($0) })
    }

    /// - Throws: `ConfigurationError` with every key that cannot be used. No text of a secret is in it.
    package static func load(
        _ loaded: LoadedConfiguration
    ) async throws(ConfigurationError) -> Credentials {
        var problems: [ConfigurationProblem] = []
        let tokens = loaded.configuration.tokens
        var keys: [TokenKey] = []
        for (index, secret) in tokens.secrets.enumerated() {
            do throws(TokenKeyError) {
                keys.append(try await TokenKey.secret(Array(secret.revealed.utf8)))
            } catch {
                problems.append(loaded.problem(at: "tokens.secrets[\(index)]", "\(error)"))
            }
        }
        for (index, file) in tokens.publicKeys.enumerated() {
            let path = "tokens.public_keys[\(index)]"
            guard let pem = try? String(contentsOfFile: file, encoding: .utf8) else {
                problems.append(loaded.problem(at: path, "\(file) cannot be read"))
                continue
            }
            do throws(TokenKeyError) {
                keys.append(try await TokenKey.publicKey(pem: pem))
            } catch {
                problems.append(loaded.problem(at: path, "\(file): \(error)"))
            }
        }
        var published: [TokenKey]? = tokens.jwksURL == nil ? nil : []
        if let file = tokens.jwksFile {
            do {
                published = try await keySet(file)
            } catch {
                problems.append(loaded.problem(at: "tokens.jwks_file", "\(file): \(error)"))
            }
        }
        var hashes: [APIKeyHash] = []
        for (index, key) in loaded.configuration.api.keys.enumerated() {
            do throws(APIKeyError) {
                hashes.append(try hash(key))
            } catch {
                problems.append(loaded.problem(at: "api.keys[\(index)]", "\(error)"))
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
        return Credentials(
            verifier: TokenVerifier(
                keys: TokenKeySet(configured: keys, published: published),
                audience: tokens.audience,
                issuer: tokens.issuer,
                leeway: tokens.leeway
            ),
            apiKeys: APIKeys(hashes)
        )
    }

    private static func keySet(_ file: String) async throws -> [TokenKey] {
        let document = try Data(contentsOf: URL(fileURLWithPath: file))
        let set = try JSONWebKeySet(document: Array(document))
        return await TokenKey.published(set.keys)
    }

    private static func hash(_ key: Secret) throws(APIKeyError) -> APIKeyHash {
        let text = key.revealed
        return text.hasPrefix(APIKeyHash.prefix)
            ? try APIKeyHash(text) : try APIKeyHash(key: text)
    }
}
