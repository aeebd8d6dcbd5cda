import PubSub

/// What was committed and not looked at by the rules of any topic, in the order of commits.
///
/// Past a bound the oldest are passed over and counted. Not the newest: those say where a topic stands, and an
/// alert whose end nobody has looked at would stand until the topic speaks again.
struct FollowedPublications: Sendable {
    /// How many may wait.
    let countMax: Int
    /// Nil before `first`: their room is given back when that costs little.
    private var slots: [Publication?] = []
    /// The slot of the oldest that waits.
    private var first = 0
    /// Of the newest commit, whoever looks at its topics.
    private var newest: UInt64 = 0
    private var passedOver = 0

    init(countMax: Int) {
        precondition(countMax > 0, "nothing may wait")
        self.countMax = countMax
    }

    struct Batch: Sendable {
        var publications: [Publication] = []
        /// Up to here there is nothing else to look at.
        var through: UInt64 = 0
        /// How many had to go since the last batch.
        var passedOver = 0
    }

    var count: Int { slots.count - first }

    /// Up to here nothing waits.
    var lookedThrough: UInt64 {
        guard first < slots.count, let oldest = slots[first] else { return newest }
        return oldest.cursor - 1
    }

    /// Something was committed, whether or not it is to be looked at.
    mutating func note(commit cursor: UInt64) {
        newest = max(newest, cursor)
    }

    /// To be called with ascending cursors, and after `note(commit:)`.
    mutating func append(_ publication: Publication) {
        if count == countMax {
            removeFirst()
            passedOver += 1
        }
        slots.append(publication)
    }

    mutating func takeBatch(countMax: Int) -> Batch {
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
    mutating func remove(where isErased: (Publication) -> Bool) {
        slots = slots.filter { slot in slot.map { !isErased($0) } ?? false }
        first = 0
    }

    /// Complexity: O(1), spread over all calls.
    private mutating func removeFirst() {
        slots[first] = nil
        first += 1
        guard 2 * first >= slots.count else { return }
        slots.removeFirst(first)
        first = 0
    }
}
