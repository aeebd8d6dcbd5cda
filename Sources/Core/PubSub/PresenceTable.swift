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
/// bytes in the topic's list, and about 30 in each of the tables of the topic's places and users; the
/// texts are those of the `ClientInfo`.
package struct PresenceTable: Sendable {
    /// The clients of one topic.
    fileprivate struct Room: Sendable {
        let topic: Topic
        /// In no order.
        var clients: [ClientInfo] = []
        /// By the name of a client: where it is in `clients`.
        var places: [String: Int32] = [:]
        /// By the user: how many clients it has here, at least 1.
        var users: [ExactText: Int32] = [:]
    }

    private var numbers: [Topic: Int32] = [:]
    /// By the topic's number; nil where the number is free.
    private var rooms: [Room?] = []
    private var freeNumbers: [Int32] = []
    /// By the name of a client: the numbers of its topics.
    private var topics: [String: [Int32]] = [:]
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
        guard rooms[Int(number)]!.join(info) else { return false }
        topics[info.client, default: []].append(number)
        count += 1
        return true
    }

    /// Removes the client from the topic and returns its data; nil if it was not in the topic.
    ///
    /// - Complexity: as `join`, and O(topics of the client) over a list of small numbers.
    @discardableResult
    package mutating func leave(_ topic: Topic, client: String) -> ClientInfo? {
        guard let number = numbers[topic], let info = leave(number, client) else { return nil }
        // The name is in use as a key until its last topic is left.
        let place = topics[client]!.firstIndex(of: number)!
        topics[client]!.remove(at: place)
        if topics[client]!.isEmpty { topics[client] = nil }
        return info
    }

    /// Removes the client from all its topics, and returns them with its data there, in the order
    /// of the joins.
    ///
    /// - Complexity: O(topics of the client).
    @discardableResult
    package mutating func removeClient(_ client: String) -> [(topic: Topic, info: ClientInfo)] {
        guard let left = topics.removeValue(forKey: client) else { return [] }
        return left.map { number in
            let topic = rooms[Int(number)]!.topic
            return (topic, leave(number, client)!)
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

    private mutating func leave(_ number: Int32, _ client: String) -> ClientInfo? {
        guard let info = rooms[Int(number)]!.leave(client) else { return nil }
        count -= 1
        if rooms[Int(number)]!.clients.isEmpty {
            numbers[rooms[Int(number)]!.topic] = nil
            rooms[Int(number)] = nil
            freeNumbers.append(number)
        }
        return info
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
    mutating func join(_ info: ClientInfo) -> Bool {
        if let place = places[info.client] {
            removeUser(clients[Int(place)].user)
            clients[Int(place)] = info
            users[ExactText(info.user), default: 0] += 1
            return false
        }
        places[info.client] = Int32(clients.count)
        clients.append(info)
        users[ExactText(info.user), default: 0] += 1
        return true
    }

    mutating func leave(_ client: String) -> ClientInfo? {
        guard let place = places.removeValue(forKey: client) else { return nil }
        let info = clients[Int(place)]
        let last = clients.removeLast()
        if Int(place) < clients.count {
            clients[Int(place)] = last
            places[last.client] = place
        }
        removeUser(info.user)
        return info
    }

    private mutating func removeUser(_ user: String) {
        let user = ExactText(user)
        let count = users[user]!
        users[user] = count > 1 ? count - 1 : nil
    }
}
