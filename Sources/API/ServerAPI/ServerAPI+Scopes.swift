import ClientWire
import Service

/// Checks the scopes of API keys, and logs the keys' use.
extension ServerAPI {
    /// Returns why a key does not open a request; nil if it does, which is logged.
    func refusal(
        of request: ServerAPIRequest,
        _ method: ServerAPIMethod,
        _ grant: APIKeyGrant
    ) -> ServerAPIError? {
        guard let use = request.use(as: method) else { return nil }
        if let refusal = refusal(of: use, grant) { return refusal }
        if use.changesSomething {
            logger?.log(
                level: request.isPublication ? .debug : .info,
                "API key used",
                metadata: ["key": "\(grant.name)", "method": "\(use.method)"]
            )
        }
        return nil
    }

    func refusal(of use: APIKeyGrant.Use, _ grant: APIKeyGrant) -> ServerAPIError? {
        guard let scope = grant.missingScope(for: use) else { return nil }
        keys.note(lacking: scope, grant, use.method, logger)
        return ServerAPIError(.permissionDenied, grant.refusal(lacking: scope))
    }

    /// Returns a list of channels without those that the key does not open.
    func visible(
        _ outcome: ServerAPIReply.Outcome,
        _ grant: APIKeyGrant
    ) -> ServerAPIReply.Outcome {
        guard case .success(.channels(let channels)) = outcome else { return outcome }
        return .success(.channels(channels.filter { grant.allows(namespace: $0.topic.namespace) }))
    }
}
