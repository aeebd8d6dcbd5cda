import Expectations

@testable import Aurora

@Suite("SWPC's 27-day outlook", .timeLimit(.minutes(10)))
struct KOutlookTests {
    private static let issued = at("2025-01-06T02:42:00Z")
    private static let table = """
        :Product: 27-day Space Weather Outlook Table 27DO.txt
        :Issued: 2025 Jan 06 0242 UTC
        # Prepared by the US Dept. of Commerce, NOAA, Space Weather Prediction Center
        #
        #   UTC      Radio Flux   Planetary   Largest
        #  Date       10.7 cm      A Index    Kp Index
        2025 Jan 06     172          22          5
        2025 Jan 07     165          12          4
        2025 Jan 08     165           8          3

        """

    private func decode(_ text: String, now: Timestamp = issued) throws -> KOutlook {
        try KOutlook.decode(Array(text.utf8), now: now)
    }

    @Test func rowsAreReadAndCommentsPassedOver() throws {
        let table = try decode(KOutlookTests.table)
        expectEqual(
            table.days,
            [
                OutlookDay(start: at("2025-01-06T00:00:00Z"), a: 22, kpMax: 5),
                OutlookDay(start: at("2025-01-07T00:00:00Z"), a: 12, kpMax: 4),
                OutlookDay(start: at("2025-01-08T00:00:00Z"), a: 8, kpMax: 3),
            ]
        )
        expectEqual(table.notes, PayloadNotes())
    }

    /// Lines of other systems, tabs, any order, and a date that comes twice.
    @Test func whiteSpaceAndOrderDoNotMatter() throws {
        let rows = KOutlookTests.table.split(separator: "\n", omittingEmptySubsequences: true)
        let shuffled = (rows.reversed() + rows.suffix(1)).map { $0.replacing("     ", with: "\t") }
        let text = "\n \n" + shuffled.joined(separator: "\r\n") + "\r\n"
        try expectEqual(decode(text), decode(KOutlookTests.table))
    }

    /// Whatever a body is cut down to, it is a shorter table or an error.
    @Test func everyPrefixIsAShorterTableOrRefused() throws {
        let bytes = Array(KOutlookTests.table.utf8)
        let days = try KOutlook.decode(bytes, now: KOutlookTests.issued).days
        for count in 0..<bytes.count {
            guard
                let table = try? KOutlook.decode(Array(bytes[..<count]), now: KOutlookTests.issued)
            else { continue }
            expect(days.starts(with: table.days), "\(count) bytes")
            expectEqual(bytes[count - 1], UInt8(ascii: "\n"), "\(count) bytes")
        }
    }

    @Test(
        arguments: [
            ("", .empty), (" \n\n", .empty),
            ("<html>\n", .notTable(firstByte: UInt8(ascii: "<"))),
            ("{}\n", .notTable(firstByte: UInt8(ascii: "{"))),
            ("# nothing\n", .noRows),
            ("2025 Jan 06 172 22 5", .truncated(offset: 20)),
            ("2025 Jan 06 172 22\n", .wrongColumnCount(row: 1, found: 5, wanted: 6)),
            ("2025 Jan 06 172 22 5 1\n", .wrongColumnCount(row: 1, found: 7, wanted: 6)),
            ("2025 Feb 29 172 22 5\n", .invalidTime("2025 Feb 29", row: 1)),
            ("2025 Tue 06 172 22 5\n", .invalidTime("2025 Tue 06", row: 1)),
            ("25 Jan 06 172 22 5\n", .invalidTime("25 Jan 06", row: 1)),
            ("2025 Jan 06 172 22 five\n", .missingField("A Index, Kp Index")),
            ("2025 Mar 06 172 22 5\n", .onlyFutureTimes(rowCount: 1)),
        ] as [(String, PayloadError)]
    )
    func whatIsNoTableIsRefused(text: String, error: PayloadError) {
        #expect(throws: error) { try decode(text) }
    }

    @Test func numbersOutOfRangeAreLeftOut() throws {
        let table = try decode(
            "2025 Jan 06 172 401 5\n2025 Jan 07 172 400 9\n2025 Jan 08 172 -1 5\n"
                + "2025 Jan 09 172 1 10\n"
        )
        expectEqual(table.days.map(\.a), [400])
        expectEqual(table.notes.rejectedNumberCount, 3)
    }

    @Test func daysThatAreOverAreNotKept() throws {
        try expectEqual(decode(KOutlookTests.table, now: at("2025-01-08T12:00:00Z")).days.count, 2)
        try expect(decode(KOutlookTests.table, now: at("2025-02-08T12:00:00Z")).days.isEmpty)
    }

    @Test func tableHasItsLimits() throws {
        let row = "2025 Jan 06 172 22 5\n"
        let most = AuroraLimits.outlookDayCountMax
        try expectEqual(decode(String(repeating: row, count: most)).days.count, 1)
        #expect(throws: PayloadError.tooManyRows(countMax: most)) {
            try decode(String(repeating: row, count: most + 1))
        }
        let bytes = AuroraLimits.outlookBytesMax
        let comment = "#" + String(repeating: " ", count: bytes - row.utf8.count - 2) + "\n"
        try expectEqual(decode(comment + row).days.count, 1)
        #expect(throws: PayloadError.tooLarge(byteCount: bytes + 1, byteCountMax: bytes)) {
            try decode(comment + row + "\n")
        }
    }

    /// The table of ap, and half-way between two of its values.
    @Test(arguments: [(0, 0), (4, 1), (7, 2), (15, 3), (27, 4), (48, 5), (400, 9), (3.5, 2.5 / 3)])
    func aIndexHasTheKpOfItsAp(a: Double, kp: Double) {
        expect(abs(OutlookDay.kp(ofA: a) - kp) < 1e-9)
    }

    @Test func kpOfADayIsAtMostItsGreatest() {
        let day = OutlookDay(start: KOutlookTests.issued, a: 48, kpMax: 4)
        expectEqual(day.kp, 4)
    }

    @Test func outlookIsKeptInAPartOfItsOwn() throws {
        var state = AuroraState()
        let payload = AuroraPayload.kOutlook(try decode(KOutlookTests.table))
        let hasChanged = (0..<2).map { _ in state.apply(payload, now: KOutlookTests.issued) }
        expectEqual(hasChanged, [true, false])
        expectEqual(state.parts, [.kOutlook])
        var restored = AuroraState()
        try restored.restore(.kOutlook, bytes: state.encodedPart(.kOutlook))
        expectEqual(restored, state)
        expectEqual(AuroraStatePart(name: AuroraStatePart.kOutlook.name), .kOutlook)
    }
}
