import Core
import Expectations
import Foundation
import Repository

/// protocol/vectors/tokens.json
struct TokenVectors: Decodable {
    struct Case: Decodable, CustomTestStringConvertible {
        var name: String
        var token: String
        /// A subscription token when there is one.
        var topic: String?
        var user: String?
        var expires: Double?
        var keys: String?
        var audience: String?
        var issuer: String?
        var leeway: Int?
        /// The code of the error; nil for a good token.
        var error: String?
        var claim: String?
        var algorithm: String?
        var testDescription: String { name }
    }

    var now: Int64
    var secrets: [String]
    var publicKeys: [String: String]
    var privateKeys: [String: String]
    var otherPublicKeys: [String: String]
    var jwks: KeySetText
    var cases: [Case]

    static let shared = load()

    var time: Timestamp { Timestamp(milliseconds: now * 1000) }
    var good: [Case] { cases.filter { $0.error == nil } }
    var refused: [Case] { cases.filter { $0.error != nil } }

    /// The case of this name.
    subscript(name: String) -> Case {
        guard let found = cases.first(where: { $0.name == name }) else {
            preconditionFailure("no vector '\(name)'")
        }
        return found
    }

    func publicKey(_ algorithm: TokenAlgorithm) throws -> TokenKey {
        try TokenKey.publicKey(pem: try require(publicKeys[algorithm.rawValue]))
    }

    /// - Parameter which: `configured` for all keys but the set's, `public` for the public ones among
    ///   them, nil for all.
    func keys(_ which: String? = nil) throws -> TokenKeySet {
        var configured: [TokenKey] = []
        if which != "public" {
            for secret in secrets { configured.append(try .secret(Array(secret.utf8))) }
        }
        for algorithm in [TokenAlgorithm.rs256, .es256, .edDSA] {
            configured.append(try publicKey(algorithm))
        }
        guard which == nil else { return TokenKeySet(configured: configured) }
        let set = try JSONWebKeySet(document: jwks.bytes)
        return TokenKeySet(configured: configured, published: TokenKey.published(set.keys))
    }

    func verifier(of vector: Case) throws -> TokenVerifier {
        TokenVerifier(
            keys: try keys(vector.keys),
            audience: vector.audience,
            issuer: vector.issuer,
            leeway: .seconds(vector.leeway ?? 0)
        )
    }

    private static func load() -> TokenVectors {
        let root = URL(filePath: repositoryRoot)
        let file = root.appending(path: "protocol/vectors/tokens.json")
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(TokenVectors.self, from: Data(contentsOf: file))
        } catch {
            preconditionFailure("\(file.path()): \(error)")
        }
    }
}

/// A set of keys out of the vectors, as text again.
struct KeySetText: Decodable {
    var bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let keys = try decoder.singleValueContainer().decode([String: [[String: String]]].self)
        bytes = Array(try JSONEncoder().encode(keys))
    }
}

/// What a token grants, of either kind.
struct Granted: Equatable {
    var user: String
    var expiresAt: Timestamp?

    init(_ verifier: TokenVerifier, _ vector: TokenVectors.Case) throws(TokenError) {
        let now = TokenVectors.shared.time
        guard let topic = vector.topic else {
            let claims = try verifier.verifyConnection(vector.token, now: now)
            (user, expiresAt) = (claims.user, claims.expiresAt)
            return
        }
        let claims = try verifier.verifySubscription(
            vector.token,
            topic: Topic(trusted: topic),
            user: vector.user ?? "",
            now: now
        )
        (user, expiresAt) = (claims.user, claims.expiresAt)
    }
}
