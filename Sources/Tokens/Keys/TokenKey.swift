import JWTKit

/// A key that tokens are verified with, together with the one algorithm that it is for.
///
/// A token never chooses how a key is used: a public key in PEM is not a secret of HS256, whatever a
/// header says (RFC 8725 §2.1).
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
    private let verifier: any JWTAlgorithm

    private init(_ algorithm: TokenAlgorithm, id: String?, verifier: any JWTAlgorithm) {
        precondition(verifier.name == algorithm.rawValue)
        self.algorithm = algorithm
        self.id = id
        self.verifier = verifier
    }

    /// The secret of HS256 that the hub shares with an application.
    package static func secret(
        _ secret: [UInt8],
        id: String? = nil
    ) async throws(TokenKeyError) -> TokenKey {
        TokenKey(.hs256, id: id, verifier: try await secretSigner(secret))
    }

    /// A public key in PEM (`BEGIN PUBLIC KEY`); what kind it is decides on the algorithm.
    package static func publicKey(
        pem: String,
        id: String? = nil
    ) async throws(TokenKeyError) -> TokenKey {
        guard pem.utf8.count <= pemLengthMax else { throw .notAPublicKey }
        guard !pem.contains("PRIVATE KEY") else { throw .privateKey }
        let keys = JWTKeyCollection()
        do {
            if let key = try? ES256PublicKey(pem: pem) {
                let verifier = try await keys.add(ecdsa: key).getKey()
                return TokenKey(.es256, id: id, verifier: verifier)
            }
            if let key = try? EdDSA.PublicKey(pem: pem) {
                return TokenKey(.edDSA, id: id, verifier: try await keys.add(eddsa: key).getKey())
            }
            let key = try Insecure.RSA.PublicKey(pem: pem)
            let verifier = try await keys.add(rsa: key, digestAlgorithm: .sha256).getKey()
            return TokenKey(.rs256, id: id, verifier: verifier)
        } catch {
            // The library's error is not passed on: it may quote the text.
            throw .notAPublicKey
        }
    }

    /// A key out of a published set.
    package static func published(_ key: JSONWebKey) async throws(TokenKeyError) -> TokenKey {
        let keys = JWTKeyCollection()
        let verifier: any JWTAlgorithm
        do {
            switch key.material {
            case .rsa(let modulus, let exponent):
                let key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
                verifier = try await keys.add(rsa: key, digestAlgorithm: .sha256).getKey()
            case .p256(let x, let y):
                verifier = try await keys.add(ecdsa: ES256PublicKey(parameters: (x, y))).getKey()
            case .ed25519(let x):
                let key = try EdDSA.PublicKey(x: x, curve: .ed25519)
                verifier = try await keys.add(eddsa: key).getKey()
            }
        } catch {
            throw .notAPublicKey
        }
        return TokenKey(key.algorithm, id: key.id, verifier: verifier)
    }

    /// Those keys of a set that can be used. One that cannot (a point that is not on its curve, a
    /// modulus that is too short) must not cost the others, as RFC 7517 §5 advises.
    package static func published(_ keys: [JSONWebKey]) async -> [TokenKey] {
        var usable: [TokenKey] = []
        for key in keys {
            guard let key = try? await published(key) else { continue }
            usable.append(key)
        }
        return usable
    }

    func isSignature(_ signature: [UInt8], of signed: ArraySlice<UInt8>) -> Bool {
        // What throws is a signature of a length that the algorithm does not have.
        (try? verifier.verify(signature, signs: Array(signed))) ?? false
    }
}

/// A key that tokens are signed with: for `varde token create`.
package struct TokenSigningKey: Sendable {
    package let algorithm: TokenAlgorithm
    package let id: String?
    private let signer: any JWTAlgorithm

    package static func secret(
        _ secret: [UInt8],
        id: String? = nil
    ) async throws(TokenKeyError) -> TokenSigningKey {
        TokenSigningKey(algorithm: .hs256, id: id, signer: try await secretSigner(secret))
    }

    /// - Parameters:
    ///   - pem: a private key without passphrase.
    ///   - algorithm: which the key has to be of.
    package static func privateKey(
        pem: String,
        algorithm: TokenAlgorithm,
        id: String? = nil
    ) async throws(TokenKeyError) -> TokenSigningKey {
        let keys = JWTKeyCollection()
        let signer: any JWTAlgorithm
        do {
            switch algorithm {
            case .hs256: throw TokenKeyError.secretIsNoPEM
            case .rs256:
                let key = try Insecure.RSA.PrivateKey(pem: pem)
                signer = try await keys.add(rsa: key, digestAlgorithm: .sha256).getKey()
            case .es256: signer = try await keys.add(ecdsa: ES256PrivateKey(pem: pem)).getKey()
            case .edDSA: signer = try await keys.add(eddsa: EdDSA.PrivateKey(pem: pem)).getKey()
            }
        } catch let error as TokenKeyError {
            throw error
        } catch {
            throw .notAPrivateKey(algorithm)
        }
        return TokenSigningKey(algorithm: algorithm, id: id, signer: signer)
    }

    func sign(_ bytes: [UInt8]) throws(TokenKeyError) -> [UInt8] {
        do { return try signer.sign(bytes) } catch { throw .signingFailed }
    }
}

/// jwt-kit hands out an algorithm with its key only through a collection, hence `async`.
private func secretSigner(_ secret: [UInt8]) async throws(TokenKeyError) -> any JWTAlgorithm {
    // Checked here because the library stops the process at a shorter one.
    guard secret.count >= TokenKey.secretLengthMin else { throw .shortSecret(secret.count) }
    do {
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret),
            digestAlgorithm: .sha256
        )
        return try await keys.getKey()
    } catch {
        throw .signingFailed
    }
}

extension TokenKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(algorithm.rawValue) key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    package var description: String { "\(algorithm.rawValue) signing key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

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
