extension FossilDelta {
    /// Returns a delta that makes `target` of `origin`. It can be longer than the target, by 21
    /// bytes at most; the caller compares.
    ///
    /// The common parts at the beginnings and ends are copied without a search: most publications
    /// differ from the one before in one place. For the part between, the blocks of the origin are
    /// looked up by a hash.
    ///
    /// - Complexity: O(origin + target).
    package static func encode(from origin: [UInt8], to target: [UInt8]) -> [UInt8] {
        precondition(origin.count <= Int32.max, "origin of \(origin.count) bytes")
        precondition(target.count <= Int32.max, "target of \(target.count) bytes")
        var prefix = commonLength(origin, 0, target, 0, limit: .max)
        if !isWorthCopying(length: prefix, offset: 0) { prefix = 0 }
        var suffix = commonSuffixLength(origin, target, limit: target.count - prefix)
        if !isWorthCopying(length: suffix, offset: origin.count - suffix) { suffix = 0 }

        var writer = FossilDeltaWriter(target: target)
        writer.copy(length: prefix, from: 0)
        search(origin, target, prefix..<target.count - suffix, &writer)
        writer.copy(length: suffix, from: origin.count - suffix)
        return writer.finish()
    }

    /// Writes the commands that make `range` of the target.
    private static func search(
        _ origin: [UInt8],
        _ target: [UInt8],
        _ range: Range<Int>,
        _ writer: inout FossilDeltaWriter
    ) {
        var position = range.lowerBound
        if range.count >= DeltaBlockIndex.blockLength, origin.count >= DeltaBlockIndex.blockLength {
            let index = DeltaBlockIndex(origin)
            while position + DeltaBlockIndex.blockLength <= range.upperBound {
                let pending = writer.pendingCount(before: position)
                guard let copy = index.copy(target, position..<range.upperBound, pending: pending)
                else {
                    position += 1
                    continue
                }
                writer.insert(upTo: copy.target)
                writer.copy(length: copy.length, from: copy.origin)
                position = copy.target + copy.length
            }
        }
        writer.insert(upTo: range.upperBound)
    }

    /// A copy takes the place of an insertion, and may split one in two.
    fileprivate static func isWorthCopying(length: Int, offset: Int) -> Bool {
        let insertionLength = 2
        return length >= digitCount(length) + digitCount(offset) + 2 + insertionLength
    }

    static func digitCount(_ number: Int) -> Int {
        max(1, (Int.bitWidth - number.leadingZeroBitCount + 5) / 6)
    }

    /// Returns the number of equal bytes from two places on, up to `limit`.
    fileprivate static func commonLength(
        _ origin: [UInt8],
        _ originStart: Int,
        _ target: [UInt8],
        _ targetStart: Int,
        limit: Int
    ) -> Int {
        let limit = min(limit, origin.count - originStart, target.count - targetStart)
        var length = 0
        while length + 8 <= limit {
            let difference =
                word(origin, at: originStart + length) ^ word(target, at: targetStart + length)
            guard difference == 0 else { return length + difference.trailingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, origin[originStart + length] == target[targetStart + length] {
            length += 1
        }
        return length
    }

    private static func commonSuffixLength(
        _ origin: [UInt8],
        _ target: [UInt8],
        limit: Int
    ) -> Int {
        let limit = min(limit, origin.count)
        var length = 0
        while length < limit, origin[origin.count - 1 - length] == target[target.count - 1 - length]
        {
            length += 1
        }
        return length
    }

    /// Eight bytes, the first of them in the lowest place on every machine.
    fileprivate static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        UInt64(
            littleEndian: bytes.span.bytes.unsafeLoadUnaligned(
                fromByteOffset: offset,
                as: UInt64.self
            )
        )
    }
}

/// The same bytes in origin and target.
private struct DeltaMatch {
    var origin: Int
    var target: Int
    var length: Int

    /// Extends the match to equal bytes in front of it, at most `countMax`.
    mutating func extendBack(_ originBytes: [UInt8], _ targetBytes: [UInt8], countMax: Int) {
        let lowest = target - countMax
        while target > lowest, origin > 0, originBytes[origin - 1] == targetBytes[target - 1] {
            origin -= 1
            target -= 1
            length += 1
        }
    }
}

/// Where the blocks of an origin begin, by their hash.
private struct DeltaBlockIndex {
    /// Common parts of origin and target are found if they are longer than a block and a step
    /// together. Shorter copies save hardly anything.
    static let blockLength = 8
    static let step = 4
    /// Of the blocks with one hash, so that an origin of one byte repeated costs no square.
    static let candidateCountMax = 16

