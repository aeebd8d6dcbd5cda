import ClientWire
import PubSub
import Tokens

extension ServerAPIRequest {
    /// Returns the use that a key must allow for the request; nil for a batch, whose commands each
    /// have their own.
    func use(as method: ServerAPIMethod) -> APIKeyGrant.Use? {
        let (changes, topics): (Bool, [Topic]?) =
            switch self {
            case .publish(let publication): (true, [publication.topic])
            case .broadcast(let broadcast):
                (true, broadcast.publications.compactMap { try? $0.get().topic })
            case .subscribe(let request): (true, [request.topic])
            case .unsubscribe(_, let topic): (true, [topic])
            case .historyRemove(let topic): (true, [topic])
            case .historyErase(let erasure): (true, [erasure.topic])
            case .presence(let topic), .presenceStats(let topic): (false, [topic])
            case .history(let request): (false, [request.topic])
            // The answer contains only channels that the key opens.
            case .channels: (false, [])
            case .connections(let list): (false, list.topic.map { [$0] })
            case .disconnect, .refresh, .revoke: (true, nil)
            case .info: (false, nil)
            case .batch: (false, [])
            }
        if case .batch = self { return nil }
        return APIKeyGrant.Use(
            method.scope,
            changesSomething: changes,
            namespaces: topics.map { Set($0.map { String($0.namespace) }) }
        )
    }

    /// Whether the request publishes. Such uses are logged at a lower level, as there are too many.
    var isPublication: Bool {
        switch self {
        case .publish, .broadcast: true
        default: false
        }
    }
}
