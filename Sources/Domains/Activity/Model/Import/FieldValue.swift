import JSONText
import Timekeeping

/// The values that stand in the fields of a catalogue's tables.
package enum FieldValue {
    /// Ids and times have fewer digits; this many fit into an Int.
    private static let digitsMax = 15

    /// A whole number from 1, in plain digits.
    package static func id(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError) -> Int {
        guard let number = digits(field), number > 0 else {
            throw unexpected(name, "a whole number from 1", field)
        }
        return number
    }

    /// Stars from 0.5 to 5 in halves: `4`, `4.0`, `3.5`.
    package static func stars(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError)
        -> HalfStars
    {
        guard let halves = halves(field), let stars = HalfStars(halves: halves) else {
            throw unexpected(name, "0.5 to 5 in halves", field)
        }
        return stars
    }

    private static func halves(_ field: ArraySlice<UInt8>) -> Int? {
        guard let whole = digits(field.prefix(1)) else { return nil }
        let fraction = field.dropFirst()
        if fraction.isEmpty || fraction.elementsEqual(".0".utf8) { return 2 * whole }
        return fraction.elementsEqual(".5".utf8) ? 2 * whole + 1 : nil
    }

    /// Seconds since 1970.
    package static func time(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError)
        -> Timestamp
    {
        // The last second of the year 9999: texts of times have four digits for the year.
        let secondsMax = 253_402_300_799
        guard let seconds = digits(field), seconds <= secondsMax else {
            throw unexpected(name, "seconds since 1970", field)
        }
        return Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    /// A text of one line, without the space around it.
    package static func text(
        _ field: ArraySlice<UInt8>,
        _ name: String,
        encoding: TextEncoding
    ) throws(RowError) -> String {
        guard let text = encoding.decode(field) else {
            throw RowError("\(name) is not UTF-8: \(excerpt(field))")
        }
        return try line(text, name)
    }

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

    /// A date as `1999-03-31`, if there is such a day.
    package static func date(_ text: String) -> String? {
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

    /// The begin of what stands there, in quotation marks, as a terminal may show it.
    package static func excerpt(_ field: ArraySlice<UInt8>) -> String {
        let lengthMax = 40
        let scalars = String(decoding: field, as: UTF8.self).unicodeScalars
        let shown = scalars.prefix(lengthMax).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
        }
        return "\"\(shown.joined())\(scalars.count > lengthMax ? "…" : "")\""
    }
}

/// How the texts of a file are written.
package enum TextEncoding {
    case utf8
    /// Of files from before UTF-8 was a matter of course: accents in Latin-1 are hardly ever UTF-8.
    case utf8OrLatin1

    package func decode(_ bytes: some Collection<UInt8>) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard self == .utf8OrLatin1 else { return nil }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
