/// The importance of the stories of the last 14 days, as a histogram for each day. It makes
/// percentiles of bits, so that a score of 90 means the top tenth.
///
/// At most `daysMax` × `bucketCount` counts, 14 KB. Two scales can be merged, and stored as bytes.
package struct ImportanceScale: Equatable, Sendable {
    package static let daysMax = 14
    /// Per bit; a story moves by one bucket when it becomes 4.4 % more important.
    static let bucketsPerBit = 16.0
    static let bucketCount = 256

    /// Counts by day since the epoch.
    private var days: [Int64: [UInt32]] = [:]

    package init() {}

    /// Counts a story.
    package mutating func add(_ bits: Double, at time: Timestamp) {
        let day = ImportanceScale.day(of: time)
        change(bits, on: day) { $0 < .max ? $0 + 1 : $0 }
        trim()
    }

    /// Counts a story again that `add` counted at the same time with other bits.
    package mutating func move(from old: Double, to new: Double, countedAt time: Timestamp) {
        let day = ImportanceScale.day(of: time)
        guard let counts = days[day], counts[ImportanceScale.bucket(of: old)] > 0 else { return }
        change(old, on: day) { $0 - 1 }
        change(new, on: day) { $0 + 1 }
    }

    package mutating func merge(_ other: ImportanceScale) {
        for (day, counts) in other.days {
            let own = days[day] ?? ImportanceScale.noCounts
            days[day] = zip(own, counts).map { one, other in
                let (sum, isTooLarge) = one.addingReportingOverflow(other)
                return isTooLarge ? .max : sum
            }
        }
        trim()
    }

    /// Stories counted in the 14 days that end with the day of `now`.
    package func storyCount(at now: Timestamp) -> Int { Int(counts(at: now).reduce(0, +)) }

    /// The percentage of the stories of the last 14 days that are less important, 0…100; of equally
    /// important ones, half. A few assumed stories keep the first real ones from being 0 or 100.
    package func score(_ bits: Double, at now: Timestamp) -> Int {
        let counts = counts(at: now)
        let bucket = ImportanceScale.bucket(of: bits)
        let below = Double(counts[..<bucket].reduce(0, +)) + Double(counts[bucket]) / 2
        let total = Double(counts.reduce(0, +))
        let position = bits.isNaN ? 0 : min(max(bits / ImportanceScale.assumedBitsMax, 0), 1)
        let share =
            (below + position * ImportanceScale.assumedCount)
            / (total + ImportanceScale.assumedCount)
        return min(max(Int((share * 100).rounded()), 0), 100)
    }

    /// Assumed are as many stories, spread evenly from 0 to `assumedBitsMax`.
    static let assumedCount = 20.0
    static let assumedBitsMax = 8.0

    private func counts(at now: Timestamp) -> [UInt64] {
        let today = ImportanceScale.day(of: now)
        var sum = [UInt64](repeating: 0, count: ImportanceScale.bucketCount)
        for (day, counts) in days where day <= today && day > today - Int64(ImportanceScale.daysMax)
        {
            for index in sum.indices { sum[index] += UInt64(counts[index]) }
        }
        return sum
    }

    private mutating func change(_ bits: Double, on day: Int64, by change: (UInt32) -> UInt32) {
        var counts = days[day] ?? ImportanceScale.noCounts
        let bucket = ImportanceScale.bucket(of: bits)
        counts[bucket] = change(counts[bucket])
        days[day] = counts
    }

    private mutating func trim() {
        guard days.count > ImportanceScale.daysMax else { return }
        for day in days.keys.sorted().dropLast(ImportanceScale.daysMax) { days[day] = nil }
    }

    private static let noCounts = [UInt32](repeating: 0, count: bucketCount)

    private static func bucket(of bits: Double) -> Int {
        guard !bits.isNaN else { return 0 }
        return Int(min(max(bits * bucketsPerBit, 0), Double(bucketCount - 1)))
    }

    private static func day(of time: Timestamp) -> Int64 {
        time.roundedDown(to: .seconds(86_400)).milliseconds / 86_400_000
    }
}

extension ImportanceScale {
    private static let version: UInt8 = 1

    /// A version, the number of days, and for each day its number, the number of buckets in use,
    /// and their indexes and counts; all little-endian.
    package var bytes: [UInt8] {
        var bytes = [ImportanceScale.version, UInt8(days.count)]
        for (day, counts) in days.sorted(by: { $0.key < $1.key }) {
            bytes += ImportanceScale.littleEndian(UInt64(bitPattern: day), count: 8)
            let used = counts.indices.filter { counts[$0] > 0 }
            bytes += ImportanceScale.littleEndian(UInt64(used.count), count: 2)
            for index in used {
                bytes.append(UInt8(index))
                bytes += ImportanceScale.littleEndian(UInt64(counts[index]), count: 4)
            }
        }
        return bytes
    }

    /// Nil for bytes that are not the output of `bytes`.
    package init?(bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == ImportanceScale.version, let dayCount = rest.popFirst(),
            dayCount <= ImportanceScale.daysMax
        else { return nil }
        for _ in 0..<dayCount {
            guard let day = ImportanceScale.number(&rest, count: 8),
                let used = ImportanceScale.number(&rest, count: 2),
                used <= ImportanceScale.bucketCount
            else { return nil }
            var counts = ImportanceScale.noCounts
            for _ in 0..<used {
                guard let index = rest.popFirst(),
                    let count = ImportanceScale.number(&rest, count: 4),
                    count > 0, counts[Int(index)] == 0
                else { return nil }
                counts[Int(index)] = UInt32(count)
            }
            guard days.updateValue(counts, forKey: Int64(bitPattern: day)) == nil else {
                return nil
            }
        }
        guard rest.isEmpty else { return nil }
    }

    private static func littleEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>, count: Int) -> UInt64? {
        guard bytes.count >= count else { return nil }
        let value = bytes.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(count)
        return value
    }
}
