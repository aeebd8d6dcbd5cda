// Readers of single query parameters. The texts are those behind the names, with percent signs
// resolved; nil where the name is missing.

/// Only digits: no sign, no space.
func decimalNumber(_ text: some StringProtocol) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
}

/// Nil when it is missing.
func queryNumber(
    _ text: String?,
    _ name: String,
    in range: ClosedRange<Int>
) throws(RequestError) -> Int? {
    guard let text else { return nil }
    guard let number = decimalNumber(text), range.contains(number) else {
        throw unexpectedQuery(
            text,
            name,
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        )
    }
    return number
}

/// The words of an enumeration, in any case of letters. Nil when it is missing.
func queryWord<Word: RawRepresentable & CaseIterable>(
    _ text: String?,
    _ name: String
) throws(RequestError) -> Word? where Word.RawValue == String {
    guard let text else { return nil }
    guard let word = Word.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() })
    else {
        throw unexpectedQuery(
            text,
            name,
            "one of " + quotedList(Word.allCases.map(\.rawValue))
        )
    }
    return word
}

/// Midnight of a day such as `2026-01-02`, in UTC. Nil when it is missing.
func queryDay(_ text: String?, _ name: String) throws(RequestError) -> Timestamp? {
    guard let text else { return nil }
    guard let day = midnight(of: text) else {
        throw unexpectedQuery(text, name, "a date such as 2026-01-02")
    }
    return day
}

/// Nil for text that is not a date.
func midnight(of date: String) -> Timestamp? {
    let form = "2026-01-02"
    guard date.utf8.count == form.utf8.count else { return nil }
    return Timestamp(iso8601: "\(date)T00:00:00Z")
}

func unexpectedQuery(_ text: String, _ name: String, _ expected: String) -> RequestError {
    .unexpected(
        field: name,
        expected: expected,
        found: #""\#(RequestError.excerpt(text.utf8))""#
    )
}

extension RequestError {
    /// The same error of an element: `articles[3].title` in place of `title`.
    func inside(_ place: String) -> RequestError {
        switch self {
        case .notUTF8, .notJSON: self
        case .notAnObject(let found):
            .unexpected(field: place, expected: "an object", found: found)
        case .missing(let field, let expected):
            .missing(field: "\(place).\(field)", expected: expected)
        case .unexpected(let field, let expected, let found):
            .unexpected(field: "\(place).\(field)", expected: expected, found: found)
        case .empty(let field): .empty(field: "\(place).\(field)")
        case .tooLong(let field, let length, let unit, let limit):
            .tooLong(field: "\(place).\(field)", length: length, unit: unit, limit: limit)
        case .controlCharacter(let field, let scalar, let index):
            .controlCharacter(field: "\(place).\(field)", scalar: scalar, index: index)
        }
    }
}

extension RequestFields {
    /// Nil when it is left out, and when nothing is written in it, as apps send an empty input
    /// field.
    func textOrNothing(_ name: String, _ rule: TextRule) throws(RequestError) -> String? {
        do throws(RequestError) {
            return try text(name, rule)
        } catch {
            guard case .empty = error else { throw error }
            return nil
        }
    }
}

/// The value of a field of a body that `RequestFields` has accepted. Nil when it is left out or
/// null.
func rawField(_ name: String, of body: [UInt8]) -> ArraySlice<UInt8>? {
    guard let value = try? JSONReader.value(of: body[...]),
        let field = try? JSONReader.fields(of: value).last(where: { $0.key == name })?.value,
        !field.elementsEqual("null".utf8)
    else { return nil }
    return field
}

/// The elements of an array in such a body. Nil when it is left out or null.
func arrayField(
    _ name: String,
    of body: [UInt8],
    expected: String
) throws(RequestError) -> [ArraySlice<UInt8>]? {
    guard let field = rawField(name, of: body) else { return nil }
    guard let elements = try? JSONReader.elements(of: field) else {
        throw .unexpected(field: name, expected: expected, found: RequestError.excerpt(field))
    }
    return elements
}
