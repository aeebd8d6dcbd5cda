import Logging
import Store

/// Every change of a toy is one transaction with the event that tells of it.
struct ToysService: Sendable {
    let store: HubStore
    let clock: HubClock
    let logger: Logger

    func add(_ name: String, owner: String) async throws -> Toy {
        try await store.commit(ToysTables.self) { tables in
            let toy = try tables.insert(name, owner: owner)
            return (Change(events: [event("toys.added", toy)]), toy)
        }
    }

    func toys(of owner: String) async throws -> [Toy] {
        try await store.read(ToysTables.self) { try $0.toys(of: owner) }
    }

    func forget(_ owner: String) async throws {
        try await store.commit(ToysTables.self) { tables in
            try tables.deleteToys(of: owner)
            return (Change(), ())
        }
    }

    func count() async throws -> Int {
        try await store.read(ToysTables.self) { try $0.count() }
    }

    /// - Parameter row: what is kept of the feed, in the same transaction.
    func set(_ prices: [(name: String, price: Int)], _ row: FeedRow) async throws {
        try await store.commit(ToysTables.self) { tables in
            let changed = try prices.flatMap { try tables.setPrice($0.price, of: $0.name) }
            let events = changed.map { event("toys.priced", $0) }
            return (Change(events: events, feeds: [row]), ())
        }
    }

    private func event(_ type: String, _ toy: Toy) -> TopicEvent {
        let id = uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
        let event = Event(
            id: id,
            type: type,
            source: "/toys",
            subject: toy.owner,
            time: clock.now,
            data: toy.json
        )
        return TopicEvent(topic: .toys(of: toy.owner), event: event)
    }
}

extension Toy {
    var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            $0.field("name", name)
            if let price { $0.field("price", price) }
        }
    }
}
