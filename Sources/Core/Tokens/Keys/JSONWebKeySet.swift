/// A public key as it is published (RFC 7517, RFC 7518 §6, RFC 8037 §2): numbers in base64url, not yet
/// known to be a key.
package struct JSONWebKey: Sendable, Equatable {
    /// `kid`.
    package let id: String?
    package let material: Material

    package enum Material: Sendable, Equatable {
        case rsa(modulus: String, exponent: String)
        case p256(x: String, y: String)
        case ed25519(x: String)
    }

    package var algorithm: TokenAlgorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }

    package init(id: String?, material: Material) {
        self.id = id
        self.material = material
    }

    /// Nil for a key that is not for verifying tokens by an algorithm of ours: of another kind, for
    /// encryption, for another algorithm, or a secret.
    init?(_ fields: [String: ArraySlice<UInt8>]) {
        func text(_ name: String) -> String? { fields[name].flatMap(JSONReader.string) }
        // If a private part is published here, any reader can sign.
        guard fields["d"] == nil, fields["k"] == nil else { return nil }
        let id = text("kid")
        guard fields["kid"] == nil || id != nil,
            (id ?? "").utf8.count <= CompactToken.keyIDLengthMax
        else { return nil }
        switch (text("kty"), text("crv")) {
        case ("RSA", _):
            guard let modulus = text("n"), let exponent = text("e") else { return nil }
            self.init(id: id, material: .rsa(modulus: modulus, exponent: exponent))
        case ("EC", "P-256"):
            guard let x = text("x"), let y = text("y") else { return nil }
            self.init(id: id, material: .p256(x: x, y: y))
        case ("OKP", "Ed25519"):
            guard let x = text("x") else { return nil }
            self.init(id: id, material: .ed25519(x: x))
        default: return nil
        }
        guard fields["use"] == nil || text("use") == "sig" else { return nil }
        guard fields["alg"] == nil || text("alg") == algorithm.rawValue else { return nil }
        guard fields["key_ops"].map(Self.allowsVerifying) ?? true else { return nil }
    }

    private static func allowsVerifying(_ operations: ArraySlice<UInt8>) -> Bool {
        let elements = (try? JSONReader.elements(of: operations)) ?? []
        return elements.contains { JSONReader.string($0) == "verify" }
    }
}

/// A JWKS document, read: the keys in it that verify tokens.
package struct JSONWebKeySet: Sendable, Equatable {
    package static let lengthMax = 64 * 1024
    /// Two or three are usual while keys are being replaced. A token without `kid` may be tried with
    /// each.
    package static let keyCountMax = 32

    package let keys: [JSONWebKey]

    /// Keys of other kinds are skipped, as RFC 7517 §5 recommends; a document without a single
    /// supported key is an error.
    package init(document: [UInt8]) throws(JSONWebKeySetError) {
        guard document.count <= Self.lengthMax else { throw .tooLong(document.count) }
        guard let list = uniqueFields(of: document)?["keys"],
            let elements = try? JSONReader.elements(of: list)
        else { throw .notAKeySet }
        guard elements.count <= Self.keyCountMax else { throw .tooManyKeys(elements.count) }
        keys = elements.compactMap { uniqueFields(of: Array($0)).flatMap(JSONWebKey.init) }
        guard !keys.isEmpty else { throw .noUsableKey }
    }
}

/// Why a document is not a set of keys.
package enum JSONWebKeySetError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLong(Int)
    case notAKeySet
    case tooManyKeys(Int)
    case noUsableKey

    package var description: String {
        switch self {
        case .tooLong(let length):
            "JWKS has \(length) bytes, limit \(JSONWebKeySet.lengthMax)"
        case .notAKeySet:
            "JWKS is not a JSON object with a list 'keys'"
        case .tooManyKeys(let count):
            "JWKS has \(count) keys, limit \(JSONWebKeySet.keyCountMax)"
        case .noUsableKey:
            "JWKS has no public key for RS256, ES256 (P-256) or EdDSA (Ed25519)"
        }
    }
}
