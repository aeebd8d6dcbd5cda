/// The algorithms of which there are keys here; by the names of RFC 7518 §3.1 and RFC 8037 §3.1.
///
/// `none` is not among them, so no token can name it.
package enum TokenAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    /// With Ed25519.
    case edDSA = "EdDSA"

    /// Whether verifying takes no secret, so that the keys can be published.
    var hasPublicKeys: Bool { self != .hs256 }

    /// The name of an algorithm for an error or a log line: itself when it is a registered one,
    /// otherwise `other`, since a stranger chose the text.
    static func publicName(_ name: String) -> String {
        let registered: Set = [
            "none", "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512",
            "PS256", "PS384", "PS512", "EdDSA", "Ed25519", "Ed448", "ES256K",
        ]
        return registered.contains(name) ? name : "other"
    }
}
