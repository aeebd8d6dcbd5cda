/// The fields of one JSON object from outside, by name; the last of duplicate fields counts.
///
/// A field of another type than the requested one reads as nil, like a missing one.
package struct JSONObject: Sendable {
    private var fields: [String: ArraySlice<UInt8>] = [:]

    /// Nil if the text is not an object. The text must be UTF-8.
    package init?(_ text: ArraySlice<UInt8>) {
        guard let list = try? JSONReader.fields(of: text) else { return nil }
        for field in list { fields[field.key] = field.value }
    }

    /// Nil for a body that is too long, not UTF-8 or not one object.
    package init?(body: [UInt8]) {
        guard let text = JSONObject.json(body) else { return nil }
        self.init(text)
    }

    /// A body that can be read: UTF-8 of a bounded length. A byte order mark is left out (RFC 8259
    /// §8.1).
    package static func text(_ body: [UInt8]) -> ArraySlice<UInt8>? {
        guard body.count <= ProviderLimits.answerBytesMax,
            String(validating: body, as: UTF8.self) != nil
        else { return nil }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return body.starts(with: mark) ? body.dropFirst(mark.count) : body[...]
    }

    /// The text of a body that is one JSON text. A bare `NaN` or `Infinity`, which some services
    /// write for a missing number, is null.
    package static func json(_ body: [UInt8]) -> ArraySlice<UInt8>? {
        text(body).map(withoutNonFiniteNumbers)
    }

    package subscript(_ name: String) -> ArraySlice<UInt8>? { fields[name] }

    /// Whether the field is missing or null.
    package func isNull(_ name: String) -> Bool { fields[name].map(JSONObject.isNull) ?? true }

    /// Whether the field is missing, null or a text without a character to see.
    package func isBlank(_ name: String) -> Bool {
        isNull(name) || string(name)?.allSatisfy(\.isWhitespace) == true
    }

    package func string(_ name: String) -> String? { fields[name].flatMap(JSONReader.shownText) }

    /// Of a number, or of a text that holds one.
    package func number(_ name: String) -> Double? {
        fields[name].flatMap { value in
            let text = JSONReader.string(value).map { Array($0.trimmed.utf8)[...] }
            return JSONObject.number(text ?? value)
        }
    }

    /// A count that is no more than could have been counted.
    package func count(_ name: String) -> Int? {
        guard let value = fields[name].flatMap(JSONReader.integer),
            let count = Int(exactly: value), count <= JSONObject.countMax
        else { return nil }
        return count
    }

    package func object(_ name: String) -> JSONObject? { fields[name].flatMap { JSONObject($0) } }

    package func elements(_ name: String) -> [ArraySlice<UInt8>]? {
        fields[name].flatMap { try? JSONReader.elements(of: $0) }
    }

    /// Nil for another type, and for a number that no finite Double can hold.
    package static func number(_ value: ArraySlice<UInt8>) -> Double? {
        guard let number = Double(String(decoding: value, as: UTF8.self)), number.isFinite else {
            return nil
        }
        return number
    }

    /// The object that is the value, or that is the text of the value, with or without a code
    /// fence.
    package static func nested(_ value: ArraySlice<UInt8>) -> JSONObject? {
        if let object = JSONObject(value) { return object }
        return JSONReader.shownText(value).flatMap { JSONObject(Array($0.unfenced.utf8)[...]) }
    }

    package static func isNull(_ value: ArraySlice<UInt8>) -> Bool {
        value.elementsEqual("null".utf8)
    }

    /// Tokens of one answer: far above any model's window, far below where sums overflow.
    private static let countMax = 1_000_000_000
}
