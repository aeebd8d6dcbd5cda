import ClientWire
import Core
import Reactor

/// The list of connections of the server API. It reads what the sessions have, and adds no work to
/// a delivery.
extension Loop {
    /// Ranks the matching connections at the places from `first` on.
    ///
    /// - Returns: the place to continue with; nil at the end of the table.
    /// - Complexity: O(`countMax`), and the subscriptions of the connections at these places.
    func ranks(
        of list: ServerAPIRequest.ConnectionList,
        from first: Int,
        countMax: Int
    ) -> (ranks: [ConnectionRank], next: Int?) {
        let end = min(sessions.count, first + countMax)
        guard first < end else { return ([], nil) }
        let ranks = (first..<end).compactMap { place -> ConnectionRank? in
            let session = sessions[place]
            guard let user = session.name?.user, let id = connections.id(at: UInt32(place)),
                list.user.map({ hasSameBytes($0, user) }) ?? true,
                list.topic.map({ hub.isSubscribed(Int32(place), to: $0) }) ?? true
            else { return nil }
            return ConnectionRank(
                loop: context.index,
                id: id,
                isSlow: session.isSlow(
                    id,
                    connections,
                    queueBytesMax: settings.connections.queueBytesMax
                ),
                queuedBytes: connections.queuedBytes(id),
                roundTrip: session.roundTrip ?? .zero
            )
        }
        return (ranks, end < sessions.count ? end : nil)
    }

    /// Describes connections, in their order; nil for one that has ended.
    func described(_ ids: [ConnectionID]) -> [ServerAPIResult.Connection?] {
        ids.map { id in
            session(of: id).described(
                id,
                connections,
                topicCount: hub.topics(of: Int32(id.index)).count,
                queueBytesMax: settings.connections.queueBytesMax,
                now: now
            )
        }
    }
}
