/// The handling of publications that could not be sent to a slow subscriber.
package enum ConflationPolicy: String, Sendable, CaseIterable {
    /// Keeps the newest publications.
    case dropOldest
    /// Keeps the newest publication of each key: a publication's key is its tag
    /// `Conflation.keyTag`, and those without the tag share one key.
    case latestPerKey
}

/// The publications that a slow subscriber of a topic receives when it can be served again, and
/// those that it does not receive.
///
/// Every publication that was waiting is either here or counted, and in `losses` if it has an offset.
package struct Conflation: Sendable, Equatable {
    package static let keyTag = "key"

    /// Neighbouring offsets that were lost in one way.
    package struct Loss: Sendable, Equatable {
        package enum Cause: String, Sendable {
            /// Over the bytes that there is room for.
            case dropped
            /// A newer publication has the same key.
            case conflated
        }

        package var offsets: ClosedRange<UInt64>
        package var cause: Cause

        package init(offsets: ClosedRange<UInt64>, cause: Cause) {
            self.offsets = offsets
            self.cause = cause
        }
    }

    /// Oldest first.
    package private(set) var publications: [Publication] = []
    package private(set) var droppedCount = 0
    package private(set) var conflatedCount = 0
    /// Oldest first.
    package private(set) var losses: [Loss] = []

    /// Decides from the newest to the oldest. The first that does not fit ends it: the subscriber
    /// never receives a publication that is older than a dropped one.
    ///
    /// - Parameters:
    ///   - waiting: of one topic, oldest first.
    ///   - bytesMax: of the payloads together.
    /// - Complexity: O(publications waiting).
    package init(
        of waiting: [Publication],
        policy: ConflationPolicy,
        bytesMax: Int
    ) {
        precondition(bytesMax >= 0)
        var keys: Set<ExactText?> = []
        var length = 0
        for publication in waiting.reversed() {
            let key = publication.tags[Self.keyTag].map { ExactText($0) }
            if policy == .latestPerKey, !keys.insert(key).inserted {
                conflatedCount += 1
                lose(publication.offset, .conflated)
                continue
            }
            // Once over the budget it stays over it.
            length += publication.payload.count
            if length <= bytesMax {
                publications.append(publication)
            } else {
                droppedCount += 1
                lose(publication.offset, .dropped)
            }
        }
        publications.reverse()
        losses.reverse()
    }

    /// Notes an offset below all that were noted before.
    private mutating func lose(_ offset: UInt64, _ cause: Loss.Cause) {
        // One that is not part of the history has no offset to name.
        guard offset > 0 else { return }
        if let last = losses.last, last.cause == cause, offset + 1 == last.offsets.lowerBound {
            losses[losses.count - 1].offsets = offset...last.offsets.upperBound
        } else {
            losses.append(Loss(offsets: offset...offset, cause: cause))
        }
    }
}
