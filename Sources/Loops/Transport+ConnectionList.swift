import ClientWire
import Reactor

/// Lists of connections, made in slices like lists of topics: a loop serves no client while it
/// examines them.
extension Transport {
    /// The number of connections that a loop ranks at once, and that it describes at once with a
    /// system call for each.
    private static let placesPerSlice = 4096
    private static let describedPerSlice = 512

    /// Returns the connections of this node that match; if there are more than `list.limit`, those
    /// that are furthest behind.
    package func connections(
        _ list: ServerAPIRequest.ConnectionList
    ) async -> ServerAPIResult.ConnectionList {
        var ranking = ConnectionRanking(limit: list.limit)
        for loop in loops {
            var next: Int? = 0
            while let first = next {
                let slice = await loop.perform {
                    $0.ranks(of: list, from: first, countMax: Transport.placesPerSlice)
                }
                ranking.add(slice.ranks)
                next = slice.next
            }
        }
        return ServerAPIResult.ConnectionList(
            connections: await described(ranking.first),
            total: ranking.total
        )
    }

    /// Describes connections in their order, without those that have ended meanwhile.
    private func described(_ ranks: [ConnectionRank]) async -> [ServerAPIResult.Connection] {
        var found: [(place: Int, connection: ServerAPIResult.Connection)] = []
        let byLoop = Dictionary(grouping: ranks.indices) { ranks[$0].loop }
        for (loop, places) in byLoop {
            for start in stride(from: 0, to: places.count, by: Transport.describedPerSlice) {
                let slice = places[start..<min(places.count, start + Transport.describedPerSlice)]
                let ids = slice.map { ranks[$0].id }
                let described = await loops[loop].perform { $0.described(ids) }
                for (place, connection) in zip(slice, described) {
                    if let connection { found.append((place, connection)) }
                }
            }
        }
        return found.sorted { $0.place < $1.place }.map(\.connection)
    }
}
