import COpenSSL

/// The numbers of a public key, from a JWK or from PEM; not yet known to be a key of their
/// algorithm (`AsymmetricKey.init(publicKey:)`).
enum PublicKeyMaterial: Equatable {
    /// Both in big-endian order.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point of P-256 in uncompressed form (SEC 1 §2.3.3): 4, x, y.
    case p256(point: [UInt8])
    case ed25519([UInt8])

    var algorithm: TokenAlgorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }

    /// SEC 1 §2.3.3.
    static let uncompressedPoint: UInt8 = 4
    /// RFC 7518 §6.2.1.2: "The length of this octet string MUST be the full size of a coordinate for
    /// the curve specified in the "crv" parameter."
    static let coordinateLength = 32
    static let pointLength = 1 + 2 * coordinateLength

    /// Of a published key; nil when a text is not base64, or a coordinate does not have its length.
    init?(_ material: JSONWebKey.Material) {
        switch material {
        case .rsa(let modulus, let exponent):
            guard let modulus = Base64URL.decodeNumber(modulus),
                let exponent = Base64URL.decodeNumber(exponent)
            else { return nil }
            self = .rsa(modulus: modulus, exponent: exponent)
        case .p256(let x, let y):
            guard let x = Base64URL.decodeNumber(x), x.count == Self.coordinateLength,
                let y = Base64URL.decodeNumber(y), y.count == Self.coordinateLength
            else { return nil }
            self = .p256(point: [Self.uncompressedPoint] + x + y)
        case .ed25519(let x):
            guard let x = Base64URL.decodeNumber(x) else { return nil }
            self = .ed25519(x)
        }
    }

    /// Of a key that OpenSSL has read, public or private; nil when it is of another kind or curve.
    ///
    /// - Parameter key: stays the caller's.
    init?(_ key: OpaquePointer) {
        if EVP_PKEY_is_a(key, "RSA") == 1 {
            guard let modulus = Self.number(OSSL_PKEY_PARAM_RSA_N, of: key),
                let exponent = Self.number(OSSL_PKEY_PARAM_RSA_E, of: key)
            else { return nil }
            self = .rsa(modulus: modulus, exponent: exponent)
        } else if EVP_PKEY_is_a(key, "EC") == 1 {
            guard Self.isOnNamedP256(key),
                let point = Self.bytes(OSSL_PKEY_PARAM_PUB_KEY, of: key)
            else { return nil }
            self = .p256(point: point)
        } else if EVP_PKEY_is_a(key, "ED25519") == 1 {
            guard let bytes = Self.bytes(OSSL_PKEY_PARAM_PUB_KEY, of: key) else { return nil }
            self = .ed25519(bytes)
        } else {
            return nil
        }
    }

    /// RFC 5480 §2.1.1: "implicitCurve and specifiedCurve MUST NOT be used in PKIX." A key that brings
    /// its own curve may bring a generator with which others can sign for the key's owner.
    private static func isOnNamedP256(_ key: OpaquePointer) -> Bool {
        var isExplicit: Int32 = 0
        let parameter = OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS
        guard EVP_PKEY_get_int_param(key, parameter, &isExplicit) == 1, isExplicit == 0 else {
            return false
        }
        var name = [CChar](repeating: 0, count: groupNameSize)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
        return OBJ_txt2nid(name) == NID_X9_62_prime256v1
    }

    /// OpenSSL's longest name of a curve, `wap-wsg-idm-ecid-wtls12`, has 23 characters.
    private static let groupNameSize = 64

    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        defer { BN_free(number) }
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    private static func bytes(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, name, nil, 0, &length) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_get_octet_string_param(key, name, &bytes, length, &length) == 1 else {
            return nil
        }
        return Array(bytes.prefix(length))
    }
}
