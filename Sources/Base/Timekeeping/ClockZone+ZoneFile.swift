/// Why the bytes are no zone.
package enum ZoneFileError: Error, Equatable, CustomStringConvertible {
    case notAZoneFile
    /// Version 1 has times of 32 bits, which end in 2038, and no rule.
    case version(UInt8)
    case truncated(needed: Int, found: Int)
    case tooMany(String, count: Int, limit: Int)
    /// Seconds of such a file are not those of POSIX time.
    case leapSeconds
    case badContent(String)

    package var description: String {
        switch self {
        case .notAZoneFile: "does not begin with TZif"
        case .version(let version): "version \(version) of TZif, expected 2 or later"
        case .truncated(let needed, let found): "\(found) bytes, expected \(needed) or more"
        case .tooMany(let what, let count, let limit): "\(count) \(what) over limit \(limit)"
        case .leapSeconds: "counts leap seconds"
        case .badContent(let what): what
        }
    }
}

extension ClockZone {
    /// The longest file of the database has 4 KB.
    package static let fileBytesMax = 64 << 10
    private static let changesMax = 2000
    private static let typesMax = 256
    /// RFC 9636 §3.2: an offset "SHOULD be more than -25 hours and less than 26 hours".
    private static let offsets = (-25 * 3600 + 1)...(26 * 3600 - 1)

    /// Reads a file of the time zone database: RFC 9636, version 2 or later.
    ///
    /// Only the block of 64-bit data and the footer are read. The names of the offsets (`CET`) are not kept.
    package init(name: String, file bytes: [UInt8]) throws(ZoneFileError) {
        let first = try ZoneFileHeader(bytes, at: 0)
        guard first.version >= UInt8(ascii: "2") else {
            throw .version(first.version == 0 ? 1 : first.version &- UInt8(ascii: "0"))
        }
        // RFC 9636 §3: the data of version 1 are skipped.
        let header = try ZoneFileHeader(bytes, at: first.end(timeLength: 4))
        let end = header.end(timeLength: 8)
        guard end < bytes.count else { throw .truncated(needed: end + 2, found: bytes.count) }
        guard header.leapCount == 0 else { throw .leapSeconds }
        guard header.changeCount <= ClockZone.changesMax else {
            throw .tooMany("changes", count: header.changeCount, limit: ClockZone.changesMax)
        }
        guard (1...ClockZone.typesMax).contains(header.typeCount) else {
            throw .tooMany("types", count: header.typeCount, limit: ClockZone.typesMax)
        }
        let changes = (0..<header.changeCount).map { index in
            Int64(bitPattern: ClockZone.number(bytes, at: header.dataStart + 8 * index, length: 8))
        }
        guard zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .badContent("changes do not ascend")
        }
        let types = try ClockZone.types(bytes, header)
        let indices = header.dataStart + 8 * header.changeCount
        let used = bytes[indices..<(indices + header.changeCount)].map(Int.init)
        guard used.allSatisfy(types.indices.contains) else {
            throw .badContent("a change to a type that is not there")
        }
        self.init(
            name: name,
            changes: changes,
            // RFC 9636 §3.2: type 0 holds before the first change.
            offsets: [types[0]] + used.map { types[$0] },
            rule: try ClockZone.rule(bytes[end...])
        )
    }

    private static func types(
        _ bytes: [UInt8],
        _ header: ZoneFileHeader
    ) throws(ZoneFileError) -> [Int32] {
        let start = header.dataStart + 9 * header.changeCount
        var types: [Int32] = []
        for index in 0..<header.typeCount {
            let number = number(bytes, at: start + 6 * index, length: 4)
            let offset = Int32(bitPattern: UInt32(truncatingIfNeeded: number))
            guard offsets.contains(Int(offset)) else { throw .badContent("offset \(offset) s") }
            types.append(offset)
        }
        return types
    }

    /// The footer: a rule between two newlines, or nothing between them.
    private static func rule(_ bytes: ArraySlice<UInt8>) throws(ZoneFileError) -> ZoneRule? {
        let newline = UInt8(ascii: "\n")
        guard bytes.first == newline, let end = bytes.dropFirst().firstIndex(of: newline) else {
            throw .badContent("no footer")
        }
        let text = String(decoding: bytes[(bytes.startIndex + 1)..<end], as: UTF8.self)
        guard !text.isEmpty else { return nil }
        guard let rule = ZoneRule(text) else { throw .badContent("a footer that is no rule") }
        return rule
    }

    /// A number in network byte order.
    fileprivate static func number(_ bytes: [UInt8], at start: Int, length: Int) -> UInt64 {
        bytes[start..<(start + length)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The counts of one block: RFC 9636 §3.1.
private struct ZoneFileHeader {
    private static let length = 44
    private static let magic = Array("TZif".utf8)

    let version: UInt8
    let changeCount: Int
    let typeCount: Int
    let leapCount: Int
    /// Where the data of the block begin.
    let dataStart: Int
    /// The length of the data that do not depend on the length of a time.
    private let otherLength: Int

    init(_ bytes: [UInt8], at start: Int) throws(ZoneFileError) {
        let dataStart = start + ZoneFileHeader.length
        guard bytes.dropFirst(start).starts(with: ZoneFileHeader.magic) else { throw .notAZoneFile }
        guard bytes.count >= dataStart else {
            throw .truncated(needed: dataStart, found: bytes.count)
        }
        version = bytes[start + 4]
        // isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt: 32 bits each, so their sum fits an Int.
        let counts = (0..<6).map {
            Int(ClockZone.number(bytes, at: start + 20 + 4 * $0, length: 4))
        }
        (leapCount, changeCount, typeCount) = (counts[2], counts[3], counts[4])
        otherLength =
            counts[0] + counts[1] + 4 * leapCount + changeCount + 6 * typeCount + counts[5]
        self.dataStart = dataStart
    }

    /// Where the block ends.
    func end(timeLength: Int) -> Int {
        dataStart + otherLength + timeLength * (changeCount + leapCount)
    }
}
