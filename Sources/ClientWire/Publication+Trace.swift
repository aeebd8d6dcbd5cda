extension Publication {
    /// The trace of the request that published it: a tag, so that every form and the store have it, and
    /// publications without a trace cost nothing more.
    ///
    /// docs/DECISIONS/031-trace-context.md.
    var trace: TraceParent? {
        // Clients cannot set tags. Most publications have none.
        guard !tags.isEmpty, info == nil else { return nil }
        return tags[TraceParent.name].flatMap { TraceParent($0) }
    }
}

extension NewPublication {
    /// With the trace of the request, unless its tags name one.
    func traced(by trace: TraceParent) -> NewPublication {
        guard tags[TraceParent.name] == nil else { return self }
        var traced = self
        traced.tags[TraceParent.name] = trace.description
        return traced
    }
}

extension ServerAPIRequest {
    /// The request with the trace of its header: everything that it publishes has it, unless its tags name
    /// another one.
    package func traced(by trace: TraceParent?) -> ServerAPIRequest {
        guard let trace else { return self }
        switch self {
        case .publish(let publication): return .publish(publication.traced(by: trace))
        case .broadcast(var broadcast):
            broadcast.publications = broadcast.publications.map { publication in
                publication.map { $0.traced(by: trace) }
            }
            return .broadcast(broadcast)
        case .batch(var batch):
            batch.commands = batch.commands.map { command in
                command.map { .init(method: $0.method, request: $0.request.traced(by: trace)) }
            }
            return .batch(batch)
        case .subscribe, .unsubscribe, .disconnect, .refresh, .presence, .presenceStats, .history,
            .historyRemove, .historyErase, .channels, .connections, .info, .userStatuses, .revoke:
            return self
        }
    }
}