    private static let none: Int32 = -1

    private let origin: [UInt8]
    /// By the hash: the number of the first block.
    private var first: [Int32]
    /// By the number of a block: the next one with its hash, further on in the origin.
    private var next: [Int32]
    private let shift: UInt64

    init(_ origin: [UInt8]) {
        precondition(origin.count >= Self.blockLength)
        self.origin = origin
        let blockCount = (origin.count - Self.blockLength) / Self.step + 1
        let bits = max(1, Int.bitWidth - blockCount.leadingZeroBitCount)
        shift = UInt64(64 - bits)
        first = Array(repeating: Self.none, count: 1 << bits)
        next = Array(repeating: Self.none, count: blockCount)
        for block in (0..<blockCount).reversed() {
            let place = place(of: FossilDelta.word(origin, at: block * Self.step))
            next[block] = first[place]
            first[place] = Int32(block)
        }
    }

    /// Returns a copy from the origin that covers the beginning of `range`; nil if none is worth
    /// it.
    ///
    /// - Parameter pending: the number of bytes in front of the range that the copy may include.
    func copy(_ target: [UInt8], _ range: Range<Int>, pending: Int) -> DeltaMatch? {
        guard var match = longestMatch(target, range) else { return nil }
        match.extendBack(origin, target, countMax: pending)
        guard FossilDelta.isWorthCopying(length: match.length, offset: match.origin) else {
            return nil
        }
        return match
    }

    /// The part of the origin that equals the beginning of `range`, at least a block; nil if there
    /// is none.
    private func longestMatch(_ target: [UInt8], _ range: Range<Int>) -> DeltaMatch? {
        let wanted = FossilDelta.word(target, at: range.lowerBound)
        var best: DeltaMatch?
        var block = first[place(of: wanted)]
        var candidateCount = 0
        while block != Self.none, candidateCount < Self.candidateCountMax {
            let offset = Int(block) * Self.step
            if FossilDelta.word(origin, at: offset) == wanted {
                let length = FossilDelta.commonLength(
                    origin,
                    offset,
                    target,
                    range.lowerBound,
                    limit: range.count
                )
                if length > best?.length ?? 0 {
                    best = DeltaMatch(origin: offset, target: range.lowerBound, length: length)
                }
            }
            block = next[Int(block)]
            candidateCount += 1
        }
        return best
    }

    /// The highest bits of a product depend on all bits of the factor.
    private func place(of word: UInt64) -> Int {
        Int((word &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }
}

/// Writes the commands of a delta in the order of the target.
private struct FossilDeltaWriter {
    private let target: [UInt8]
    private var delta: [UInt8] = []
    /// The number of bytes of the target that the commands so far make.
    private var written = 0

    init(target: [UInt8]) {
        self.target = target
        number(UInt32(target.count))
        delta.append(FossilDelta.lineFeed)
    }

    /// The number of bytes before `position` that are not written yet.
    func pendingCount(before position: Int) -> Int { position - written }

    mutating func insert(upTo end: Int) {
        guard end > written else { return }
        number(UInt32(end - written))
        delta.append(FossilDelta.insertMark)
        delta += target[written..<end]
        written = end
    }

    mutating func copy(length: Int, from offset: Int) {
        guard length > 0 else { return }
        number(UInt32(length))
        delta.append(FossilDelta.copyMark)
        number(UInt32(offset))
        delta.append(FossilDelta.copyEnd)
        written += length
    }

    mutating func finish() -> [UInt8] {
        precondition(written == target.count, "\(written) of \(target.count) bytes written")
        number(FossilDelta.checksum(target))
        delta.append(FossilDelta.checksumMark)
        return delta
    }

    private mutating func number(_ number: UInt32) {
        for place in (0..<FossilDelta.digitCount(Int(number))).reversed() {
            delta.append(FossilDelta.digits[Int(number >> (6 * UInt32(place)) & 63)])
        }
    }
}
