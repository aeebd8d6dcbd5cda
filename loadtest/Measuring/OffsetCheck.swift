/// Whether the publications of one topic were answered with every offset once, in whatever order the answers
/// of several connections came.
///
/// Nobody else may publish to the topic meanwhile: the offsets of others would be missing here.
struct OffsetCheck: Sendable {
    /// Different offsets.
    private(set) var count = 0
    /// Answers with an offset that an earlier one had.
    private(set) var repeated = 0
    /// Answers of another epoch than the first.
    private(set) var foreign = 0
    private var epoch: String?
    /// The offsets as ranges with gaps between them, the lowest first. There are few: what is under way at once
    /// is answered at about the same time.
    private var ranges: [Range<UInt64>] = []

    /// Offsets between the lowest and the highest that no answer had.
    var missing: UInt64 {
        zip(ranges, ranges.dropFirst()).reduce(0) { $0 + ($1.1.lowerBound - $1.0.upperBound) }
    }

    /// - Parameter position: With an offset of at most `PublishAPI.offsetMax`.
    mutating func receive(_ position: Position) {
        precondition(position.offset <= PublishAPI.offsetMax)
        if epoch == nil { epoch = position.epoch }
        guard position.epoch == epoch else {
            foreign += 1
            return
        }
        insert(position.offset)
    }

    private mutating func insert(_ offset: UInt64) {
        // From the end, where nearly all belong.
        var index = ranges.count
        while index > 0, ranges[index - 1].lowerBound > offset { index -= 1 }
        if index > 0, ranges[index - 1].contains(offset) {
            repeated += 1
            return
        }
        count += 1
        let extendsLower = index > 0 && ranges[index - 1].upperBound == offset
        let extendsUpper = index < ranges.count && ranges[index].lowerBound == offset + 1
        switch (extendsLower, extendsUpper) {
        case (false, false): ranges.insert(offset..<offset + 1, at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound..<offset + 1
        case (false, true): ranges[index] = offset..<ranges[index].upperBound
        case (true, true):
            let upper = ranges.remove(at: index)
            ranges[index - 1] = ranges[index - 1].lowerBound..<upper.upperBound
        }
    }
}
