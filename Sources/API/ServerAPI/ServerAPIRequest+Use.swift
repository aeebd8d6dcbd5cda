import ClientWire

extension ServerAPIRequest {
    /// Returns the use that a key must allow for the request; nil for a batch, whose commands each
    /// have their own.
    func use(as method: ServerAPIMethod) -> APIKeyGrant.Use? {
        let (changes, topics): (Bool, [Topic]?) =
            switch self {
            case .publish, .broadcast, .subscribe, .historyRemove, .historyErase:
                (true, topicsNeeded)
            case .unsubscribe(_, let topic): (true, [topic])
            case .presence, .presenceStats, .history: (false, topicsNeeded)
            // The answer contains only channels that the key opens.
            case .channels: (false, [])
            case .connections(let list): (false, list.topic.map { [$0] })
            case .disconnect, .refresh, .revoke: (true, nil)
            case .info, .userStatuses: (false, nil)
            case .batch: (false, [])
            }
        if case .batch = self { return nil }
        return APIKeyGrant.Use(
            method.scope,
            changesSomething: changes,
            namespaces: topics.map { Set($0.map { String($0.namespace) }) }
        )
    }

    /// The topics that have to exist for the request, or for a command of it.
    var topicsNeeded: [Topic] {
        switch self {
        case .publish(let publication): [publication.topic]
        case .broadcast(let broadcast): broadcast.publications.compactMap { try? $0.get().topic }
        case .subscribe(let request): [request.topic]
        case .historyRemove(let topic): [topic]
        case .historyErase(let erasure): [erasure.topic]
        case .presence(let topic), .presenceStats(let topic): [topic]
        case .history(let request): [request.topic]
        case .connections(let list): list.topic.map { [$0] } ?? []
        case .unsubscribe, .channels, .disconnect, .refresh, .revoke, .info, .userStatuses: []
        case .batch(let batch):
            batch.commands.flatMap { (try? $0.get().request.topicsNeeded) ?? [] }
        }
    }

    /// Whether the request publishes. Such uses are logged at a lower level, as there are too many.
    var isPublication: Bool {
        switch self {
        case .publish, .broadcast: true
        default: false
        }
    }
}
