import Alerts
import PubSub

/// Publications that users' rules have still to look at: who has to look at which, and whose turn it is.
///
/// **Fair.** Users take turns by what their evaluations cost (`FairTurns`), whatever the machine's speed: expensive
/// rules, or rules for busy topics, make only their own user's alerts late.
///
/// **Bounded** in number and in bytes, all users together; what several wait for counts once, and each of them for
/// a little. Past a bound the user who makes the most bytes wait loses the oldest of them, and so on. So no user
/// loses publications to another user's flood.
package struct UserPublications: Sendable {
    /// The credit of a user in a round: about 0.2 ms. Rules of 20 users so take turns several times in a step.
    package static let quantum = 2000
    /// What is evaluated in one step: about 5 ms, for which operators' rules may have to wait.
    package static let stepCost = 50_000
    /// Bytes of a payload that are read in the time of one unit of cost.
    private static let payloadBytesPerUnit = 64
    /// The cost of queueing a publication for one owner.
    private static let itemBytes = 32

    private struct Entry {
        var publication: Publication
        /// How many have still to look at it.
        var waiters: Int
    }

    private struct Item {
        /// Of the entry.
        var sequence: Int
        var cost: Int
        var bytes: Int
    }

    private struct Queue {
        var items: [Item] = []
        /// The item that is next; those before it are gone.
        var first = 0
        var bytes = 0

        var next: Item? { first < items.count ? items[first] : nil }

        /// Complexity: O(1), spread over all calls.
        mutating func removeFirst() {
            bytes -= items[first].bytes
            first += 1
            guard 2 * first >= items.count else { return }
            items.removeFirst(first)
            first = 0
        }
    }

    /// What one user's rules are to look at, in the order of commits.
    package struct Turn: Sendable, Equatable {
        package var owner: AlertOwner
        package var publications: [Publication]
    }

    package let countMax: Int
    package let bytesMax: Int
    /// What all that waits takes up.
    package private(set) var bytes = 0
    /// How often a publication was passed over for an owner since the last call.
    private var passedOver = 0
    private var entries: [Entry?] = []
    /// The sequence number of `entries[0]`.
    private var base = 0
    /// The index of the oldest entry that waits; those before it are gone.
    private var first = 0
    private var queues: [AlertOwner: Queue] = [:]
    private var turns = FairTurns<AlertOwner>(quantum: UserPublications.quantum)
    /// How many entries wait.
    package private(set) var count = 0

    package init(countMax: Int, bytesMax: Int) {
        precondition(countMax > 0, "nothing may wait")
        precondition(bytesMax > 0, "no bytes may wait")
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    package var isEmpty: Bool { count == 0 }

    /// The cursor of the oldest that waits; nil when there is none.
    package var oldestCursor: UInt64? {
        first < entries.count ? entries[first]?.publication.cursor : nil
    }

    /// What it costs to have rules look at a publication.
    package static func cost(of publication: Publication, rules: Int) -> Int {
        publication.payload.count / payloadBytesPerUnit + rules
    }

    // MARK: Inputs

    /// To be called with ascending cursors.
    ///
    /// - Parameter rules: those that look at its topic, of any users.
    package mutating func append(_ publication: Publication, for rules: [AlertRule]) {
        var costs: [AlertOwner: Int] = [:]
        for rule in rules { costs[AlertOwner(rule.owner), default: 0] += rule.cost }
        guard !costs.isEmpty else { return }
        let length = publication.waitingBytes
        let sequence = base + entries.count
        entries.append(Entry(publication: publication, waiters: costs.count))
        count += 1
        bytes += length + costs.count * Self.itemBytes
        for (owner, cost) in costs.sorted(by: { $0.key < $1.key }) {
            let cost = Self.cost(of: publication, rules: cost)
            let item = Item(sequence: sequence, cost: cost, bytes: length + Self.itemBytes)
            queues[owner, default: Queue()].items.append(item)
            queues[owner]?.bytes += item.bytes
            turns.join(owner)
        }
        while count > 1, count > countMax || bytes > bytesMax { passOverOldest() }
    }

    /// Takes what is to be looked at in one step, in turns.
    ///
    /// - Parameter costMax: the last publication may cost more than is left of it.
    package mutating func takeStep(costMax: Int = UserPublications.stepCost) -> [Turn] {
        var taken: [AlertOwner: [Publication]] = [:]
        var left = costMax
        while left > 0, let owner = turns.owner {
            guard let item = queues[owner]?.next else {
                queues[owner] = nil
                turns.leave()
                continue
            }
            guard turns.pay(item.cost) else { continue }
            left -= item.cost
            queues[owner]?.removeFirst()
            if let publication = release(item) { taken[owner, default: []].append(publication) }
        }
        return taken.sorted { $0.key < $1.key }.map { Turn(owner: $0.key, publications: $0.value) }
    }

    package mutating func takePassedOver() -> Int {
        defer { passedOver = 0 }
        return passedOver
    }

    /// Forgets those that are erased.
    ///
    /// - Complexity: O(all that wait).
    package mutating func remove(where isErased: (Publication) -> Bool) {
        for (owner, queue) in queues {
            var kept = Queue()
            for item in queue.items[queue.first...] {
                if let entry = entries[item.sequence - base], isErased(entry.publication) {
                    drop(item)
                } else {
                    kept.items.append(item)
                    kept.bytes += item.bytes
                }
            }
            queues[owner] = kept
        }
        trim()
    }

    // MARK: Entries

    /// Removes the oldest publication of the user with the most bytes waiting.
    private mutating func passOverOldest() {
        let largest = queues.max { ($0.value.bytes, $1.key) < ($1.value.bytes, $0.key) }
        guard let owner = largest?.key, let item = queues[owner]?.next else { return }
        queues[owner]?.removeFirst()
        drop(item)
        trim()
        passedOver += 1
    }

    /// Somebody has nothing to do with an entry any more; the last one takes it away.
    private mutating func release(_ item: Item) -> Publication? {
        let publication = entries[item.sequence - base]?.publication
        drop(item)
        trim()
        return publication
    }

    private mutating func drop(_ item: Item) {
        let index = item.sequence - base
        bytes -= Self.itemBytes
        entries[index]?.waiters -= 1
        guard entries[index]?.waiters == 0 else { return }
        bytes -= entries[index]?.publication.waitingBytes ?? 0
        entries[index] = nil
        count -= 1
    }

    /// Gives back the room of entries at the beginning that are gone, when that costs little.
    ///
    /// Complexity: O(1), spread over all calls.
    private mutating func trim() {
        while first < entries.count, entries[first] == nil { first += 1 }
        guard 2 * first >= entries.count else { return }
        entries.removeFirst(first)
        base += first
        first = 0
    }
}
