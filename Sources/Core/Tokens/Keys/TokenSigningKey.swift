/// A key that tokens are signed with: for `varde token create`.
///
/// Neither description nor reflection shows the key.
package struct TokenSigningKey: Sendable {
    package let algorithm: TokenAlgorithm
    package let id: String?
    private let signer: Signer

    private enum Signer {
        case secret([UInt8])
        case privateKey(AsymmetricKey)
    }

    private init(_ algorithm: TokenAlgorithm, id: String?, _ signer: Signer) {
        self.algorithm = algorithm
        self.id = id
        self.signer = signer
    }

    /// The secret of HS256 that the hub shares with an application.
    package static func secret(
        _ secret: [UInt8],
        id: String? = nil
    ) throws(TokenKeyError) -> TokenSigningKey {
        try TokenKey.checkLength(ofSecret: secret)
        return TokenSigningKey(.hs256, id: id, .secret(secret))
    }

    /// - Parameters:
    ///   - pem: a private key without passphrase.
    ///   - algorithm: which the key has to be of.
    package static func privateKey(
        pem: String,
        algorithm: TokenAlgorithm,
        id: String? = nil
    ) throws(TokenKeyError) -> TokenSigningKey {
        guard algorithm != .hs256 else { throw .secretIsNoPEM }
        guard let key = AsymmetricKey(privateKeyPEM: pem, algorithm) else {
            throw .notAPrivateKey(algorithm)
        }
        return TokenSigningKey(algorithm, id: id, .privateKey(key))
    }

    package func sign(_ bytes: [UInt8]) throws(TokenKeyError) -> [UInt8] {
        switch signer {
        case .secret(let secret): return hmacSHA256(key: secret, message: bytes)
        case .privateKey(let key):
            guard let signature = key.signature(of: bytes) else { throw .signingFailed }
            return signature
        }
    }
}

extension TokenSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    package var description: String { "\(algorithm.rawValue) signing key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
