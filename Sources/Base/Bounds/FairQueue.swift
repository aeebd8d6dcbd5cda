import HeapModule

/// Decides whose turn it is: no user of a shared resource waits behind another's backlog.
///
/// Start-time fair queueing (Goyal, Vin, Cheng 1996). Each user has a line of items in the order in
/// which they came. An item's start is the end of the user's last one, or the present if that is
/// later; its end is its start plus its cost. The item with the earliest start is next, and the
/// present is its start. So waiting users get the same cost each over time, whatever one of them
/// has queued, and an idle user accumulates no advantage.
///
/// **Inputs and duties.** `push` waiting items, `pop` when there is a place, and `charge` the cost
/// beyond the given one. Refuse the item that `push` returns as displaced, and the item itself if
/// `push` returns that it is refused.
///
/// **Bounds.** A line has at most `lineMax` items, all lines together `itemsMax`. When all are full, a user
/// with a shorter line takes the place of the last item of the longest one: many users who fill
/// the queue cannot keep others out, as long as each of them has more than one item in it.
///
/// All operations take O(log users), except a `push` when all lines are full, which takes O(users).
package struct FairQueue<User: Hashable & Sendable, Item: Sendable>: Sendable {
    /// The result of queueing an item.
    package enum Pushed: Sendable {
        case waits
        /// It waits in place of another, which does not any more.
        case displaces(Item)
        case refused
    }

    private struct Line: Sendable {
        /// Those before `first` are gone.
        var items: [(item: Item, cost: Double)] = []
        var first = 0
        /// Where the last item that was taken ended.
        var end: Double

        var count: Int { items.count - first }
    }

    /// The time of a user's turn. A charge makes it later: a turn that comes up too early is put
    /// back.
    private struct Turn: Comparable, Sendable {
        var start: Double
        /// Of equal starts the one that was there first.
        var ticket: UInt64
        var user: User

        static func < (left: Turn, right: Turn) -> Bool {
            (left.start, left.ticket) < (right.start, right.ticket)
        }

        static func == (left: Turn, right: Turn) -> Bool { left.ticket == right.ticket }
    }

    /// Users who wait for nothing are looked for when there are more lines than that.
    private static var linesKept: Int { 1024 }

    private let lineMax: Int
    private let itemsMax: Int
    private var lines: [User: Line] = [:]
    /// One for each user who has a line with items.
    private var turns = Heap<Turn>()
    /// The start of the item taken last.
    private var present = 0.0
    private var nextTicket: UInt64 = 0
    private var linesMax = FairQueue.linesKept
    /// Items of all lines.
    package private(set) var count = 0

    package init(lineMax: Int = .max, itemsMax: Int = .max) {
        precondition(lineMax > 0)
        precondition(itemsMax > 0)
        self.lineMax = lineMax
        self.itemsMax = itemsMax
    }

    package var isEmpty: Bool { count == 0 }

    /// The number of stored users, whether they wait or have a cost.
    var lineCount: Int { lines.count }

    /// Items of one user that wait.
    package func count(of user: User) -> Int { lines[user]?.count ?? 0 }

    /// Puts an item at the end of its user's line.
    ///
    /// - Parameter cost: positive, in any unit that is the same for all.
    package mutating func push(_ item: Item, of user: User, cost: Double = 1) -> Pushed {
        precondition(cost > 0)
        var line = lines[user] ?? Line(end: present)
        guard line.count < lineMax else { return .refused }
        var displaced: Item?
        if count >= itemsMax {
            displaced = takeLast(ofLineLongerThan: line.count + 1)
            guard displaced != nil else { return .refused }
        }
        line.items.append((item, cost))
        count += 1
        if line.count == 1 { addTurn(of: user, start: max(present, line.end)) }
        lines[user] = line
        return displaced.map { .displaces($0) } ?? .waits
    }

    /// Takes the item whose turn it is; nil when nothing waits.
    package mutating func pop() -> (item: Item, user: User)? {
        while let turn = turns.popMin() {
            guard var line = lines[turn.user], line.count > 0 else { continue }
            // Charged since.
            if line.end > turn.start {
                addTurn(of: turn.user, start: line.end)
                continue
            }
            present = turn.start
            let (item, cost) = line.items[line.first]
            line.first += 1
            line.end = turn.start + cost
            if line.count == 0 {
                line.items = []
                line.first = 0
            } else {
                // Not at each time: that would move all who wait.
                if line.first > 64, line.first * 2 > line.items.count {
                    line.items.removeFirst(line.first)
                    line.first = 0
                }
                addTurn(of: turn.user, start: line.end)
            }
            lines[turn.user] = line
            count -= 1
            forgetIdle()
            return (item, turn.user)
        }
        return nil
    }

    /// Takes back an item before its turn, the first of its user's line for which `isIt` holds.
    package mutating func remove(of user: User, where isIt: (Item) -> Bool) -> Item? {
        guard var line = lines[user],
            let index = line.items[line.first...].firstIndex(where: { isIt($0.item) })
        else { return nil }
        let item = line.items.remove(at: index).item
        count -= 1
        // A turn of an empty line is dropped when it comes up.
        lines[user] = line
        return item
    }

    /// Adds to a user's cost, if an item cost more than the given cost.
    package mutating func charge(_ user: User, _ cost: Double) {
        guard cost > 0 else { return }
        lines[user, default: Line(end: present)].end += cost
    }

    // MARK: Private

    private mutating func addTurn(of user: User, start: Double) {
        turns.insert(Turn(start: start, ticket: nextTicket, user: user))
        nextTicket += 1
    }

    private mutating func takeLast(ofLineLongerThan length: Int) -> Item? {
        guard let longest = lines.max(by: { $0.value.count < $1.value.count }),
            longest.value.count > length
        else { return nil }
        count -= 1
        return lines[longest.key]?.items.removeLast().item
    }

    /// An entry that has nothing waiting and owes nothing is the same as no entry.
    private mutating func forgetIdle() {
        guard lines.count > linesMax else { return }
        lines = lines.filter { $0.value.count > 0 || $0.value.end > present }
        linesMax = max(FairQueue.linesKept, 2 * lines.count)
    }
}
