/// The clients in each topic.
///
/// A client is in a topic at most once. It counts as one client, and all clients with one user count
/// as one user; those without a user are one user together, the empty one.
///
/// A value without a lock: where several loops share one, they take turns. Every operation except
/// `removeClient` takes constant time, so that they need not wait for each other: `clients(in:)`
/// returns the list itself, which is copied only if a client joins or leaves while the answer is
/// held.
///
/// There are as many entries as subscriptions with presence; the caller limits those. An entry takes 8
/// bytes in the topic's list, 4 in the client's, and about 30 in each of the tables of the topic's
/// places and users; the texts are those of the `ClientInfo`.
package struct PresenceTable: Sendable {
    /// Where a client is in the lists of a topic.
    fileprivate struct Place: Sendable {
        /// In `Room.clients`.
        var seat: Int32
        /// In `Stays.numbers`.
        var stay: Int32
    }

    /// The topics of one client, in the order of the joins.
    private struct Stays: Sendable {
        /// The numbers of the topics; `left` for a topic that the client has left.
        var numbers: [Int32] = []
        var count = 0

        static let left: Int32 = -1
        /// The number of left topics that a list keeps in any case.
        static let leftKept = 8
    }

    /// The clients of one topic.
    fileprivate struct Room: Sendable {
        let topic: Topic
        /// In no order.
        var clients: [ClientInfo] = []
        /// By the name of a client.
        var places: [String: Place] = [:]
        /// By the user: how many clients it has here, at least 1.
        var users: [ExactText: Int32] = [:]
    }

    private var numbers: [Topic: Int32] = [:]
    /// By the topic's number; nil where the number is free.
    private var rooms: [Room?] = []
    private var freeNumbers: [Int32] = []
    /// By the name of a client.
    private var stays: [String: Stays] = [:]
    /// Entries in all topics.
    package private(set) var count = 0

    package init() {}

    /// The number of topics with clients.
    package var topicCount: Int { numbers.count }

    /// Adds the client to the topic and returns true; if it is already there, replaces its data.
    ///
    /// - Complexity: O(1), but O(clients of the topic) when an answer of `clients(in:)` is still held.
    @discardableResult
    package mutating func join(_ topic: Topic, _ info: ClientInfo) -> Bool {
        let number = number(of: topic)
        let stay = Int32(stays[info.client]?.numbers.count ?? 0)
        guard rooms[Int(number)]!.join(info, stay: stay) else { return false }
        stays[info.client, default: Stays()].numbers.append(number)
        stays[info.client]!.count += 1
        count += 1
        return true
    }

    /// Removes the client from the topic and returns its data; nil if it was not in the topic.
    ///
    /// - Complexity: as `join`, on average.
    @discardableResult
    package mutating func leave(_ topic: Topic, client: String) -> ClientInfo? {
        guard let number = numbers[topic], let (info, stay) = leave(number, client) else {
            return nil
        }
        // The name is in use as a key until its last topic is left.
        stays[client]!.numbers[Int(stay)] = Stays.left
        stays[client]!.count -= 1
        tidyStays(of: client)
        return info
    }

    /// Removes the topics that a client has left from its list when they outnumber the others.
    private mutating func tidyStays(of client: String) {
        let (length, count) = (stays[client]!.numbers.count, stays[client]!.count)
        guard count > 0 else { return stays[client] = nil }
        guard length > 2 * count + Stays.leftKept else { return }
        let numbers = stays[client]!.numbers.filter { $0 != Stays.left }
        stays[client]!.numbers = numbers
        for (stay, number) in numbers.enumerated() {
            rooms[Int(number)]!.places[client]!.stay = Int32(stay)
        }
    }

    /// Removes the client from all its topics, and returns them with its data there, in the order
    /// of the joins.
    ///
    /// - Complexity: O(topics of the client).
    @discardableResult
    package mutating func removeClient(_ client: String) -> [(topic: Topic, info: ClientInfo)] {
        guard let left = stays.removeValue(forKey: client) else { return [] }
        return left.numbers.filter { $0 != Stays.left }.map { number in
            let topic = rooms[Int(number)]!.topic
            return (topic, leave(number, client)!.info)
        }
    }

    /// In no order.
    ///
    /// - Complexity: O(1).
    package func clients(in topic: Topic) -> [ClientInfo] {
        numbers[topic].map { rooms[Int($0)]!.clients } ?? []
    }

    /// - Complexity: O(1).
    package func stats(of topic: Topic) -> (clients: Int, users: Int) {
        guard let number = numbers[topic] else { return (0, 0) }
        let room = rooms[Int(number)]!
        return (room.clients.count, room.users.count)
    }

    private mutating func leave(
        _ number: Int32,
        _ client: String
    ) -> (info: ClientInfo, stay: Int32)? {
        guard let left = rooms[Int(number)]!.leave(client) else { return nil }
        count -= 1
        if rooms[Int(number)]!.clients.isEmpty {
            numbers[rooms[Int(number)]!.topic] = nil
            rooms[Int(number)] = nil
            freeNumbers.append(number)
        }
        return left
    }

    private mutating func number(of topic: Topic) -> Int32 {
        if let number = numbers[topic] { return number }
        let number: Int32
        if let free = freeNumbers.popLast() {
            number = free
            rooms[Int(free)] = Room(topic: topic)
        } else {
            number = Int32(rooms.count)
            rooms.append(Room(topic: topic))
        }
        numbers[topic] = number
        return number
    }
}

extension PresenceTable.Room {
    /// False when the client is here already; its information is replaced then.
    ///
    /// - Parameter stay: the place of the topic in the client's list, for one that is not here yet.
    mutating func join(_ info: ClientInfo, stay: Int32) -> Bool {
        if let place = places[info.client] {
            removeUser(clients[Int(place.seat)].user)
            clients[Int(place.seat)] = info
            users[ExactText(info.user), default: 0] += 1
            return false
        }
        places[info.client] = PresenceTable.Place(seat: Int32(clients.count), stay: stay)
        clients.append(info)
        users[ExactText(info.user), default: 0] += 1
        return true
    }

    mutating func leave(_ client: String) -> (info: ClientInfo, stay: Int32)? {
        guard let place = places.removeValue(forKey: client) else { return nil }
        let seat = Int(place.seat)
        let info = clients[seat]
        let last = clients.removeLast()
        if seat < clients.count {
            clients[seat] = last
            places[last.client]!.seat = place.seat
        }
        removeUser(info.user)
        return (info, place.stay)
    }

    private mutating func removeUser(_ user: String) {
        let user = ExactText(user)
        let count = users[user]!
        users[user] = count > 1 ? count - 1 : nil
    }
}
