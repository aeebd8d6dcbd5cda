// Digests: the few primitives of the system's OpenSSL that the wire protocols need, as functions on
// bytes.

import COpenSSL

/// SHA-1, 20 bytes. Only for the WebSocket handshake (RFC 6455 §4.2.2), where it protects nothing.
package func sha1(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    return [UInt8](unsafeUninitializedCapacity: Int(SHA_DIGEST_LENGTH)) { digest, count in
        _ = SHA1(input, input.count, digest.baseAddress)
        count = Int(SHA_DIGEST_LENGTH)
    }
}

/// SHA-256, 32 bytes.
package func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
        _ = SHA256(input, input.count, digest.baseAddress)
        count = Int(SHA256_DIGEST_LENGTH)
    }
}

/// HMAC-SHA256 (RFC 2104), 32 bytes.
package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
        var length: UInt32 = 0
        let result = HMAC(
            EVP_sha256(),
            key,
            Int32(key.count),
            message,
            message.count,
            digest.baseAddress,
            &length
        )
        precondition(result != nil, "HMAC-SHA256 is not available in the system's OpenSSL")
        count = Int(length)
    }
}

/// Bytes from OpenSSL's random generator, which the kernel seeds.
package func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        // RAND_bytes fails only when the system has no entropy source at all.
        precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "no random bytes")
        initialized = count
    }
}

/// Compares two byte strings of one length in a time that does not depend on where they differ.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
