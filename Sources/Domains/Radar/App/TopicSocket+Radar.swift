import PubSub
import Radar
import Shards

extension TopicSocket {
    /// `GET /api/ws/radar/{id}`: the updates of one radar, in the form of the app that shows it. Whoever may read the
    /// radar's own topic may have its socket.
    package static let radar = TopicSocket(
        prefix: "/api/ws/radar/",
        parameter: "id",
        name: "radar",
        notFound: "no such radar"
    ) { id in
        Topic.isRadarID(id) ? (readable: .radar(id), sent: .radarUpdates(id)) : nil
    }
}
