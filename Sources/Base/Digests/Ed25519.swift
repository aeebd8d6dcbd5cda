import COpenSSL

/// A key pair of Ed25519 (RFC 8032 §5.1), made of 32 secret bytes.
package struct Ed25519Key: Sendable {
    package static let seedLength = 32
    package static let publicLength = 32
    package static let signatureLength = 64

    /// Secret.
    package let seed: [UInt8]
    package let publicKey: [UInt8]

    /// - Parameter seed: `seedLength` bytes of a random generator.
    package init(seed: [UInt8]) {
        precondition(seed.count == Self.seedLength)
        self.seed = seed
        let key = Self.privateKey(seed)
        defer { EVP_PKEY_free(key) }
        publicKey = [UInt8](unsafeUninitializedCapacity: Self.publicLength) { bytes, count in
            count = Self.publicLength
            let result = EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &count)
            precondition(result == 1 && count == Self.publicLength, "no public key")
        }
    }

    /// 64 bytes; the same each time for the same message.
    package func signature(of message: [UInt8]) -> [UInt8] {
        let key = Self.privateKey(seed)
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        precondition(EVP_DigestSignInit(context, nil, nil, nil, key) == 1, "Ed25519 cannot begin")
        return [UInt8](unsafeUninitializedCapacity: Self.signatureLength) { bytes, count in
            count = Self.signatureLength
            let result = EVP_DigestSign(
                context,
                bytes.baseAddress,
                &count,
                message,
                message.count
            )
            precondition(result == 1 && count == Self.signatureLength, "Ed25519 cannot sign")
        }
    }

    private static func privateKey(_ seed: [UInt8]) -> OpaquePointer {
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        guard let key else { preconditionFailure("the system's OpenSSL has no Ed25519") }
        return key
    }
}

/// Whether `signature` is one of `message` by the owner of `publicKey`; false also for bytes that are no key.
package func isEd25519Signature(
    _ signature: [UInt8],
    of message: [UInt8],
    publicKey: [UInt8]
) -> Bool {
    let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
    let context = EVP_MD_CTX_new()
    defer {
        EVP_MD_CTX_free(context)
        EVP_PKEY_free(key)
        // A refusal is an answer; it must not remain in the queue as the error of another
        // operation.
        ERR_clear_error()
    }
    guard key != nil, EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
}
