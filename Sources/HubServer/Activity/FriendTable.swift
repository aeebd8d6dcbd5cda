import Locking

/// Who is whose friend: what the loops ask before they let somebody see who watches.
///
/// Four bytes for each friend of each person. May be used from any thread; every call is short.
package final class FriendTable: Sendable {
    /// By person, in order.
    private let friends = Locked<[Int: ContiguousArray<UInt32>]>([:])

    package init() {}

    package func areFriends(_ person: Int, _ other: Int) -> Bool {
        guard let number = UInt32(exactly: other) else { return false }
        return friends.withLock { friends in
            guard let own = friends[person] else { return false }
            let place = FriendTable.place(of: number, in: own)
            return place < own.count && own[place] == number
        }
    }

    var directory: FriendDirectory { FriendDirectory { self.areFriends($0, $1) } }

    /// Takes both in each other's list.
    package func add(_ person: Int, _ other: Int) {
        friends.withLock { friends in
            FriendTable.insert(other, &friends[person, default: []])
            FriendTable.insert(person, &friends[other, default: []])
        }
    }

    package func remove(_ person: Int, _ other: Int) {
        friends.withLock { friends in
            FriendTable.remove(other, friends: &friends[person])
            FriendTable.remove(person, friends: &friends[other])
        }
    }

    /// Takes somebody out of all lists.
    package func remove(_ person: Int) {
        friends.withLock { friends in
            for friend in friends.removeValue(forKey: person) ?? [] {
                FriendTable.remove(person, friends: &friends[Int(friend)])
            }
        }
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
