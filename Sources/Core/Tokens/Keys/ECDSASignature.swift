import COpenSSL

/// The two forms of a signature of P-256: `r` and `s` side by side, 32 bytes each, in a token
/// (RFC 7518 §3.4), and DER in OpenSSL (RFC 3279 §2.2.3).
///
/// Whether the numbers are in 1..<n is OpenSSL's to check when it verifies.
enum ECDSASignature {
    static let numberLength = 32
    /// RFC 7518 §3.4: "The JWS Signature value MUST be a 64-octet sequence. If it is not a 64-octet
    /// sequence, the validation has failed."
    static let length = 2 * numberLength

    /// The signature of a token in DER; nil when it has another length.
    static func encoded(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == length, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let r = number(signature[..<numberLength])
        let s = number(signature[numberLength...])
        // Takes over both numbers, unless it fails.
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: max(0, Int(i2d_ECDSA_SIG(pair, nil))))
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return i2d_ECDSA_SIG(pair, &position)
        }
        return written > 0 ? bytes : nil
    }

    /// A signature in DER as a token has it; nil when it is not one of P-256.
    static func raw(_ encoded: [UInt8]) -> [UInt8]? {
        encoded.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard let pair = d2i_ECDSA_SIG(nil, &position, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(pair) }
            var signature = [UInt8](repeating: 0, count: length)
            let size = Int32(numberLength)
            let isComplete = signature.withUnsafeMutableBufferPointer { bytes in
                BN_bn2binpad(ECDSA_SIG_get0_r(pair), bytes.baseAddress, size) == size
                    && BN_bn2binpad(
                        ECDSA_SIG_get0_s(pair),
                        bytes.baseAddress.map { $0 + numberLength },
                        size
                    ) == size
            }
            return isComplete ? signature : nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    }
}
