/// The fields of a request's body, looked up by name. A null field counts as left out, the last of
/// duplicate fields counts, and a field that is never looked up is ignored.
package struct RequestFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    /// - Parameter body: the whole of it.
    package init(_ body: [UInt8]) throws(RequestError) {
        guard String(validating: body, as: UTF8.self) != nil else { throw .notUTF8 }
        let value: ArraySlice<UInt8>
        do throws(JSONError) {
            value = try JSONReader.value(of: body[...])
        } catch {
            throw .notJSON(error)
        }
        guard value.first == UInt8(ascii: "{"), let fields = try? JSONReader.fields(of: value)
        else { throw .notAnObject(found: RequestError.excerpt(value)) }
        self.fields = fields
    }

    private func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let value = fields.last(where: { $0.key == name })?.value,
            !value.elementsEqual("null".utf8)
        else { return nil }
        return value
    }

    /// Whether the field is present and null, for requests that distinguish this from a missing
    /// one.
    package func isNull(_ name: String) -> Bool {
        fields.last { $0.key == name }?.value.elementsEqual("null".utf8) ?? false
    }

    /// Nil when it is left out.
    package func text(_ name: String, _ rule: TextRule) throws(RequestError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = JSONReader.string(value) else {
            let isText = JSONReader.shownText(value) != nil
            let without = isText ? " without lone surrogates" : ""
            throw unexpected(name, rule.expected + without, value)
        }
        return try rule.check(text, field: name)
    }

    package func requiredText(_ name: String, _ rule: TextRule) throws(RequestError) -> String {
        guard let text = try text(name, rule) else {
            throw .missing(field: name, expected: rule.expected)
        }
        return text
    }

    /// Nil when it is left out.
    package func bool(_ name: String) throws(RequestError) -> Bool? {
        guard let value = value(name) else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw unexpected(name, "true or false", value)
    }

    /// Nil when it is left out.
    package func number(
        _ name: String,
        in range: ClosedRange<Double>,
        expected: String
    ) throws(RequestError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = RequestFields.number(value), range.contains(number)
        else { throw unexpected(name, expected, value) }
        return number
    }

    package func requiredNumber(
        _ name: String,
        in range: ClosedRange<Double>,
        expected: String
    ) throws(RequestError) -> Double {
        guard let number = try number(name, in: range, expected: expected) else {
            throw .missing(field: name, expected: expected)
        }
        return number
    }

    /// Nil if it is left out. `5.0` is the whole number 5, as in JSON Schema.
    ///
    /// - Parameter range: numbers beyond 2^53 are read exactly if they consist only of digits.
    package func wholeNumber(
        _ name: String,
        in range: ClosedRange<Int>,
        expected: String
    ) throws(RequestError) -> Int? {
        guard let value = value(name) else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        guard let number = Int(text) ?? RequestFields.number(value).flatMap(Int.init(exactly:)),
            range.contains(number)
        else { throw unexpected(name, expected, value) }
        return number
    }

    package func requiredWholeNumber(
        _ name: String,
        in range: ClosedRange<Int>,
        expected: String
    ) throws(RequestError) -> Int {
        guard let number = try wholeNumber(name, in: range, expected: expected) else {
            throw .missing(field: name, expected: expected)
        }
        return number
    }

    /// One of the words of an enumeration.
    package func requiredWord<Word: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(RequestError) -> Word where Word.RawValue == String {
        let expected = "one of " + quotedList(Word.allCases.map(\.rawValue))
        guard let value = value(name) else { throw .missing(field: name, expected: expected) }
        guard let word = JSONReader.string(value).flatMap(Word.init(rawValue:)) else {
            throw unexpected(name, expected, value)
        }
        return word
    }

    /// The bytes of a field that is an object.
    package func requiredObject(
        _ name: String,
        expected: String
    ) throws(RequestError) -> [UInt8] {
        guard let value = value(name) else { throw .missing(field: name, expected: expected) }
        guard value.first == UInt8(ascii: "{") else { throw unexpected(name, expected, value) }
        return Array(value)
    }

    private static func number(_ value: ArraySlice<UInt8>) -> Double? {
        guard let first = value.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
        else { return nil }
        return Double(String(decoding: value, as: UTF8.self))
    }

    private func unexpected(
        _ field: String,
        _ expected: String,
        _ found: ArraySlice<UInt8>
    ) -> RequestError {
        .unexpected(field: field, expected: expected, found: RequestError.excerpt(found))
    }
}

/// Such as `"a", "b"`.
package func quotedList(_ words: some Sequence<String>) -> String {
    words.map { #""\#($0)""# }.joined(separator: ", ")
}
