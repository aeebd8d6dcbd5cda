import PubSub

/// What was committed and not looked at by the rules of any topic, in the order of commits.
///
/// Bounded in number and in bytes. Past a bound the oldest are passed over and counted. Not the newest: those say where a topic stands, and an
/// alert whose end nobody has looked at would stand until the topic speaks again.
package struct FollowedPublications: Sendable {
    /// How many may wait.
    package let countMax: Int
    /// How many bytes they may take up. One longer publication may wait nevertheless, if it is the only one.
    package let bytesMax: Int
    /// What those that wait take up.
    package private(set) var bytes = 0
    /// Nil before `first`: their room is given back when that costs little.
    private var slots: [Publication?] = []
    /// The slot of the oldest that waits.
    private var first = 0
    /// Of the newest commit, whoever looks at its topics.
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
        /// Up to here there is nothing else to look at.
        package var through: UInt64 = 0
        /// How many had to go since the last batch.
        package var passedOver = 0
    }

    package var count: Int { slots.count - first }

    /// Up to here nothing waits.
    package var lookedThrough: UInt64 {
        guard first < slots.count, let oldest = slots[first] else { return newest }
        return oldest.cursor - 1
    }

    /// Something was committed, whether or not it is to be looked at.
    package mutating func note(commit cursor: UInt64) {
        newest = max(newest, cursor)
    }

    /// To be called with ascending cursors, and after `note(commit:)`.
    package mutating func append(_ publication: Publication) {
        let length = publication.waitingBytes
        while count == countMax || (count > 0 && length > bytesMax - bytes) {
            removeFirst()
            passedOver += 1
        }
        bytes += length
        slots.append(publication)
    }

    /// Counts one that is not to wait, because memory is short.
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

    /// Forgets those that are erased.
    ///
    /// - Complexity: O(those that wait).
    package mutating func remove(where isErased: (Publication) -> Bool) {
        slots = slots.filter { slot in slot.map { !isErased($0) } ?? false }
        first = 0
        bytes = slots.reduce(0) { $0 + ($1?.waitingBytes ?? 0) }
    }

    /// Complexity: O(1), spread over all calls.
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
    /// Of a publication in memory, beside the texts and bytes that it refers to.
    private static let memoryBytes = 128

    /// About how many bytes it takes up while it waits, as if nothing else kept its payload.
    package var waitingBytes: Int { wireLength + Self.memoryBytes }
}
