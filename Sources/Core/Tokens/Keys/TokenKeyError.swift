/// Why a text is not a key. Says nothing of the text itself.
package enum TokenKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    case shortSecret(Int)
    case notAPublicKey
    /// Where a public key belongs; the hub has no use for the other, and should not have it.
    case privateKey
    case notAPrivateKey(TokenAlgorithm)
    case secretIsNoPEM
    case signingFailed

    package var description: String {
        switch self {
        case .shortSecret(let length):
            "secret has \(length) bytes, HS256 needs \(TokenKey.secretLengthMin)"
        case .notAPublicKey:
            "not a public key in PEM for RS256 (2048 bits or more), ES256 (P-256) or EdDSA (Ed25519)"
        case .privateKey:
            "a private key where a public key belongs"
        case .notAPrivateKey(let algorithm):
            "not a private key in PEM for \(algorithm.rawValue)"
        case .secretIsNoPEM:
            "HS256 has a secret, not a key in PEM"
        case .signingFailed:
            "the key cannot sign"
        }
    }
}
