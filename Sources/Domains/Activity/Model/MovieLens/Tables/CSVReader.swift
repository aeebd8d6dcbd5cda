/// Reads comma-separated values (RFC 4180) from bytes that arrive in pieces of any length.
///
/// Give it bytes with `receive`, then call `next` until it returns nil; after the last piece call
/// `end` and drain it once more. After an error it continues with the line after the invalid one.
///
/// Lines end with CR LF or LF, the last one may have no end; empty lines are skipped, and so is a
/// leading byte order mark. Stricter than many readers: a quotation mark inside a field that does
/// not begin with one, text after a closing one, and a CR without its LF are errors. The caller
/// interprets the bytes of a field and their encoding.
package struct CSVReader: Sendable {
    /// Beyond any title or link; a quotation mark that is never closed is found here.
    package static let fieldLengthMax = 64 * 1024
    /// The widest table that is read has 24.
    package static let fieldsMax = 64

    /// The separator of fields, and whether a field may be in quotation marks.
    package struct Dialect: Sendable, Equatable {
        let separator: UInt8
        /// Two of the separator end a field; a single one belongs to it.
        let isSeparatorDoubled: Bool
        let isQuoted: Bool

        package static let commas = Dialect(",")
        package static let bars = Dialect("|", isQuoted: false)
        package static let tabs = Dialect("\t", isQuoted: false)
        package static let doubleColons = Dialect(":", isSeparatorDoubled: true, isQuoted: false)

        private init(
            _ separator: Unicode.Scalar,
            isSeparatorDoubled: Bool = false,
            isQuoted: Bool = true
        ) {
            self.separator = UInt8(ascii: separator)
            self.isSeparatorDoubled = isSeparatorDoubled
            self.isQuoted = isQuoted
        }
    }

    private enum State {
        /// Before the first byte of a record: to `fieldStart` or `plain`, `quoted`, `lineEnd`.
        case recordStart
        /// Behind a separator: to `plain`, `quoted`, `lineEnd`, `recordStart`.
        case fieldStart
        /// In a field without quotation marks: to `fieldStart`, `lineEnd`, `recordStart`.
        case plain
        /// Behind an opening quotation mark: to `quoteInQuoted`.
        case quoted
        /// Behind a second one, which closes the field or escapes a third: to any but `plain`.
        case quoteInQuoted
        /// Behind a CR: to `recordStart`.
        case lineEnd
        /// Behind an error: at the next line feed to `recordStart`.
        case skipping
    }

    private let dialect: Dialect
    private let fieldLengthMax: Int
    private var state = State.recordStart
    private var input: [UInt8] = []
    private var position = 0
    private var isBehindByteOrderMark = false
    private var isEnded = false
    /// Of the byte that is taken, both counted from 1.
    private var line = 1
    private var column = 0
    /// Where the field in hand begins.
    private var fieldLine = 1
    private var fieldColumn = 1
    private var record = CSVRecord()

    package init(_ dialect: Dialect = .commas, fieldLengthMax: Int = CSVReader.fieldLengthMax) {
        precondition(fieldLengthMax > 0)
        self.dialect = dialect
        self.fieldLengthMax = fieldLengthMax
    }

    /// Takes the next piece of the text. The rest that `next` has not read is kept, so drain it
    /// first.
    package mutating func receive(_ bytes: some Collection<UInt8>) {
        precondition(!isEnded, "bytes behind the end")
        input.removeFirst(position)
        position = 0
        input.append(contentsOf: bytes)
    }

    /// There are no more pieces.
    package mutating func end() {
        isEnded = true
    }

    /// The next record; nil when more bytes are needed, or at the end.
    package mutating func next() throws(CSVError) -> CSVRecord? {
        guard skipByteOrderMark() else { return nil }
        while position < input.count {
            let byte = input[position]
            position += 1
            column += 1
            if try take(byte) { return record }
        }
        return isEnded ? try finish() : nil
    }

    /// False while more bytes are needed to decide.
    private mutating func skipByteOrderMark() -> Bool {
        guard !isBehindByteOrderMark else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let head = input.prefix(mark.count)
        guard head.count == mark.count || isEnded || !mark.starts(with: head) else { return false }
        if head.elementsEqual(mark) { position = mark.count }
        isBehindByteOrderMark = true
        return true
    }

    /// Whether `byte` was the last one of a record.
    private mutating func take(_ byte: UInt8) throws(CSVError) -> Bool {
        if byte == .lineFeed { return try takeLineFeed() }
        switch state {
        case .plain:
            try takePlain(byte)
        case .quoted:
            if byte == .quotationMark { state = .quoteInQuoted } else { try append(byte) }
        case .recordStart:
            record.begin(line: line)
            if byte == .carriageReturn { state = .lineEnd } else { try beginField(byte) }
        case .fieldStart:
            try beginField(byte)
        case .quoteInQuoted:
            try takeBehindQuote(byte)
        case .lineEnd:
            throw fail(.carriageReturnAlone)
        case .skipping:
            break
        }
        return false
    }

    private mutating func beginField(_ byte: UInt8) throws(CSVError) {
        fieldLine = line
        fieldColumn = column
        if dialect.isQuoted, byte == .quotationMark {
            state = .quoted
        } else {
            state = .plain
            try takePlain(byte)
        }
    }

    private mutating func takePlain(_ byte: UInt8) throws(CSVError) {
        switch byte {
        case dialect.separator:
            guard !dialect.isSeparatorDoubled || record.openFieldEnds(with: byte) else {
                return try append(byte)
            }
            if dialect.isSeparatorDoubled { record.removeLast() }
            try endField()
            state = .fieldStart
        case .carriageReturn:
            try endField()
            state = .lineEnd
        case .quotationMark where dialect.isQuoted:
            throw fail(.quotationMarkInField)
        default:
            try append(byte)
        }
    }

    private mutating func takeBehindQuote(_ byte: UInt8) throws(CSVError) {
        switch byte {
        case .quotationMark:
            state = .quoted
            try append(byte)
        case dialect.separator:
            try endField()
            state = .fieldStart
        case .carriageReturn:
            try endField()
            state = .lineEnd
        default:
            throw fail(.textBehindQuotationMark)
        }
    }

    private mutating func takeLineFeed() throws(CSVError) -> Bool {
        defer {
            line += 1
            column = 0
        }
        switch state {
        case .quoted:
            try append(.lineFeed)
            return false
        case .fieldStart, .plain, .quoteInQuoted:
            try endField()
        case .recordStart, .skipping:
            record.begin(line: line)
        case .lineEnd:
            break
        }
        state = .recordStart
        return record.count > 0
    }

    private mutating func finish() throws(CSVError) -> CSVRecord? {
        defer { state = .recordStart }
        switch state {
        case .recordStart, .skipping: return nil
        case .quoted: throw error(.quotationMarkNotClosed)
        case .lineEnd: throw error(.carriageReturnAlone)
        case .fieldStart, .plain, .quoteInQuoted: try endField()
        }
        return record
    }

    private mutating func append(_ byte: UInt8) throws(CSVError) {
        guard record.openFieldLength < fieldLengthMax else {
            throw fail(.fieldTooLong(limit: fieldLengthMax))
        }
        record.append(byte)
    }

    private mutating func endField() throws(CSVError) {
        guard record.count < CSVReader.fieldsMax else {
            throw fail(.tooManyFields(limit: CSVReader.fieldsMax))
        }
        record.endField()
    }

    private mutating func fail(_ reason: CSVError.Reason) -> CSVError {
        // A line that has ended already is not skipped once more.
        let isAtLineFeed = position > 0 && input[position - 1] == .lineFeed
        state = isAtLineFeed ? .recordStart : .skipping
        return error(reason)
    }

    private func error(_ reason: CSVError.Reason) -> CSVError {
        switch reason {
        case .quotationMarkNotClosed, .fieldTooLong:
            CSVError(line: fieldLine, column: fieldColumn, reason: reason)
        case .quotationMarkInField, .textBehindQuotationMark, .carriageReturnAlone, .tooManyFields:
            CSVError(line: line, column: column, reason: reason)
        }
    }
}

/// The error in a line, and its place.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        case quotationMarkInField
        case quotationMarkNotClosed
        case textBehindQuotationMark
        case carriageReturnAlone
        case fieldTooLong(limit: Int)
        case tooManyFields(limit: Int)
    }

    /// Counted from 1.
    package let line: Int
    /// In bytes, counted from 1; where the field begins when all of it is wrong.
    package let column: Int
    package let reason: Reason

    package var message: String {
        switch reason {
        case .quotationMarkInField: "a quotation mark inside a field without quotation marks"
        case .quotationMarkNotClosed: "a quotation mark that is not closed"
        case .textBehindQuotationMark: "text behind a closing quotation mark"
        case .carriageReturnAlone: "a carriage return without a line feed"
        case .fieldTooLong(let limit): "a field over the limit of \(limit) bytes"
        case .tooManyFields(let limit): "more than \(limit) fields"
        }
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let quotationMark = UInt8(ascii: "\"")
}
