import Activity
import Expectations

@Suite("Comma-separated values (RFC 4180)", .timeLimit(.minutes(10)))
struct CSVReaderTests {
    /// A record as its fields, an error as what it says.
    private enum Output: Equatable {
        case record([String], line: Int)
        case error(String)
    }

    private static func read(
        _ pieces: [some Collection<UInt8>],
        _ dialect: CSVReader.Dialect,
        fieldLengthMax: Int
    ) -> [Output] {
        var reader = CSVReader(dialect, fieldLengthMax: fieldLengthMax)
        var outputs: [Output] = []
        func drain() {
            while true {
                do throws(CSVError) {
                    guard let record = try reader.next() else { return }
                    let fields = (0..<record.count).map {
                        String(decoding: record[$0], as: UTF8.self)
                    }
                    outputs.append(.record(fields, line: record.line))
                } catch {
                    outputs.append(.error(error.description))
                }
            }
        }
        for piece in pieces {
            reader.receive(piece)
            drain()
        }
        reader.end()
        drain()
        return outputs
    }

    /// Whole, one byte at a time, and split at every position.
    private static func expectRecords(
        _ text: String,
        _ expected: [Output],
        dialect: CSVReader.Dialect = .commas,
        fieldLengthMax: Int = CSVReader.fieldLengthMax,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bytes = Array(text.utf8)
        var splittings = [[bytes], bytes.map { [$0] }]
        splittings += bytes.indices.map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
        for pieces in splittings {
            let found = read(pieces, dialect, fieldLengthMax: fieldLengthMax)
            let lengths = pieces.map(\.count)
            expectEqual(found, expected, "pieces of \(lengths)", sourceLocation: sourceLocation)
        }
    }

    @Test("Lines end with CR LF or LF, and the last one with nothing")
    func lineEnds() {
        CSVReaderTests.expectRecords(
            "a,b\r\nc,d\ne,f",
            [
                .record(["a", "b"], line: 1), .record(["c", "d"], line: 2),
                .record(["e", "f"], line: 3),
            ]
        )
    }

    @Test("Quoted fields hold commas, line ends and doubled quotation marks")
    func quotedFields() {
        CSVReaderTests.expectRecords(
            "\"a,b\",\"c\r\nd\n\",\"say \"\"so\"\"\"\r\ne,,\"\"\n",
            [
                .record(["a,b", "c\r\nd\n", "say \"so\""], line: 1),
                .record(["e", "", ""], line: 4),
            ]
        )
    }

    @Test("Space belongs to the field, and so does what is not ASCII")
    func spaceAndOtherScripts() {
        CSVReaderTests.expectRecords(" å , 映画 \n", [.record([" å ", " 映画 "], line: 1)])
    }

    @Test("Empty lines are passed over and counted; an empty quoted field is a record")
    func emptyLines() {
        CSVReaderTests.expectRecords(
            "\n\r\na\n\n\"\"\n\n",
            [.record(["a"], line: 3), .record([""], line: 5)]
        )
        CSVReaderTests.expectRecords("", [])
        CSVReaderTests.expectRecords("\r\n", [])
        CSVReaderTests.expectRecords(",", [.record(["", ""], line: 1)])
    }

    @Test("A byte order mark in front is none of the first field's")
    func byteOrderMark() {
        CSVReaderTests.expectRecords("\u{FEFF}a,b\n", [.record(["a", "b"], line: 1)])
        CSVReaderTests.expectRecords("\u{FEFF}\"a\"", [.record(["a"], line: 1)])
        CSVReaderTests.expectRecords("\u{FEFF}", [])
        CSVReaderTests.expectRecords(
            "a\n\u{FEFF}b",
            [
                .record(["a"], line: 1), .record(["\u{FEFF}b"], line: 2),
            ]
        )
        let halfAMark: [UInt8] = [0xEF, 0xBB]
        let found = CSVReaderTests.read([halfAMark], .commas, fieldLengthMax: 8)
        expectEqual(found, [.record([String(decoding: halfAMark, as: UTF8.self)], line: 1)])
    }

    @Test("What is wrong is told with its place, and the line behind it is read")
    func errors() {
        CSVReaderTests.expectRecords(
            "a\nb,c\"d\"\ne\n",
            [
                .record(["a"], line: 1),
                .error("line 2, column 4: a quotation mark inside a field without quotation marks"),
                .record(["e"], line: 3),
            ]
        )
        CSVReaderTests.expectRecords(
            "\"a\" ,b\nc\n",
            [
                .error("line 1, column 4: text behind a closing quotation mark"),
                .record(["c"], line: 2),
            ]
        )
        CSVReaderTests.expectRecords(
            "a\rb\nc\n",
            [
                .error("line 1, column 3: a carriage return without a line feed"),
                .record(["c"], line: 2),
            ]
        )
        CSVReaderTests.expectRecords(
            "a\nb\r",
            [
                .record(["a"], line: 1),
                .error("line 2, column 2: a carriage return without a line feed"),
            ]
        )
        CSVReaderTests.expectRecords(
            "a\nb,\"c\nd",
            [
                .record(["a"], line: 1),
                .error("line 2, column 3: a quotation mark that is not closed"),
            ]
        )
    }

    @Test("A field at the limit is read, one byte more is an error where it begins")
    func fieldLength() {
        CSVReaderTests.expectRecords(
            "abcd,\"abcd\"\n",
            [.record(["abcd", "abcd"], line: 1)],
            fieldLengthMax: 4
        )
        CSVReaderTests.expectRecords(
            "a,abcde\nb\n",
            [
                .error("line 1, column 3: a field over the limit of 4 bytes"),
                .record(["b"], line: 2),
            ],
            fieldLengthMax: 4
        )
    }

    @Test("A quotation mark that is never closed costs what the limit takes, and no more")
    func runawayQuote() {
        CSVReaderTests.expectRecords(
            "\"a\nb\nc\nd\n",
            [
                .error("line 1, column 1: a field over the limit of 3 bytes"),
                .record(["c"], line: 3), .record(["d"], line: 4),
            ],
            fieldLengthMax: 3
        )
    }

    @Test("A record at the limit of fields is read, one more field is an error")
    func fieldCount() {
        let commas = String(repeating: ",", count: CSVReader.fieldsMax - 1)
        let fields = [String](repeating: "", count: CSVReader.fieldsMax)
        let error = "line 2, column \(CSVReader.fieldsMax + 1): more than 64 fields"
        CSVReaderTests.expectRecords(
            "\(commas)\n\(commas),\na\n",
            [.record(fields, line: 1), .error(error), .record(["a"], line: 3)]
        )
    }

    @Test("Other dialects have no quotation marks")
    func otherDialects() {
        CSVReaderTests.expectRecords(
            "1\t\"a\t2",
            [.record(["1", "\"a", "2"], line: 1)],
            dialect: .tabs
        )
        CSVReaderTests.expectRecords(
            "1|a, b||\r\n",
            [.record(["1", "a, b", "", ""], line: 1)],
            dialect: .bars
        )
    }

    @Test("Two colons separate, one belongs to the field")
    func doubleColons() {
        CSVReaderTests.expectRecords(
            "1::a: b (1995)::c|d\n2::::\n",
            [.record(["1", "a: b (1995)", "c|d"], line: 1), .record(["2", "", ""], line: 2)],
            dialect: .doubleColons
        )
        CSVReaderTests.expectRecords(
            "a:::b:",
            [.record(["a", ":b:"], line: 1)],
            dialect: .doubleColons
        )
    }
}
