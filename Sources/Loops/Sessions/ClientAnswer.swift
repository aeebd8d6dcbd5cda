import ClientWire

/// The answer to a client's command, from the hub's tables or the store. Connect commands use
/// `ClientMachine.answerConnect` instead, because other commands wait for them.
package enum ClientAnswer {
    case subscribe(SubscribeRequest, Result<SubscribeAcceptance, ProtocolError>)
    case unsubscribe(commandID: UInt32, Topic, wasSubscribed: Bool)
    case publish(commandID: UInt32, Result<Void, ProtocolError>)
    case presence(commandID: UInt32, Result<[ClientInfo], ProtocolError>)
    case presenceStats(commandID: UInt32, Result<PresenceCounts, ProtocolError>)
    case history(commandID: UInt32, Result<HistoryAnswer, ProtocolError>)
    case rpc(commandID: UInt32, Result<[UInt8]?, ProtocolError>)
    case refresh(commandID: UInt32, Result<RefreshAcceptance, ProtocolError>)
    /// With the time to live in seconds; nil for unlimited.
    case subRefresh(commandID: UInt32, Topic, Result<UInt32?, ProtocolError>)
}

extension ClientAnswer {
    /// Refuses a command; nil for an action that is not a command, or has no answer.
    package init?(refusing action: SessionAction, _ error: ProtocolError) {
        switch action {
        case .subscribe(let request): self = .subscribe(request, .failure(error))
        case .unsubscribe(let commandID, _), .presence(let commandID, _):
            // The error form is the same for all methods.
            self = .presence(commandID: commandID, .failure(error))
        case .presenceStats(let commandID, _):
            self = .presenceStats(commandID: commandID, .failure(error))
        case .publish(let request): self = .publish(commandID: request.commandID, .failure(error))
        case .history(let request): self = .history(commandID: request.commandID, .failure(error))
        case .rpc(let request): self = .rpc(commandID: request.commandID, .failure(error))
        case .refresh(let commandID, _): self = .refresh(commandID: commandID, .failure(error))
        case .subRefresh(let commandID, let topic, _):
            self = .subRefresh(commandID: commandID, topic, .failure(error))
        case .connect, .send, .connectionExpired, .subscriptionExpired, .reply,
            .tooManySubscriptions, .ping, .disconnect:
            return nil
        }
    }
}

extension CentrifugeSession {
    /// The message that answers a command.
    mutating func answer(_ answer: ClientAnswer, now: Int64) -> [UInt8] {
        switch answer {
        case .subscribe(let request, let result):
            answerSubscribe(request, result, now: now)
        case .unsubscribe(let commandID, let topic, let wasSubscribed):
            answerUnsubscribe(commandID: commandID, topic: topic, wasSubscribed: wasSubscribed)
        case .publish(let commandID, let result): answerPublish(commandID: commandID, result)
        case .presence(let commandID, let result): answerPresence(commandID: commandID, result)
        case .presenceStats(let commandID, let result):
            answerPresenceStats(commandID: commandID, result)
        case .history(let commandID, let result): answerHistory(commandID: commandID, result)
        case .rpc(let commandID, let result): answerRPC(commandID: commandID, result)
        case .refresh(let commandID, let result):
            answerRefresh(commandID: commandID, result, now: now)
        case .subRefresh(let commandID, let topic, let result):
            answerSubRefresh(commandID: commandID, topic: topic, result, now: now)
        }
    }
}

extension SessionAction {
    /// The rates of a connection.
    enum Rate {
        case none
        case publishes
        case commands
    }

    /// The rate for which it counts.
    var rate: Rate {
        switch self {
        case .publish: .publishes
        case .subscribe, .unsubscribe, .presence, .presenceStats, .history, .rpc, .send, .refresh,
            .subRefresh:
            .commands
        case .connect, .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions,
            .ping, .disconnect:
            .none
        }
    }

    /// The command's name in the protocol; nil for an action that is not a command.
    var method: String? {
        switch self {
        case .connect: "connect"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .publish: "publish"
        case .presence: "presence"
        case .presenceStats: "presence_stats"
        case .history: "history"
        case .rpc: "rpc"
        case .send: "send"
        case .refresh: "refresh"
        case .subRefresh: "sub_refresh"
        case .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            nil
        }
    }
}
