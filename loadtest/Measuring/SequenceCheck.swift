/// Whether one subscriber gets one publisher's messages, numbered without gaps, each once and in order.
struct SequenceCheck: Sendable {
    enum Verdict: Equatable {
        case inOrder
        /// In order, but this many before it have not come.
        case skipping(UInt32)
        /// One of those skipped, behind its place.
        case late
        case duplicate
        /// From before this subscriber was there, or was there again.
        case foreign
    }

    /// Gaps that are kept apart. Beyond, the oldest is lost for good: a subscriber that misses this many
    /// pieces does not get them late.
    static let gapsMax = 64

    private var first: UInt32
    private(set) var next: UInt32
    /// Skipped numbers, the oldest first.
    private var gaps: [Range<UInt32>] = []

    init(next: UInt32 = 0) {
        first = next
        self.next = next
    }

    mutating func receive(_ sequence: UInt32) -> Verdict {
        if sequence == next {
            next += 1
            return .inOrder
        }
        if sequence > next {
            let skipped = sequence - next
            if gaps.count == SequenceCheck.gapsMax { gaps.removeFirst() }
            gaps.append(next..<sequence)
            next = sequence + 1
            return .skipping(skipped)
        }
        return sequence < first ? .foreign : receiveLate(sequence)
    }

    private mutating func receiveLate(_ sequence: UInt32) -> Verdict {
        guard let index = gaps.firstIndex(where: { $0.contains(sequence) }) else {
            return .duplicate
        }
        let gap = gaps.remove(at: index)
        if sequence + 1 < gap.upperBound {
            gaps.insert(sequence + 1..<gap.upperBound, at: index)
        }
        if gap.lowerBound < sequence { gaps.insert(gap.lowerBound..<sequence, at: index) }
        return .late
    }

    /// Goes on with `sequence`, as a subscriber does that comes back without recovery.
    mutating func restart(at sequence: UInt32) {
        self = SequenceCheck(next: sequence)
    }
}
