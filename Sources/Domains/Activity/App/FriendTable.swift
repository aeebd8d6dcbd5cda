import Activity

/// The friendships, which the loops check before a person may see another's watching.
///
/// It is closed while the hub does not lead, and has no friendships then.
///
/// Four bytes for each friend of each person. May be used from any thread; every call is short.
package final class FriendTable: Sendable {
    /// The number of a leaving person's friends that are processed while the table is locked: the
    /// loops wait for it.
    private static let heldMax = 256

    private struct State {
        var isOpen: Bool
        /// By person, in order.
        var friends: [Int: ContiguousArray<UInt32>] = [:]
        /// Counts the calls of `set` that took effect, and those who left.
        var version = 0
    }

    private let state: Locked<State>

    package init(isOpen: Bool = true) { state = Locked(State(isOpen: isOpen)) }

    /// Whether the table has all friendships.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Call it when all friendships are added.
    package func open() { state.withLock { $0.isOpen = true } }

    /// Removes all friendships.
    package func close() {
        state.withLock { state in
            state.isOpen = false
            state.version += 1
            state.friends = [:]
        }
    }

    package func areFriends(_ person: Int, _ other: Int) -> Bool {
        guard let number = UInt32(exactly: other) else { return false }
        return state.withLock { state in
            guard let own = state.friends[person] else { return false }
            let place = FriendTable.place(of: number, in: own)
            return place < own.count && own[place] == number
        }
    }

    package var directory: FriendDirectory {
        FriendDirectory(isOpen: { self.isOpen }) { self.areFriends($0, $1) }
    }

    /// Read it before reading the values that are passed to `set`.
    package var version: Int { state.withLock { $0.version } }

    /// Sets whether two people are friends, as read at a version or later.
    ///
    /// - Returns: false, and nothing set, if the table has changed since then: the value read may
    ///   be outdated.
    package func set(_ person: Int, _ other: Int, areFriends: Bool, asOf version: Int) -> Bool {
        state.withLock { state in
            guard state.version == version else { return false }
            state.version += 1
            if areFriends {
                FriendTable.add(person, other, &state.friends)
            } else {
                FriendTable.remove(other, friends: &state.friends[person])
                FriendTable.remove(person, friends: &state.friends[other])
            }
            return true
        }
    }

    /// Takes both in each other's list.
    package func add(_ person: Int, _ other: Int) {
        state.withLock { FriendTable.add(person, other, &$0.friends) }
    }

    /// Removes a person from all lists: the friends' lists after the person's own, and these a few
    /// at a time.
    package func remove(_ person: Int) {
        let friends = state.withLock { state in
            state.version += 1
            return state.friends.removeValue(forKey: person) ?? []
        }
        for start in stride(from: 0, to: friends.count, by: FriendTable.heldMax) {
            let end = min(start + FriendTable.heldMax, friends.count)
            state.withLock { state in
                for friend in friends[start..<end] {
                    FriendTable.remove(person, friends: &state.friends[Int(friend)])
                }
            }
        }
    }

    private static func add(
        _ person: Int,
        _ other: Int,
        _ friends: inout [Int: ContiguousArray<UInt32>]
    ) {
        insert(other, &friends[person, default: []])
        insert(person, &friends[other, default: []])
    }

    private static func insert(_ person: Int, _ friends: inout ContiguousArray<UInt32>) {
        guard let number = UInt32(exactly: person) else { return }
        let place = place(of: number, in: friends)
        guard place == friends.count || friends[place] != number else { return }
        friends.insert(number, at: place)
    }

    private static func remove(_ person: Int, friends: inout ContiguousArray<UInt32>?) {
        guard let number = UInt32(exactly: person), var own = friends else { return }
        // Held once, or the removal copies it.
        friends = nil
        let place = place(of: number, in: own)
        if place < own.count, own[place] == number { own.remove(at: place) }
        friends = own.isEmpty ? nil : own
    }

    /// Where a number is, or would be.
    private static func place(of number: UInt32, in friends: ContiguousArray<UInt32>) -> Int {
        var low = 0
        var high = friends.count
        while low < high {
            let middle = (low + high) / 2
            if friends[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
