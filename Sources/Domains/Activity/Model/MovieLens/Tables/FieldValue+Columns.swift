/// The values in the columns of a data set.
extension FieldValue {
    /// A whole number from 1, in plain digits.
    static func id(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError) -> Int {
        guard let number = digits(field), number > 0 else {
            throw unexpected(name, "a whole number from 1", field)
        }
        return number
    }

    /// Stars from 0.5 to 5 in halves: `4`, `4.0`, `3.5`.
    static func stars(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError)
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
    static func time(_ field: ArraySlice<UInt8>, _ name: String) throws(RowError)
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
    static func text(
        _ field: ArraySlice<UInt8>,
        _ name: String,
        encoding: TextEncoding
    ) throws(RowError) -> String {
        guard let text = encoding.decode(field) else {
            throw RowError("\(name) is not UTF-8: \(excerpt(field))")
        }
        return try line(text, name)
    }
}

/// The encoding of the texts of a file.
enum TextEncoding {
    case utf8
    /// For older files, in which UTF-8 was not yet usual: accents in Latin-1 are hardly ever valid
    /// UTF-8.
    case utf8OrLatin1

    func decode(_ bytes: some Collection<UInt8>) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard self == .utf8OrLatin1 else { return nil }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
