/// The claims of a token, each read in its required form. A claim of another form is refused, never
/// treated as missing.
struct ClaimSet {
    /// Of groups, audiences and topics; all of them share the 8 KiB of a token.
    static let listCountMax = 128
    /// 9999-12-31T23:59:59Z: later times are milliseconds taken for seconds, or a mistake.
    static let secondsMax = 253_402_300_799.0

    private let fields: [String: ArraySlice<UInt8>]
    /// In front of each name in an error: `subs.` in an object below.
    private let path: String
    /// Whether a claim that is null is missing.
    private let ignoresNull: Bool

    init(json: [UInt8], ignoringNull: Bool = false) throws(TokenError) {
        guard let fields = uniqueFields(of: json) else { throw .malformed(.claims) }
        self.init(fields, path: "", ignoringNull)
    }

    private init(_ fields: [String: ArraySlice<UInt8>], path: String, _ ignoresNull: Bool) {
        self.fields = ignoresNull ? fields.filter { !$1.elementsEqual("null".utf8) } : fields
        self.path = path
        self.ignoresNull = ignoresNull
    }

    /// An object below this one.
    private func inner(_ value: ArraySlice<UInt8>, _ name: String) throws(TokenError) -> ClaimSet {
        guard let fields = uniqueFields(of: Array(value)) else { throw error(name) }
        return ClaimSet(fields, path: path + name + ".", ignoresNull)
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    /// A text; nil when the claim is missing.
    func text(_ name: String) throws(TokenError) -> String? {
        guard let value = fields[name] else { return nil }
        return try checked(JSONReader.string(value), name)
    }

    /// A time in seconds since 1970, with or without a fraction (RFC 7519 §2, NumericDate).
    func time(_ name: String) throws(TokenError) -> Timestamp? {
        guard let value = fields[name] else { return nil }
        guard let seconds = Double(String(decoding: value, as: UTF8.self)),
            (0...Self.secondsMax).contains(seconds)
        else { throw error(name) }
        return Timestamp(seconds: seconds)
    }

    /// A whole number.
    func integer(_ name: String) throws(TokenError) -> Int64? {
        guard let value = fields[name] else { return nil }
        guard let number = Int64(String(decoding: value, as: UTF8.self)) else { throw error(name) }
        return number
    }

    /// Yes or no; some issuers write it as a text.
    func flag(_ name: String) throws(TokenError) -> Bool? {
        guard let value = fields[name] else { return nil }
        switch JSONReader.string(value) ?? String(decoding: value, as: UTF8.self) {
        case "true": return true
        case "false": return false
        default: throw error(name)
        }
    }

    func texts(_ name: String) throws(TokenError) -> [String] {
        guard let value = fields[name] else { return [] }
        guard let elements = try? JSONReader.elements(of: value),
            elements.count <= Self.listCountMax
        else { throw error(name) }
        var texts: [String] = []
        for element in elements { texts.append(try checked(JSONReader.string(element), name)) }
        return texts
    }

    /// RFC 7519 §4.1.3: a text, or a list of texts.
    func audiences() throws(TokenError) -> [String] {
        guard let value = fields["aud"] else { return [] }
        guard let one = JSONReader.string(value) else { return try texts("aud") }
        return [try checked(one, "aud")]
    }

    /// Any JSON value as its text; nil when the claim is missing or `null`.
    func json(_ name: String) -> [UInt8]? {
        guard let value = fields[name], !value.elementsEqual("null".utf8) else { return nil }
        return Array(value)
    }

    /// The JSON text under `name`, or the one under `encodedName` in base64, which counts if both are
    /// there.
    ///
    /// The decoded base64 must also be JSON: clients of the JSON protocol receive it unchanged.
    func json(_ name: String, orBase64 encodedName: String) throws(TokenError) -> [UInt8]? {
        guard let encoded = try freeText(encodedName), !encoded.isEmpty else { return json(name) }
        guard let decoded = bytes(base64: encoded), isJSON(decoded) else {
            throw error(encodedName)
        }
        return decoded
    }

    func object(_ name: String) throws(TokenError) -> ClaimSet? {
        guard let value = fields[name] else { return nil }
        return try inner(value, name)
    }

    /// A list of objects; empty when the claim is missing.
    func objects(_ name: String) throws(TokenError) -> [ClaimSet] {
        guard let value = fields[name] else { return [] }
        guard let elements = try? JSONReader.elements(of: value),
            elements.count <= Self.listCountMax
        else { throw error(name) }
        var objects: [ClaimSet] = []
        for element in elements { objects.append(try inner(element, name)) }
        return objects
    }

    /// An object whose values are texts; empty when the claim is missing.
    func textsByName(_ name: String) throws(TokenError) -> [String: String] {
        guard let value = fields[name] else { return [:] }
        guard let members = uniqueFields(of: Array(value)), members.count <= Self.listCountMax
        else { throw error(name) }
        var texts: [String: String] = [:]
        for (key, member) in members { texts[key] = try checked(JSONReader.string(member), name) }
        return texts
    }

    /// The fields of an object whose names are topics and whose values are objects.
    func objectsByTopic(_ name: String) throws(TokenError) -> [(Topic, ClaimSet)] {
        guard let value = fields[name] else { return [] }
        guard let members = uniqueFields(of: Array(value)), members.count <= Self.listCountMax
        else {
            throw error(name)
        }
        var result: [(Topic, ClaimSet)] = []
        for (key, member) in members {
            result.append((try topic(key, name), try inner(member, name)))
        }
        return result
    }

    func topics(_ name: String) throws(TokenError) -> [Topic] {
        var topics: [Topic] = []
        for text in try texts(name) { topics.append(try topic(text, name)) }
        return topics
    }

    func topic(_ text: String, _ name: String) throws(TokenError) -> Topic {
        do { return try Topic(text) } catch { throw self.error(name) }
    }

    /// `{"value":true}`, the form of an override; nil if there is none.
    func override(_ name: String) throws(TokenError) -> Bool? {
        guard let value = try object(name)?.fields["value"] else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw error(name)
    }

    /// A text of any length, with any characters.
    func freeText(_ name: String) throws(TokenError) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = JSONReader.string(value) else { throw error(name) }
        return text
    }

    private func checked(_ text: String?, _ name: String) throws(TokenError) -> String {
        guard let text, TokenName.isValid(text) else { throw error(name) }
        return text
    }

    private func error(_ name: String) -> TokenError { .claim(path + name) }
}

/// The rule of the names in tokens: of a user, a group, an issuer, an identifier. It also holds for
/// users that a request names.
package enum TokenName {
    package static let bytesMax = 255

    /// Control characters would break a line of a log.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= bytesMax
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

/// Whether `bytes` are one JSON value in UTF-8.
package func isJSON(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    let list = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
    // `1,2` makes a list of two, and `] [` none at all.
    return (try? JSONReader.elements(of: list[...]))?.count == 1
}
