import ClientWire
import LoopTesting

@testable import API

/// A hub that has what protocol/vectors/README.md says, and remembers what it was asked for.
actor RecordingHub: HubControl {
    enum Call: Equatable {
        /// What came in one commit.
        case publish([NewPublication])
        case subscribe(ServerAPIRequest.Subscribe)
        case unsubscribe(ServerAPIRequest.Connections, Topic)
        case disconnect(ServerAPIRequest.Disconnect)
        case refresh(ServerAPIRequest.Refresh)
        case revoke(ServerAPIRequest.Revoking)
        case presence(Topic)
        case presenceStats(Topic)
        case history(ServerAPIRequest.History)
        case removeHistory(Topic)
        case erase(Erasure)
        case channels(TopicGlob)
        case connections(ServerAPIRequest.ConnectionList)
        case nodes
        case statuses([String])
    }

    static let epoch = "e1"

    private(set) var calls: [Call] = []
    private var offsets: [Topic: UInt64] = [:]

    /// Topics of the namespace `leaders` are known only to the leader of a cluster.
    func firstUndecided(of topics: [Topic]) async -> Topic? {
        topics.first { $0.namespace == "leaders" }
    }

    func publish(
        _ publications: [NewPublication]
    ) async -> [Result<Position, ServerAPIError>] {
        calls.append(.publish(publications))
        return publications.map { publication in
            guard publication.topic.namespace != "nowhere" else {
                return .failure(ServerAPIError(.unknownChannel))
            }
            offsets[publication.topic, default: 0] += 1
            return .success(position(offset: offsets[publication.topic]!))
        }
    }

    func subscribe(_ request: ServerAPIRequest.Subscribe) async throws(ServerAPIError) {
        calls.append(.subscribe(request))
    }

    func unsubscribe(
        _ connections: ServerAPIRequest.Connections,
        from topic: Topic
    ) async throws(ServerAPIError) {
        calls.append(.unsubscribe(connections, topic))
    }

    func disconnect(_ request: ServerAPIRequest.Disconnect) async throws(ServerAPIError) {
        calls.append(.disconnect(request))
    }

    func refresh(_ request: ServerAPIRequest.Refresh) async throws(ServerAPIError) {
        calls.append(.refresh(request))
    }

    func revoke(_ request: ServerAPIRequest.Revoking) async throws(ServerAPIError) {
        calls.append(.revoke(request))
    }

    func presence(in topic: Topic) async throws(ServerAPIError) -> [ClientInfo] {
        calls.append(.presence(topic))
        guard topic.namespace != "quiet" else { throw ServerAPIError(.notAvailable) }
        return [
            RecordingHub.ada,
            ClientInfo(user: "", client: "c2", topicInfo: Array("[1]".utf8)),
        ]
    }

    func presenceStats(
        of topic: Topic
    ) async throws(ServerAPIError) -> ServerAPIResult.PresenceStats {
        calls.append(.presenceStats(topic))
        return ServerAPIResult.PresenceStats(clientCount: 2, userCount: 2)
    }

    func history(
        _ request: ServerAPIRequest.History
    ) async throws(ServerAPIError) -> ServerAPIResult.History {
        calls.append(.history(request))
        guard request.since?.epoch ?? RecordingHub.epoch == RecordingHub.epoch else {
            throw ServerAPIError(.unrecoverablePosition)
        }
        var page = request.limit == .none ? [] : kept(in: request.topic)
        if request.isReversed { page.reverse() }
        return ServerAPIResult.History(publications: page, position: position(offset: 2))
    }

    func removeHistory(of topic: Topic) async throws(ServerAPIError) {
        calls.append(.removeHistory(topic))
    }

    func erase(_ erasure: Erasure) async throws(ServerAPIError) {
        calls.append(.erase(erasure))
    }

    func channels(
        matching pattern: TopicGlob
    ) async throws(ServerAPIError) -> [ServerAPIResult.Channel] {
        calls.append(.channels(pattern))
        return [("chat:1", 2), ("news:1", 1)].map {
            ServerAPIResult.Channel(topic: Topic(trusted: $0), subscriberCount: $1)
        }.filter { pattern.matches($0.topic) }
    }

    func connections(
        _ request: ServerAPIRequest.ConnectionList
    ) async throws(ServerAPIError) -> ServerAPIResult.ConnectionList {
        calls.append(.connections(request))
        guard request.topic?.namespace != "nowhere" else { throw ServerAPIError(.unknownChannel) }
        let start = Timestamp(milliseconds: 1_800_000_000_999)
        let client = ServerAPIResult.Connection(
            id: "c1",
            user: "u1",
            address: "192.0.2.1",
            transport: .webSocket,
            wireProtocol: "json",
            connectedAt: start,
            topicCount: 2,
            queuedBytes: 4096,
            sentBytes: 70_000,
            roundTrip: .milliseconds(125),
            isSlow: true,
            droppedCount: 3
        )
        let stream = ServerAPIResult.Connection(
            id: "c2",
            user: "",
            key: "dashboard",
            address: "unix",
            transport: .eventStream,
            wireProtocol: "eventstream",
            connectedAt: start,
            topicCount: 1,
            queuedBytes: 0,
            sentBytes: nil,
            roundTrip: nil,
            isSlow: false,
            droppedCount: nil
        )
        let connections = [client, stream].filter { request.user.map([$0.user].contains) ?? true }
        return ServerAPIResult.ConnectionList(
            connections: Array(connections.prefix(request.limit)),
            total: connections.count
        )
    }

    func explanation(client: String, topic: Topic, offset: UInt64) async -> [UInt8] {
        Array(#"{"client":"\#(client)","topic":"\#(topic)","offset":\#(offset)}"#.utf8)
    }

    func statuses(
        of users: [String]
    ) async throws(ServerAPIError) -> [ServerAPIResult.UserStatus] {
        calls.append(.statuses(users))
        return users.map {
            $0 == "ann"
                ? .init(user: $0, isOnline: true, lastSeen: Timestamp(seconds: 1_800_000_000.9))
                : .init(user: $0, isOnline: false, lastSeen: nil)
        }
    }

    func nodes() async throws(ServerAPIError) -> [ServerAPIResult.Node] {
        calls.append(.nodes)
        return [
            ServerAPIResult.Node(
                id: "n1",
                name: "varde",
                version: "0.1.0",
                connectionCount: 3,
                userCount: 2,
                subscriptionCount: 5,
                topicCount: 4,
                uptime: .milliseconds(90_900)
            )
        ]
    }

    private static let ada = ClientInfo(
        user: "u1",
        client: "c1",
        connectionInfo: Array(#"{"name":"Ada"}"#.utf8)
    )

    private func position(offset: UInt64) -> Position {
        Position(offset: offset, epoch: RecordingHub.epoch)
    }

    private func kept(in topic: Topic) -> [Publication] {
        let time = Timestamp(milliseconds: 0)
        return [
            Publication(
                topic: topic,
                offset: 1,
                cursor: 1,
                time: time,
                payload: Array(#"{"n":1}"#.utf8),
                tags: ["b": "2", "a": "1"]
            ),
            Publication(
                topic: topic,
                offset: 2,
                cursor: 2,
                time: time,
                payload: Array(#""two""#.utf8),
                info: RecordingHub.ada
            ),
        ]
    }
}
