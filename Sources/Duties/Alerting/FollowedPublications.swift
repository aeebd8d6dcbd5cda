/// Committed publications that wait for evaluation by the rules, in commit order.
///
/// The queue is bounded in number and in bytes. Past a bound, the oldest publications are passed
/// over and counted. The newest are kept because they have the current state of a topic: if the
/// publication that ends an alert were passed over, the alert would stay active until the next
/// publication on the topic.
package struct FollowedPublications: Sendable {
    /// The maximum number of waiting publications.
    package let countMax: Int
    /// The maximum number of bytes that they may take up. A single longer publication may still
    /// wait.
    package let bytesMax: Int
    /// The number of bytes that waiting publications take up.
    package private(set) var bytes = 0
    /// Nil before `first`; the space of these slots is freed when that is cheap.
    private var slots: [Publication?] = []
    /// The slot of the oldest waiting publication.
    private var first = 0
    /// The cursor of the newest commit, whether or not it has publications for the rules.
    package private(set) var newest: UInt64 = 0
    private var passedOver = 0

    package init(countMax: Int, bytesMax: Int = .max) {
        precondition(countMax > 0, "nothing may wait")
        precondition(bytesMax > 0, "no bytes may wait")
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    package struct Batch: Sendable {
        package var publications: [Publication] = []
        /// The cursor up to which there are no other publications to evaluate.
        package var through: UInt64 = 0
        /// The number of publications that were passed over since the last batch.
        package var passedOver = 0
    }

    package var count: Int { slots.count - first }

    /// The cursor up to which no publication waits.
    package var lookedThrough: UInt64 {
        guard first < slots.count, let oldest = slots[first] else { return newest }
        return oldest.cursor - 1
    }

    /// Records a commit, whether or not it has publications for the rules.
    package mutating func note(commit cursor: UInt64) {
        newest = max(newest, cursor)
    }

    /// Appends a publication. Call this with ascending cursors, and after `note(commit:)`.
    package mutating func append(_ publication: Publication) {
        let length = publication.waitingBytes
        while count == countMax || (count > 0 && length > bytesMax - bytes) {
            removeFirst()
            passedOver += 1
        }
        bytes += length
        slots.append(publication)
    }

    /// Counts a publication that must not wait because memory is short.
    package mutating func passOver() {
        passedOver += 1
    }

    package mutating func takeBatch(countMax: Int) -> Batch {
        var batch = Batch(passedOver: passedOver)
        passedOver = 0
        while batch.publications.count < countMax, first < slots.count, let oldest = slots[first] {
            batch.publications.append(oldest)
            removeFirst()
        }
        batch.through = lookedThrough
        return batch
    }

    /// Puts back publications that were taken and could not be evaluated, in front of all others,
    /// which are later. Past a bound, the oldest are passed over.
    ///
    /// - Complexity: O(waiting publications).
    package mutating func putBack(_ publications: [Publication]) {
        slots.replaceSubrange(..<first, with: publications)
        first = 0
        bytes += publications.reduce(0) { $0 + $1.waitingBytes }
        while count > countMax || (count > 1 && bytes > bytesMax) {
            removeFirst()
            passedOver += 1
        }
    }

    /// Removes erased publications.
    ///
    /// - Complexity: O(waiting publications).
    package mutating func remove(where isErased: (Publication) -> Bool) {
        slots = slots.filter { slot in slot.map { !isErased($0) } ?? false }
        first = 0
        bytes = slots.reduce(0) { $0 + ($1?.waitingBytes ?? 0) }
    }

    /// Complexity: O(1), amortized.
    private mutating func removeFirst() {
        bytes -= slots[first]?.waitingBytes ?? 0
        slots[first] = nil
        first += 1
        guard 2 * first >= slots.count else { return }
        slots.removeFirst(first)
        first = 0
    }
}

extension Publication {
    /// The size of a publication in memory, without the texts and bytes that it refers to.
    private static let memoryBytes = 128

    /// The approximate number of bytes that a waiting publication takes up, counted as if nothing
    /// else retained its payload.
    package var waitingBytes: Int { wireLength + Self.memoryBytes }
}
