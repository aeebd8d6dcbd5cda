/// The fields of a JSON object in a catalogue. A null field counts as left out, the last of
/// duplicate fields counts, and a field that is never looked up is ignored.
struct CatalogueFields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    init(_ value: ArraySlice<UInt8>) throws(RowError) {
        guard value.first == UInt8(ascii: "{"), let fields = try? JSONReader.fields(of: value)
        else { throw RowError("not an object: \(FieldValue.excerpt(value))") }
        self.fields = fields
    }

    private func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let value = fields.last(where: { $0.key == name })?.value,
            !value.elementsEqual("null".utf8)
        else { return nil }
        return value
    }

    func object(_ name: String) throws(RowError) -> CatalogueFields? {
        try value(name).map { value throws(RowError) in try CatalogueFields(value) }
    }

    func array(_ name: String) throws(RowError) -> [ArraySlice<UInt8>]? {
        guard let value = value(name) else { return nil }
        guard value.first == UInt8(ascii: "["), let elements = try? JSONReader.elements(of: value)
        else { throw FieldValue.unexpected(name, "an array", value) }
        return elements
    }

    /// Nil if it is left out or only has space in it.
    func text(_ name: String, lengthMax: Int) throws(RowError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = JSONReader.shownText(value) else {
            throw FieldValue.unexpected(name, "a string", value)
        }
        let trimmed = trimmedText(text)
        guard trimmed.unicodeScalars.count <= lengthMax else {
            throw RowError("\(name) is over the limit of \(lengthMax) characters")
        }
        return trimmed.isEmpty ? nil : trimmed
    }

    /// A text of one line; nil when it is left out or empty.
    func line(
        _ name: String,
        lengthMax: Int = ImportLimits.titleLengthMax
    ) throws(RowError) -> String? {
        guard let text = try text(name, lengthMax: lengthMax) else { return nil }
        return try FieldValue.line(text, name, lengthMax: lengthMax)
    }

    func requiredLine(
        _ name: String,
        lengthMax: Int = ImportLimits.titleLengthMax
    ) throws(RowError) -> String {
        guard let line = try line(name, lengthMax: lengthMax) else {
            throw RowError("\(name) is missing or empty")
        }
        return line
    }

    /// Nil when it is left out.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(RowError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = JSONReader.integer(value).flatMap({ Int(exactly: $0) }),
            range.contains(number)
        else {
            let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw FieldValue.unexpected(name, expected, value)
        }
        return number
    }

    func isTrue(_ name: String) -> Bool { value(name)?.elementsEqual("true".utf8) == true }

    /// `YYYY-MM-DD` of a day that exists; nil when it is left out or empty.
    func date(_ name: String) throws(RowError) -> String? {
        guard let text = try text(name, lengthMax: ImportLimits.titleLengthMax) else { return nil }
        guard let date = FieldValue.date(text) else {
            throw FieldValue.unexpected(name, "a date as 1999-03-31", Array(text.utf8)[...])
        }
        return date
    }
}

/// Optional fields of one film: a value that is not valid is reported, and the film is without it.
struct OptionalFields {
    private(set) var problems: [String] = []

    mutating func value<Value>(_ read: () throws(RowError) -> Value?) -> Value? {
        do throws(RowError) { return try read() } catch {
            leaveOut(error)
            return nil
        }
    }

    mutating func leaveOut(_ error: RowError) {
        problems.append("\(error.message); the film is without it")
    }
}
