/// The reason why a token is refused. Contains no part of the token except names from our lists, so
/// that it can be logged.
///
/// The text for clients: docs/AUTHENTICATION.md, "When a token is refused".
package enum TokenError: Error, Equatable, Sendable {
    case malformed(Malformation)
    /// The algorithm that the token names is of no configured key. The name, as
    /// `TokenAlgorithm.publicName` has it.
    case algorithm(String)
    /// No key has the `kid` of the token, or there is none of its algorithm yet.
    case unknownKey
    case signature
    /// The one error that a client heals by itself: it asks its application for another token.
    case expired
    case notYetValid
    /// Revoked, of a blocked user, or of a login that has ended. The signature and the claims do not show it.
    case revoked
    case audience
    case issuer
    /// A subscription token of another user.
    case userMismatch
    /// A subscription token for something else.
    case topicMismatch
    /// The claim of this name is missing, is not of its form, or is over a limit.
    case claim(String)

    /// The error in the form of a token.
    package enum Malformation: String, Sendable, CaseIterable {
        case tooLong = "longer than 8 KiB"
        case partCount = "not three parts with dots between"
        case encoding = "not base64url without padding"
        case header = "header is not an object with the text 'alg'"
        case criticalExtension = "header has 'crit', an extension that is not supported"
        case claims = "claims are not a JSON object with distinct names"
    }

    /// The error's name in logs and metrics; it never changes.
    package var code: String {
        switch self {
        case .malformed: "malformed"
        case .algorithm: "algorithm"
        case .unknownKey: "unknown_key"
        case .signature: "signature"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .revoked: "revoked"
        case .audience: "audience"
        case .issuer: "issuer"
        case .userMismatch: "user_mismatch"
        case .topicMismatch: "topic_mismatch"
        case .claim: "claim"
        }
    }
}

extension TokenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let what): "token is malformed: \(what.rawValue)"
        case .algorithm(let name): "token algorithm \(name) is of no configured key"
        case .unknownKey: "token is signed with a key that is not known"
        case .signature: "token signature is wrong"
        case .expired: "token has expired"
        case .notYetValid: "token is not valid yet"
        case .revoked: "token is of a login that has ended"
        case .audience: "token is for another audience"
        case .issuer: "token is of another issuer"
        case .userMismatch: "token is for another user"
        case .topicMismatch: "token is for another topic"
        case .claim(let name): "token claim '\(name)' is missing or cannot be used"
        }
    }
}
