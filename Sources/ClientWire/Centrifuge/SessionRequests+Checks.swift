// Turns decoded commands into requests that the caller can rely on, in the same way for both
// encodings.

/// Bit of a subscription's `flag`: no subscription rather than one with a gap.
private let rejectUnrecovered: UInt64 = 2
/// The only kind of delta that the protocol supports.
private let fossil = "fossil"

extension SessionAction {
    /// The request of a command that can be checked by itself.
    ///
    /// Traps on the commands that the session handles itself.
    init(_ command: CentrifugeCommand) throws(ProtocolError) {
        let id = command.id
        switch command.method {
        case .unsubscribe(let channel):
            self = .unsubscribe(commandID: id, topic: try checkedTopic(channel))
        case .publish(let fields):
            guard let data = fields.data else { throw .badRequest }
            let topic = try checkedTopic(fields.channel)
            self = .publish(PublishRequest(commandID: id, topic: topic, data: data))
        case .presence(let channel):
            self = .presence(commandID: id, topic: try checkedTopic(channel))
        case .presenceStats(let channel):
            self = .presenceStats(commandID: id, topic: try checkedTopic(channel))
        case .history(let fields):
            self = .history(
                HistoryRequest(
                    commandID: id,
                    topic: try checkedTopic(fields.channel),
                    limit: fields.limit,
                    since: fields.since,
                    reverse: fields.reverse
                )
            )
        case .rpc(let method, let data):
            self = .rpc(RPCRequest(commandID: id, method: method, data: data))
        case .refresh(let token):
            guard !token.isEmpty else { throw .badRequest }
            self = .refresh(commandID: id, token: token)
        case .subRefresh(let channel, let token):
            guard !token.isEmpty else { throw .badRequest }
            self = .subRefresh(commandID: id, topic: try checkedTopic(channel), token: token)
        case .dataNotJSON: throw .badRequest
        case .notOffered: throw .notAvailable
        case .unknown: throw .methodNotFound
        case .none, .connect, .subscribe, .send:
            preconditionFailure("a command that the session handles itself")
        }
    }
}

extension ConnectRequest {
    init(_ fields: CentrifugeCommand.ConnectFields) throws(ProtocolError) {
        self.init(
            token: fields.token,
            name: fields.name,
            version: fields.version,
            data: fields.data
        )
        for (channel, fields) in fields.subscriptions {
            subscriptions[try checkedTopic(channel)] = FormerSubscription(
                since: position(fields),
                mustRecover: fields.flags & rejectUnrecovered != 0
            )
        }
    }
}

extension SubscribeRequest {
    init(
        _ commandID: UInt32,
        _ fields: CentrifugeCommand.SubscribeFields
    ) throws(ProtocolError) {
        self.init(
            commandID: commandID,
            topic: try checkedTopic(fields.channel),
            since: position(fields),
            mustRecover: fields.flags & rejectUnrecovered != 0,
            token: fields.token,
            data: fields.data,
            filter: try checkedFilter(fields),
            wantsDelta: fields.delta == fossil,
            wantsJoinLeave: fields.joinLeave
        )
        // The difference from a publication that the filter has left out is useless.
        guard filter == nil || !wantsDelta else { throw .badRequest }
    }
}

private func checkedTopic(_ channel: String) throws(ProtocolError) -> Topic {
    guard let topic = try? Topic(channel) else { throw .badRequest }
    return topic
}

private func checkedFilter(
    _ fields: CentrifugeCommand.SubscribeFields
) throws(ProtocolError) -> TagFilter? {
    guard let node = fields.filter else { return nil }
    guard let filter = try? TagFilter(node) else { throw .badRequest }
    return filter
}

private func position(_ fields: CentrifugeCommand.SubscribeFields) -> Position? {
    fields.recover ? Position(offset: fields.offset, epoch: fields.epoch) : nil
}
