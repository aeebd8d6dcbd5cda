/// A parsed token, not yet verified: header, claims and signature, each decoded.
///
/// Stricter than RFC 7515 demands where it leaves a choice: one encoding for each token, no name
/// twice (§4), and no `crit`, since no extension is supported here (§4.1.11). The keys and
/// addresses that a header may offer (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
///
/// Source: RFC 7515 §7.1, compact serialization.
package struct CompactToken: Sendable {
    /// A token is in a header or in one message; longer ones are not needed.
    package static let lengthMax = 8 * 1024
    /// Identifiers of keys are names or digests.
    static let keyIDLengthMax = 255

    /// The JSON text of the header.
    package let header: [UInt8]
    /// The JSON text of the claims; valid UTF-8.
    package let claims: [UInt8]
    let signature: [UInt8]
    /// The signed bytes.
    let signed: ArraySlice<UInt8>
    /// `alg`, as in the token.
    let algorithm: String
    /// `kid`.
    let keyID: String?

    package init(_ token: String) throws(TokenError) {
        guard token.utf8.count <= Self.lengthMax else { throw .malformed(.tooLong) }
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed(.partCount) }
        guard let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed(.encoding) }
        guard let fields = uniqueFields(of: header),
            let algorithm = fields["alg"].flatMap(JSONReader.string)
        else { throw .malformed(.header) }
        guard fields["crit"] == nil else { throw .malformed(.criticalExtension) }
        self.header = header
        self.claims = claims
        self.signature = signature
        self.algorithm = algorithm
        keyID = try Self.keyID(fields["kid"])
        signed = bytes[..<parts[1].endIndex]
    }

    private static func keyID(_ value: ArraySlice<UInt8>?) throws(TokenError) -> String? {
        guard let value else { return nil }
        guard let id = JSONReader.string(value), id.utf8.count <= keyIDLengthMax else {
            throw .malformed(.header)
        }
        return id
    }
}

/// Whether two names are the same, code point by code point, as RFC 7519 §7.3 compares them.
///
/// `==` of strings also holds for texts that only look alike: U+212A, the Kelvin sign, equals `K`, and
/// so a user could be taken for another.
package func hasSameBytes(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
}

/// The fields of a JSON object in valid UTF-8 whose names differ; nil for anything else.
func uniqueFields(of json: [UInt8]) -> [String: ArraySlice<UInt8>]? {
    guard String(validating: json, as: UTF8.self) != nil,
        let list = try? JSONReader.fields(of: json[...])
    else { return nil }
    var fields: [String: ArraySlice<UInt8>] = [:]
    for (name, value) in list {
        guard fields.updateValue(value, forKey: name) == nil else { return nil }
    }
    return fields
}
