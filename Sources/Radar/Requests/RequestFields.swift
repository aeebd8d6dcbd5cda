import JSONText

/// The fields of a request's body, looked up by name. A field that is null counts as left out, of one
/// that stands twice the last counts, and one that nobody asks for is ignored.
struct RequestFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    init(_ body: [UInt8]) throws(RadarRequestError) {
        guard String(validating: body, as: UTF8.self) != nil else { throw .notUTF8 }
        let value: ArraySlice<UInt8>
        do throws(JSONError) {
            value = try JSONReader.value(of: body[...])
        } catch {
            throw .notJSON(error)
        }
        guard value.first == UInt8(ascii: "{"), let fields = try? JSONReader.fields(of: value)
        else { throw .notAnObject(found: RadarRequestError.excerpt(value)) }
        self.fields = fields
    }

    private func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let value = fields.last(where: { $0.key == name })?.value,
            !value.elementsEqual("null".utf8)
        else { return nil }
        return value
    }

    /// Nil when it is left out.
    func text(_ name: String, _ rule: TextRule) throws(RadarRequestError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = JSONReader.string(value) else {
            throw unexpected(name, rule.expected, value)
        }
        return try rule.check(text, field: name)
    }

    func requiredText(_ name: String, _ rule: TextRule) throws(RadarRequestError) -> String {
        guard let text = try text(name, rule) else {
            throw .missing(field: name, expected: rule.expected)
        }
        return text
    }

    /// Nil when it is left out.
    func bool(_ name: String) throws(RadarRequestError) -> Bool? {
        guard let value = value(name) else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw unexpected(name, "true or false", value)
    }

    func requiredNumber(
        _ name: String,
        in range: ClosedRange<Double>,
        expected: String
    ) throws(RadarRequestError) -> Double {
        guard let value = value(name) else { throw .missing(field: name, expected: expected) }
        guard let first = value.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            let number = Double(String(decoding: value, as: UTF8.self)), range.contains(number)
        else { throw unexpected(name, expected, value) }
        return number
    }

    func requiredStance(_ name: String) throws(RadarRequestError) -> Stance {
        let expected = Stance.allCases.map { #""\#($0.rawValue)""# }.joined(separator: ", ")
        guard let value = value(name) else {
            throw .missing(field: name, expected: "one of \(expected)")
        }
        guard let stance = JSONReader.string(value).flatMap(Stance.init(rawValue:)) else {
            throw unexpected(name, "one of \(expected)", value)
        }
        return stance
    }

    private func unexpected(
        _ field: String,
        _ expected: String,
        _ found: ArraySlice<UInt8>
    ) -> RadarRequestError {
        .unexpected(field: field, expected: expected, found: RadarRequestError.excerpt(found))
    }
}

/// What a text of a request may be. It is taken without the space around it.
struct TextRule {
    enum Unit: String {
        /// Unicode scalars: what people see as one character may have any number of them.
        case characters
        case bytes
    }

    var lengthMax: Int
    var unit = Unit.characters
    /// Line breaks and tabs are a part of prose; other control characters are a part of nothing, and
    /// U+0000 ends a text early where C strings are used.
    var isProse = false

    static let topic = TextRule(lengthMax: RadarLimits.topicLengthMax)
    static let name = TextRule(lengthMax: RadarLimits.nameLengthMax)
    static let content = TextRule(
        lengthMax: RadarLimits.contentBytesMax,
        unit: .bytes,
        isProse: true
    )
    static let reasoning = TextRule(
        lengthMax: RadarLimits.reasoningBytesMax,
        unit: .bytes,
        isProse: true
    )

    var expected: String { "a string of 1 to \(lengthMax) \(unit.rawValue)" }

    func check(_ text: String, field: String) throws(RadarRequestError) -> String {
        let trimmed = TextRule.trimmed(text)
        guard !trimmed.isEmpty else { throw .empty(field: field) }
        let length = unit == .bytes ? trimmed.utf8.count : trimmed.unicodeScalars.count
        guard length <= lengthMax else {
            throw .tooLong(field: field, length: length, unit: unit.rawValue, limit: lengthMax)
        }
        for (index, scalar) in trimmed.unicodeScalars.enumerated() where isRefused(scalar) {
            throw .controlCharacter(field: field, scalar: scalar.value, index: index)
        }
        return trimmed
    }

    private func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.properties.generalCategory == .control else { return false }
        return !(isProse && ["\n", "\r", "\t"].contains(scalar))
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.drop(while: \.properties.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
