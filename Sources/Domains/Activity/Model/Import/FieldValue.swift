/// The values in the fields of a catalogue.
package enum FieldValue {
    /// Ids and times have fewer digits; this many fit into an Int.
    private static let digitsMax = 15

    /// `text` without the space around it, if that is one line of it.
    package static func line(
        _ text: String,
        _ name: String,
        lengthMax: Int = ImportLimits.titleLengthMax
    ) throws(RowError) -> String {
        let trimmed = trimmedText(text)
        guard !trimmed.isEmpty else { throw RowError("\(name) is empty") }
        guard trimmed.unicodeScalars.count <= lengthMax else {
            throw RowError("\(name) is over the limit of \(lengthMax) characters")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw unexpected(name, "text without control characters", Array(text.utf8)[...]) }
        return trimmed
    }

    /// `names` as they are, if they are few and short.
    package static func genres(_ names: [String]) throws(RowError) -> [String] {
        guard names.count <= ImportLimits.genresMax else {
            throw RowError("\(names.count) genres over the limit of \(ImportLimits.genresMax)")
        }
        for name in names {
            _ = try line(name, "genre", lengthMax: ImportLimits.genreLengthMax)
        }
        return names
    }

    /// The names of people as they are, without a `|`, which separates them in the store.
    static func people(_ names: [String], _ field: String) throws(RowError) -> [String] {
        var people: [String] = []
        for name in names {
            let name = try line(name, field, lengthMax: ImportLimits.personNameLengthMax)
                .replacing("|", with: "/")
            if !people.contains(name) { people.append(name) }
        }
        return people
    }

    /// A date as `1999-03-31`, if there is such a day.
    static func date(_ text: String) -> String? {
        let parts = Array(text.utf8).split(separator: .init(ascii: "-"))
        guard parts.map(\.count) == [4, 2, 2], text.utf8.count == 10,
            let year = digits(parts[0]), let month = digits(parts[1]), let day = digits(parts[2]),
            CivilTime(year: year, month: month, day: day) != nil
        else { return nil }
        return text
    }

    package static func digits(_ field: ArraySlice<UInt8>) -> Int? {
        guard (1...digitsMax).contains(field.count) else { return nil }
        var number = 0
        for byte in field {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = 10 * number + Int(byte - 0x30)
        }
        return number
    }

    package static func unexpected(
        _ name: String,
        _ expected: String,
        _ found: ArraySlice<UInt8>
    ) -> RowError {
        RowError("\(name) is not \(expected): \(excerpt(found))")
    }

    /// The beginning of the value, in quotation marks, safe for a terminal.
    package static func excerpt(_ field: ArraySlice<UInt8>) -> String {
        let lengthMax = 40
        let scalars = String(decoding: field, as: UTF8.self).unicodeScalars
        let shown = scalars.prefix(lengthMax).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
        }
        return "\"\(shown.joined())\(scalars.count > lengthMax ? "…" : "")\""
    }
}
