import COpenSSL

/// A key of RS256, ES256 or EdDSA in OpenSSL's form, public or private, whose numbers have passed
/// `isUsable`.
///
/// `@unchecked Sendable`: nothing changes the key once it is made, and any number of threads may
/// read it. openssl-threads(7): "Objects are thread-safe as long as the API's being invoked don't
/// modify the object", and "when updates to an object's internal state, such as cached values, are
/// done with locks", as with the key's references and its copies for providers. Each operation has
/// its own context.
final class AsymmetricKey: @unchecked Sendable {
    let algorithm: TokenAlgorithm
    /// An `EVP_PKEY`; this object owns it.
    private let key: OpaquePointer

    /// A public key; nil when its numbers are not one of its algorithm.
    convenience init?(publicKey material: PublicKeyMaterial) {
        defer { ERR_clear_error() }
        guard Self.isUsable(material), let key = Self.key(material) else { return nil }
        self.init(owned: key, material.algorithm)
    }

    /// A private key without passphrase; nil when it is not one of the algorithm.
    convenience init?(privateKeyPEM text: String, _ algorithm: TokenAlgorithm) {
        defer { ERR_clear_error() }
        guard let key = PEM.privateKey(text) else { return nil }
        guard let material = PublicKeyMaterial(key), material.algorithm == algorithm,
            Self.isUsable(material), Self.isPair(key)
        else {
            EVP_PKEY_free(key)
            return nil
        }
        self.init(owned: key, algorithm)
    }

    private init(owned key: OpaquePointer, _ algorithm: TokenAlgorithm) {
        self.key = key
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether the owner of the key has signed the message; false also for bytes that are no
    /// signature at all.
    func isSignature(_ signature: [UInt8], of message: ArraySlice<UInt8>) -> Bool {
        let encoded = algorithm == .es256 ? ECDSASignature.encoded(signature) : signature
        guard let encoded, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            // A refusal is an answer; a later call must not find its error in the queue.
            ERR_clear_error()
        }
        // Belongs to `context`.
        var parameters: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &parameters, digest, nil, key) == 1,
            setPadding(parameters)
        else { return false }
        return message.withUnsafeBufferPointer { bytes in
            // Any other result than 1 is a refusal, negative ones included.
            EVP_DigestVerify(context, encoded, encoded.count, bytes.baseAddress, bytes.count) == 1
        }
    }

    /// The signature of a message; nil without a private key.
    func signature(of message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var parameters: OpaquePointer?
        var length = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSignInit(context, &parameters, digest, nil, key) == 1,
            setPadding(parameters),
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { return nil }
        signature.removeSubrange(length...)
        return algorithm == .es256 ? ECDSASignature.raw(signature) : signature
    }

    /// Ed25519 hashes by itself (RFC 8032 §5.1.6).
    private var digest: OpaquePointer? { algorithm == .edDSA ? nil : EVP_sha256() }

    /// RFC 7518 §3.3: RS256 is RSASSA-PKCS1-v1_5. This is also OpenSSL's default; security should
    /// not depend on a default.
    private func setPadding(_ parameters: OpaquePointer?) -> Bool {
        algorithm != .rs256 || EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1
    }
}

// MARK: Which keys are usable

extension AsymmetricKey {
    /// RFC 7518 §3.3: "A key of size 2048 bits or larger MUST be used". The upper limit bounds the
    /// time that a token takes: it grows with the square of the length.
    static let modulusBits = Int32(2048)...8192
    /// The exponent 1 makes every message its own signature. The upper limit also bounds the time;
    /// every exponent in use has 17 bits or fewer.
    static let exponentBits = Int32(2)...33

    /// Whether the numbers are a key of their algorithm, as far as that shows without arithmetic on
    /// the curve: when the key is made, OpenSSL refuses a point that is not on it.
    private static func isUsable(_ material: PublicKeyMaterial) -> Bool {
        switch material {
        case .rsa(let modulus, let exponent):
            // An even modulus is no product of two large primes; an even exponent has no inverse.
            return isOdd(modulus, modulusBits) && isOdd(exponent, exponentBits)
        case .p256(let point):
            return point.count == PublicKeyMaterial.pointLength
                && point[0] == PublicKeyMaterial.uncompressedPoint
        case .ed25519(let bytes):
            return bytes.count == ed25519KeyLength
        }
    }

    /// RFC 8032 §5.1.5.
    private static let ed25519KeyLength = 32

    private static func isOdd(_ bytes: [UInt8], _ bits: ClosedRange<Int32>) -> Bool {
        guard let last = bytes.last, last & 1 == 1 else { return false }
        let significant = bytes.drop { $0 == 0 }
        let length = significant.count * 8 - (significant.first?.leadingZeroBitCount ?? 0)
        return bits.contains(Int32(clamping: length))
    }

    /// Whether the private part belongs to the public one.
    private static func isPair(_ key: OpaquePointer) -> Bool {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        return context != nil && EVP_PKEY_pairwise_check(context) == 1
    }

    // MARK: Making keys

    /// An `EVP_PKEY`, which the caller has to free; nil when OpenSSL refuses the numbers.
    private static func key(_ material: PublicKeyMaterial) -> OpaquePointer? {
        switch material {
        case .rsa(let modulus, let exponent): rsaKey(modulus, exponent)
        case .p256(let point):
            fromData("EC") { context, key in
                evp_pkey_fromdata_p256(context, &key, point, point.count)
            }
        case .ed25519(let bytes):
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        }
    }

    private static func rsaKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> OpaquePointer? {
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer {
            BN_free(n)
            BN_free(e)
        }
        guard let n, let e else { return nil }
        return fromData("RSA") { context, key in evp_pkey_fromdata_rsa(context, &key, n, e) }
    }

    private static func fromData(
        _ name: String,
        _ make: (OpaquePointer, inout OpaquePointer?) -> Int32
    ) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1, make(context, &key) == 1 else {
            EVP_PKEY_free(key)
            return nil
        }
        return key
    }
}
