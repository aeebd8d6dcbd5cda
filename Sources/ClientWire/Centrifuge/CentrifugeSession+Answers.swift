/// Replies that do not change the session. They may come in any order, and also after the end of
/// the session, when they are not read.
extension CentrifugeSession {
    /// The reply to a publish command.
    package func answerPublish(
        commandID: UInt32,
        _ answer: Result<Void, ProtocolError>
    ) -> [UInt8] {
        reply(commandID, answer) { CentrifugeReply.publish(commandID, encoding) }
    }

    /// The reply to a presence command: who is in the topic, each client once.
    package func answerPresence(
        commandID: UInt32,
        _ answer: Result<[ClientInfo], ProtocolError>
    ) -> [UInt8] {
        reply(commandID, answer) { CentrifugeReply.presence(commandID, $0, encoding) }
    }

    /// The reply to a presence_stats command.
    package func answerPresenceStats(
        commandID: UInt32,
        _ answer: Result<PresenceCounts, ProtocolError>
    ) -> [UInt8] {
        reply(commandID, answer) { CentrifugeReply.presenceStats(commandID, $0, encoding) }
    }

    /// The reply to a history command.
    package func answerHistory(
        commandID: UInt32,
        _ answer: Result<HistoryAnswer, ProtocolError>
    ) -> [UInt8] {
        reply(commandID, answer) { CentrifugeReply.history(commandID, $0, encoding) }
    }

    /// The reply to an rpc command: one JSON value as text, or nothing.
    package func answerRPC(
        commandID: UInt32,
        _ answer: Result<[UInt8]?, ProtocolError>
    ) -> [UInt8] {
        reply(commandID, answer) { CentrifugeReply.rpc(commandID, $0, encoding) }
    }

    func reply<Value>(
        _ commandID: UInt32,
        _ answer: Result<Value, ProtocolError>,
        _ body: (Value) -> [UInt8]
    ) -> [UInt8] {
        switch answer {
        case .success(let value): body(value)
        case .failure(let error): CentrifugeReply.error(commandID, error, encoding)
        }
    }
}
