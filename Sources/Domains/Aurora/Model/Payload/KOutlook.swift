/// SWPC's `27-day-outlook.txt`: the A index and the greatest Kp of 27 days, issued once a week.
///
/// A text for people, of lines such as `2025 Jan 06     172          22          5`: date, radio flux, A
/// index, greatest Kp.
package struct KOutlook: Hashable, Sendable {
    /// Oldest first, one for each date.
    package var days: [OutlookDay]
    package var notes = PayloadNotes()

    /// Whether a body that begins so may be this table.
    package static func mayBegin(_ bytes: [UInt8]) -> Bool {
        firstSign(of: bytes).map(OutlookRow.beginnings.contains) ?? true
    }

    /// The first byte that is no white space.
    private static func firstSign(of bytes: [UInt8]) -> UInt8? {
        bytes.first { !$0.isSpace && $0 != UInt8(ascii: "\n") }
    }

    /// Lines that begin with `:` or `#` are comments. Any other line is a row, and one that cannot be read
    /// makes the whole table invalid: its columns have changed, or it is another text.
    ///
    /// - Complexity: O(bytes)
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> KOutlook {
        guard bytes.count <= AuroraLimits.outlookBytesMax else {
            throw .tooLarge(byteCount: bytes.count, byteCountMax: AuroraLimits.outlookBytesMax)
        }
        guard let first = firstSign(of: bytes) else { throw .empty }
        guard OutlookRow.beginnings.contains(first) else { throw .notTable(firstByte: first) }
        guard bytes.last == UInt8(ascii: "\n") else { throw .truncated(offset: bytes.count) }
        var table = KOutlook(days: [])
        var rowCount = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let line = line.drop(while: \.isSpace)
            guard let first = line.first, !OutlookRow.comments.contains(first) else { continue }
            rowCount += 1
            guard rowCount <= AuroraLimits.outlookDayCountMax else {
                throw .tooManyRows(countMax: AuroraLimits.outlookDayCountMax)
            }
            table.take(try OutlookRow(line, row: rowCount), now: now)
        }
        guard rowCount > 0 else { throw .noRows }
        guard table.notes.futureRowCount < rowCount else {
            throw .onlyFutureTimes(rowCount: rowCount)
        }
        table.days = table.days.oldestFirst(by: \.start)
        return table
    }

    private mutating func take(_ row: OutlookRow, now: Timestamp) {
        guard row.start <= now + AuroraLimits.outlookAheadMax else {
            notes.futureRowCount += 1
            return
        }
        guard AuroraLimits.aRange.contains(row.a), AuroraLimits.kpRange.contains(row.kpMax) else {
            notes.rejectedNumberCount += 1
            return
        }
        // Past days are not kept: the state would only carry them along.
        guard row.start + OutlookDay.length * 2 > now else { return }
        days.append(OutlookDay(start: row.start, a: row.a, kpMax: row.kpMax))
    }
}

/// The outlook for one day of UTC.
package struct OutlookDay: Hashable, Sendable {
    package static let length = Duration.seconds(86_400)

    package var start: Timestamp
    /// The daily A index, 0…400: the mean of the eight ap of the day.
    package var a: Double
    /// 0…9
    package var kpMax: Double

    package init(start: Timestamp, a: Double, kpMax: Double) {
        self.start = start
        self.a = a
        self.kpMax = kpMax
    }

    /// The Kp of an ordinary interval of the day: the one that the A index would have as its ap, at most the
    /// greatest of the day.
    package var kp: Double { min(kpMax, OutlookDay.kp(ofA: a)) }

    /// The ap of each third of Kp, from 0 to 9: Bartels 1957, Annals of the IGY 4.
    private static let ap: [Double] = [
        0, 2, 3, 4, 5, 6, 7, 9, 12, 15, 18, 22, 27, 32, 39, 48, 56, 67, 80, 94, 111, 132, 154, 179,
        207, 236, 300, 400,
    ]

    /// Between two values of the table, Kp changes evenly.
    package static func kp(ofA a: Double) -> Double {
        guard let above = ap.firstIndex(where: { $0 >= a }) else { return 9 }
        guard above > 0 else { return 0 }
        let share = (a - ap[above - 1]) / (ap[above] - ap[above - 1])
        return (Double(above - 1) + share) / 3
    }
}

/// A row of the text.
private struct OutlookRow {
    static let comments = [UInt8(ascii: ":"), UInt8(ascii: "#")]
    static let beginnings = comments + Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
    private static let columnCount = 6

    var start: Timestamp
    var a: Double
    var kpMax: Double

    init(_ line: ArraySlice<UInt8>, row: Int) throws(PayloadError) {
        let words = line.split(whereSeparator: \.isSpace).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == OutlookRow.columnCount else {
            throw .wrongColumnCount(row: row, found: words.count, wanted: OutlookRow.columnCount)
        }
        let date = words[0...2].joined(separator: " ")
        guard let start = Timestamp(outlookDate: words) else { throw .invalidTime(date, row: row) }
        guard let a = Int(words[4]), let kpMax = Int(words[5]) else {
            throw .missingField("A Index, Kp Index")
        }
        self.start = start
        self.a = Double(a)
        self.kpMax = Double(kpMax)
    }
}

extension UInt8 {
    /// Within a line; a carriage return ends it in files of other systems.
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}

extension Timestamp {
    /// From `2025`, `Jan`, `06`.
    fileprivate init?(outlookDate words: [String]) {
        guard words[0].utf8.count == 4, let year = Int(words[0]), let day = Int(words[2]),
            let month = CivilTime.month(abbreviated: words[1]),
            let date = CivilTime(year: year, month: month, day: day)
        else { return nil }
        self.init(date)
    }
}

extension CivilTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// 1…12 of `Jan`…`Dec`.
    static func month(abbreviated name: some StringProtocol) -> Int? {
        months.firstIndex { $0 == name }.map { $0 + 1 }
    }
}
