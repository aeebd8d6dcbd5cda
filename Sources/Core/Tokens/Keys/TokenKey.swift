/// A key for verifying tokens, with its only algorithm.
///
/// A token never chooses how a key is used: a public key in PEM is not a secret of HS256, whatever
/// a header specifies (RFC 8725 §2.1).
///
/// Neither description nor reflection shows the key.
package struct TokenKey: Sendable {
    /// RFC 7518 §3.2: "A key of the same size as the hash output […] or larger MUST be used".
    package static let secretLengthMin = 32
    /// A key of RSA with 16,384 bits takes 3 KB in PEM.
    package static let pemLengthMax = 8 * 1024

    package let algorithm: TokenAlgorithm
    /// The `kid` by which tokens name the key. A key without one is tried with every token of its
    /// algorithm.
    package let id: String?
    private let verifier: Verifier

    private enum Verifier {
        case secret([UInt8])
        case publicKey(AsymmetricKey)
    }

    private init(_ algorithm: TokenAlgorithm, id: String?, _ verifier: Verifier) {
        self.algorithm = algorithm
        self.id = id
        self.verifier = verifier
    }

    /// The secret of HS256 that the hub shares with an application.
    package static func secret(
        _ secret: [UInt8],
        id: String? = nil
    ) throws(TokenKeyError) -> TokenKey {
        try checkLength(ofSecret: secret)
        return TokenKey(.hs256, id: id, .secret(secret))
    }

    /// A public key in PEM (`BEGIN PUBLIC KEY`); its kind determines the algorithm.
    package static func publicKey(
        pem: String,
        id: String? = nil
    ) throws(TokenKeyError) -> TokenKey {
        guard pem.utf8.count <= pemLengthMax else { throw .notAPublicKey }
        guard !pem.contains("PRIVATE KEY") else { throw .privateKey }
        return try publicKey(PEM.publicKey(pem), id: id)
    }

    /// A key out of a published set.
    package static func published(_ key: JSONWebKey) throws(TokenKeyError) -> TokenKey {
        try publicKey(PublicKeyMaterial(key.material), id: key.id)
    }

    /// Those keys of a set that can be used. One that cannot (a point that is not on its curve, a
    /// modulus that is too short) must not cost the others, as RFC 7517 §5 advises.
    package static func published(_ keys: [JSONWebKey]) -> [TokenKey] {
        keys.compactMap { try? published($0) }
    }

    private static func publicKey(
        _ material: PublicKeyMaterial?,
        id: String?
    ) throws(TokenKeyError) -> TokenKey {
        guard let key = material.flatMap(AsymmetricKey.init(publicKey:)) else {
            throw .notAPublicKey
        }
        return TokenKey(key.algorithm, id: id, .publicKey(key))
    }

    static func checkLength(ofSecret secret: [UInt8]) throws(TokenKeyError) {
        guard secret.count >= secretLengthMin else { throw .shortSecret(secret.count) }
    }

    func isSignature(_ signature: [UInt8], of signed: ArraySlice<UInt8>) -> Bool {
        switch verifier {
        case .secret(let secret):
            isEqualInConstantTime(hmacSHA256(key: secret, message: Array(signed)), signature)
        case .publicKey(let key): key.isSignature(signature, of: signed)
        }
    }
}

extension TokenKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(algorithm.rawValue) key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
