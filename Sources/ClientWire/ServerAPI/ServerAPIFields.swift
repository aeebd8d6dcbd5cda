/// The fields of one object in a request, looked up by name. A null field counts as left out, the
/// last of duplicate fields counts, and a field that is never looked up is ignored.
///
/// A field of the wrong type is refused with an error that states the type found.
struct ServerAPIFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    /// - Parameters:
    ///   - object: part of a text that was read as JSON as a whole.
    ///   - name: the name of the object in an error.
    init(_ object: ArraySlice<UInt8>, name: String) throws(ServerAPIError) {
        guard object.first == UInt8(ascii: "{"),
            let fields = try? JSONReader.fields(of: object)
        else { throw .wrongType(name, expected: "an object", found: object) }
        self.fields = fields
    }

    /// As the sender wrote it, also when it is null.
    func raw(_ name: String) -> ArraySlice<UInt8>? {
        fields.last { $0.key == name }?.value
    }

    /// In the order of the object, without those that are null.
    var present: [(key: String, value: ArraySlice<UInt8>)] {
        fields.filter { !$0.value.elementsEqual("null".utf8) }
    }

    private func value(_ name: String) -> ArraySlice<UInt8>? {
        raw(name).flatMap { $0.elementsEqual("null".utf8) ? nil : $0 }
    }

    func string(_ name: String) throws(ServerAPIError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = JSONReader.string(value) else {
            throw .wrongType(name, expected: "a string", found: value)
        }
        return text
    }

    /// Nil for an empty one, which most clients send where they mean none.
    func text(_ name: String, lengthMax: Int) throws(ServerAPIError) -> String? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= lengthMax else {
            throw .over(name, text.utf8.count, "bytes", limit: lengthMax)
        }
        return text
    }

    /// False when it is left out.
    func bool(_ name: String) throws(ServerAPIError) -> Bool {
        try optionalBool(name) ?? false
    }

    func optionalBool(_ name: String) throws(ServerAPIError) -> Bool? {
        guard let value = value(name) else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw .wrongType(name, expected: "true or false", found: value)
    }

    /// 0 when it is left out.
    func unsigned(_ name: String) throws(ServerAPIError) -> UInt64 {
        guard let value = value(name) else { return 0 }
        guard let number = JSONReader.integer(value) else {
            throw .wrongType(name, expected: "a whole number from 0", found: value)
        }
        return number
    }

    func signed(_ name: String) throws(ServerAPIError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = Int64(String(decoding: value, as: UTF8.self)) else {
            throw .wrongType(name, expected: "a whole number", found: value)
        }
        return number
    }

    func object(_ name: String) throws(ServerAPIError) -> ServerAPIFields? {
        guard let value = value(name) else { return nil }
        return try ServerAPIFields(value, name: name)
    }

    func elements(_ name: String) throws(ServerAPIError) -> [ArraySlice<UInt8>]? {
        guard let value = value(name) else { return nil }
        guard value.first == UInt8(ascii: "["), let elements = try? JSONReader.elements(of: value)
        else { throw .wrongType(name, expected: "an array", found: value) }
        return elements
    }

    /// The names and texts of an object that has only texts.
    func texts(_ name: String) throws(ServerAPIError) -> [(key: String, text: String)] {
        guard let object = try object(name) else { return [] }
        var texts: [(key: String, text: String)] = []
        for (key, value) in object.fields {
            guard let text = JSONReader.string(value) else {
                throw .wrongType("\(name).\(key.prefix(64))", expected: "a string", found: value)
            }
            texts.append((key, text))
        }
        return texts
    }

    // MARK: Values with a meaning to the hub

    func topic(_ name: String = "channel") throws(ServerAPIError) -> Topic {
        guard let text = try string(name) else { throw .badRequest("\(name) is missing") }
        return try .init(named: name, text)
    }

    func position(_ name: String) throws(ServerAPIError) -> Position? {
        guard let object = try object(name) else { return nil }
        return Position(
            offset: try object.unsigned("offset"),
            epoch: try object.string("epoch") ?? ""
        )
    }

    /// Seconds since 1970; nil for 0, which stands for never.
    func instant(_ name: String) throws(ServerAPIError) -> Timestamp? {
        let secondsMax: Int64 = 253_402_300_799  // the end of the year 9999
        guard let seconds = try signed(name), seconds != 0 else { return nil }
        guard (1...secondsMax).contains(seconds) else {
            throw .badRequest("\(name): \(seconds) is no time in seconds since 1970")
        }
        return Timestamp(milliseconds: seconds * 1000)
    }

    /// JSON text: the value of `name`, or the decoded value of `base64Name` if that is given and
    /// not empty.
    ///
    /// - Parameter keepsNull: whether null is a value like any other.
    func json(
        _ name: String,
        base64 base64Name: String,
        keepsNull: Bool = false
    ) throws(ServerAPIError) -> [UInt8]? {
        guard let text = try string(base64Name), !text.isEmpty else {
            return (keepsNull ? raw(name) : value(name)).map { Array($0) }
        }
        // Many encoders break lines after 76 characters.
        guard let decoded = bytes(base64: text.filter { !$0.isNewline }) else {
            throw .badRequest("\(base64Name) is not base64")
        }
        guard isUTF8(decoded) else {
            throw .badRequest("\(base64Name) does not hold UTF-8")
        }
        do {
            return Array(try JSONReader.value(of: decoded[...]))
        } catch {
            throw .badRequest("\(base64Name) does not hold JSON: \(error)")
        }
    }
}

extension Topic {
    fileprivate init(named name: String, _ text: String) throws(ServerAPIError) {
        do {
            self = try Topic(text)
        } catch {
            throw .badRequest("\(name): \(error)")
        }
    }

    /// A topic that is an element of an array.
    init(element: ArraySlice<UInt8>, name: String) throws(ServerAPIError) {
        guard let text = JSONReader.string(element) else {
            throw .wrongType(name, expected: "a string", found: element)
        }
        try self.init(named: name, text)
    }
}

extension ServerAPIError {
    /// - Parameter value: JSON text.
    static func wrongType(
        _ field: String,
        expected: String,
        found value: ArraySlice<UInt8>
    ) -> ServerAPIError {
        .badRequest("\(field): expected \(expected), found \(kind(of: value))")
    }

    /// The number itself, which is short enough to be shown, or the type of any other value.
    private static func kind(of value: ArraySlice<UInt8>) -> String {
        let shownMax = 24
        switch value.first {
        case UInt8(ascii: "{"): return "an object"
        case UInt8(ascii: "["): return "an array"
        case UInt8(ascii: "\""):
            let isText = JSONReader.string(value) != nil
            return isText ? "a string" : "a string with a lone surrogate"
        default:
            let text = String(decoding: value.prefix(shownMax), as: UTF8.self)
            return value.count > shownMax ? text + "…" : text
        }
    }
}
