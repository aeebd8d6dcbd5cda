/// Publications that wait for users' rules, with the users whose rules look at them, and the order
/// of turns.
///
/// **Fair.** Users take turns by the cost of their evaluations (`FairTurns`), whatever the
/// machine's speed: expensive rules, or rules for busy topics, delay only their own user's alerts.
///
/// **Bounded** in number and in bytes, for all users together. A publication that several users
/// wait for counts once, plus a small amount for each of them. Past a bound, the user with the most
/// waiting bytes loses the oldest of their publications, and so on. No user loses publications to
/// another user's flood.
package struct UserPublications: Sendable {
    /// The credit of a user in a round: about 0.2 ms. Rules of 20 users thus take turns several
    /// times in a step.
    package static let quantum = 2000
    /// The cost of one step: about 5 ms, for which operators' rules may have to wait.
    package static let stepCost = 50_000
    /// The number of bytes of a payload that are read in the time of one unit of cost.
    private static let payloadBytesPerUnit = 64
    /// The bytes needed to queue a publication for one owner.
    private static let itemBytes = 32

    private struct Entry {
        var publication: Publication
        /// The number of users who still wait for it.
        var waiters: Int
    }

    private struct Item {
        /// The sequence number of the entry.
        var sequence: Int
        var cost: Int
        var bytes: Int
    }

    private struct Queue {
        var items: [Item] = []
        /// The index of the next item; those before it are gone.
        var first = 0
        var bytes = 0

        var next: Item? { first < items.count ? items[first] : nil }

        /// Complexity: O(1), amortized.
        mutating func removeFirst() {
            bytes -= items[first].bytes
            first += 1
            guard 2 * first >= items.count else { return }
            items.removeFirst(first)
            first = 0
        }
    }

    /// Publications for one user's rules to evaluate, in commit order.
    package struct Turn: Sendable, Equatable {
        package var owner: AlertOwner
        package var publications: [Publication]
    }

    package let countMax: Int
    package let bytesMax: Int
    /// The number of bytes that all waiting publications take up.
    package private(set) var bytes = 0
    /// The number of times that a publication was passed over for an owner since the last call.
    private var passedOver = 0
    private var entries: [Entry?] = []
    /// The sequence number of `entries[0]`.
    private var base = 0
    /// The index of the oldest waiting entry; those before it are gone.
    private var first = 0
    private var queues: [AlertOwner: Queue] = [:]
    private var turns = FairTurns<AlertOwner>(quantum: UserPublications.quantum)
    /// The number of waiting entries.
    package private(set) var count = 0

    package init(countMax: Int, bytesMax: Int) {
        precondition(countMax > 0, "nothing may wait")
        precondition(bytesMax > 0, "no bytes may wait")
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    package var isEmpty: Bool { count == 0 }

    /// The cursor of the oldest waiting publication; nil if there is none.
    package var oldestCursor: UInt64? {
        first < entries.count ? entries[first]?.publication.cursor : nil
    }

    /// Returns the cost of evaluating rules for a publication.
    package static func cost(of publication: Publication, rules: Int) -> Int {
        publication.payload.count / payloadBytesPerUnit + rules
    }

    // MARK: Inputs

    /// Appends a publication. Call this with ascending cursors.
    ///
    /// - Parameter rules: all users' rules that look at its topic.
    package mutating func append(_ publication: Publication, for rules: [AlertRule]) {
        var costs: [AlertOwner: Int] = [:]
        for rule in rules { costs[AlertOwner(rule.owner), default: 0] += rule.cost }
        append(publication, costs: costs.mapValues { Self.cost(of: publication, rules: $0) })
    }

    /// - Parameter costs: the owners to wait for it, and the costs of their evaluations.
    private mutating func append(_ publication: Publication, costs: [AlertOwner: Int]) {
        guard !costs.isEmpty else { return }
        let length = publication.waitingBytes
        let sequence = base + entries.count
        entries.append(Entry(publication: publication, waiters: costs.count))
        count += 1
        bytes += length + costs.count * Self.itemBytes
        for (owner, cost) in costs.sorted(by: { $0.key < $1.key }) {
            let item = Item(sequence: sequence, cost: cost, bytes: length + Self.itemBytes)
            queues[owner, default: Queue()].items.append(item)
            queues[owner]?.bytes += item.bytes
            turns.join(owner)
        }
        while count > 1, count > countMax || bytes > bytesMax { passOverOldest() }
    }

    /// Takes the publications to evaluate in one step, in turns.
    ///
    /// - Parameter costMax: the maximum cost; the last publication may exceed it.
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

    /// Puts back the publications of a step that could not be evaluated: each owner's in front of
    /// the owner's others. Past a bound, the oldest are passed over.
    ///
    /// - Parameter rules: returns all users' rules that look at a topic.
    /// - Complexity: O(all waiting publications).
    package mutating func putBack(_ taken: [Turn], rules: (Topic) -> [AlertRule]) {
        var waiting = holds()
        for turn in taken {
            for publication in turn.publications {
                let rules = rules(publication.topic).filter { AlertOwner($0.owner) == turn.owner }
                let cost = Self.cost(of: publication, rules: rules.reduce(0) { $0 + $1.cost })
                waiting[publication.cursor, default: Hold(publication: publication)]
                    .costs[turn.owner] = cost
            }
        }
        // Owners may still wait for publications before and after those: all are appended again.
        (entries, base, first, count, bytes) = ([], 0, 0, 0, 0)
        queues = [:]
        for hold in waiting.values.sorted(by: { $0.publication.cursor < $1.publication.cursor }) {
            append(hold.publication, costs: hold.costs)
        }
    }

    package mutating func takePassedOver() -> Int {
        defer { passedOver = 0 }
        return passedOver
    }

    /// Removes erased publications.
    ///
    /// - Complexity: O(all waiting publications).
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

    /// A waiting publication, and the owners who wait for it.
    private struct Hold {
        var publication: Publication
        var costs: [AlertOwner: Int] = [:]
    }

    /// All waiting publications, by their cursors.
    private func holds() -> [UInt64: Hold] {
        var holds: [UInt64: Hold] = [:]
        for (owner, queue) in queues {
            for item in queue.items[queue.first...] {
                guard let publication = entries[item.sequence - base]?.publication else { continue }
                holds[publication.cursor, default: Hold(publication: publication)]
                    .costs[owner] = item.cost
            }
        }
        return holds
    }

    /// Removes the oldest publication of the user with the most bytes waiting.
    private mutating func passOverOldest() {
        let largest = queues.max { ($0.value.bytes, $1.key) < ($1.value.bytes, $0.key) }
        guard let owner = largest?.key, let item = queues[owner]?.next else { return }
        queues[owner]?.removeFirst()
        drop(item)
        trim()
        passedOver += 1
    }

    /// Releases an owner's hold on an entry; the last release removes it.
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

    /// Frees the space of removed entries at the beginning, when that is cheap.
    ///
    /// Complexity: O(1), amortized.
    private mutating func trim() {
        while first < entries.count, entries[first] == nil { first += 1 }
        guard 2 * first >= entries.count else { return }
        entries.removeFirst(first)
        base += first
        first = 0
    }
}
