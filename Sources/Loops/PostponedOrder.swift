import DequeModule
import Reactor

/// The order in which a loop continues with postponed clients: those that can continue, the longest
/// waiting first. Those that cannot continue wait apart from them.
///
/// **Function.** A client that is next and cannot continue moves to the line of its obstacle, where it
/// costs nothing until the obstacle is gone. So a turn does not look at clients that cannot continue,
/// however many there are.
///
/// **Inputs.** `add` when a client can continue, `next` in each turn, `roomCame` when a client has read
/// from its queue, `remove` when its connection has ended.
///
/// **Not done here:** the input that waits.
package struct PostponedOrder {
    /// The reason why a client cannot continue.
    package enum Obstacle {
        /// It does not wait any longer.
        case gone
        /// Its queue is long.
        case room
        /// The calls of all clients have cost too much.
        case calls
        /// The input of all clients has inflated to too much.
        case inflating
    }

    /// Whether there is time for costly work of a kind.
    package struct Allowance {
        package var calls: Bool
        package var inflating: Bool

        package init(calls: Bool = true, inflating: Bool = true) {
            self.calls = calls
            self.inflating = inflating
        }
    }

    private enum Line: Int, CaseIterable {
        case ready
        case calling
        case inflating
    }

    private struct Place {
        let id: ConnectionID
        /// Those that came first have the smallest.
        let ticket: UInt64
    }

    private var lastTicket: UInt64 = 0
    /// By their `Line`.
    private var lines = [Deque<Place>](repeating: [], count: Line.allCases.count)
    /// Clients with long queues. The kernel reports when they have read from them.
    private var crowded: Set<ConnectionID> = []

    package init() {}

    /// Whether a client may be waiting for the calls of all clients.
    package var hasCalling: Bool { !lines[Line.calling.rawValue].isEmpty }

    /// Whether a client may be waiting to inflate its input.
    package var hasInflating: Bool { !lines[Line.inflating.rawValue].isEmpty }

    /// Adds a client that can continue, behind the others.
    package mutating func add(_ id: ConnectionID) {
        lastTicket += 1
        lines[Line.ready.rawValue].append(Place(id: id, ticket: lastTicket))
    }

    /// Reports that the queue of a client has room again.
    package mutating func roomCame(_ id: ConnectionID) {
        if crowded.remove(id) != nil { add(id) }
    }

    /// Removes a client whose connection has ended.
    package mutating func remove(_ id: ConnectionID) { crowded.remove(id) }

    /// Returns the client that is next; nil if no client can continue. It stays until `takeNext`.
    ///
    /// - Parameter obstacle: the obstacle of a client; nil if it can continue.
    /// - Complexity: O(1) and O(clients that have an obstacle and had none before).
    package mutating func next(
        _ allowance: Allowance,
        _ obstacle: (ConnectionID) -> Obstacle?
    ) -> ConnectionID? {
        while let line = firstLine(allowance) {
            let place = lines[line].first!
            guard let obstacle = obstacle(place.id) else { return place.id }
            lines[line].removeFirst()
            switch obstacle {
            case .gone: break
            case .room: crowded.insert(place.id)
            case .calls:
                assert(!allowance.calls)
                lines[Line.calling.rawValue].append(place)
            case .inflating:
                assert(!allowance.inflating)
                lines[Line.inflating.rawValue].append(place)
            }
        }
        return nil
    }

    /// Removes the client that `next` has just returned with the same allowance.
    package mutating func takeNext(_ allowance: Allowance) {
        guard let line = firstLine(allowance) else { preconditionFailure("no client is next") }
        lines[line].removeFirst()
    }

    /// The line whose first client has waited longest, of those that may continue.
    private func firstLine(_ allowance: Allowance) -> Int? {
        var found: (line: Int, ticket: UInt64)?
        for line in Line.allCases where allows(line, allowance) {
            guard let place = lines[line.rawValue].first else { continue }
            if let found, found.ticket < place.ticket { continue }
            found = (line.rawValue, place.ticket)
        }
        return found?.line
    }

    private func allows(_ line: Line, _ allowance: Allowance) -> Bool {
        switch line {
        case .ready: true
        case .calling: allowance.calls
        case .inflating: allowance.inflating
        }
    }
}
