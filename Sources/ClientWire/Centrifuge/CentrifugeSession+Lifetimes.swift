/// Replies that begin or end a subscription, or give it or the connection another time to live.
extension CentrifugeSession {
    /// The reply to a subscribe command.
    package mutating func answerSubscribe(
        _ request: SubscribeRequest,
        _ answer: Result<SubscribeAcceptance, ProtocolError>,
        now: Int64
    ) -> [UInt8] {
        switch answer {
        case .success(let acceptance):
            expiries.setSubscription(
                request.topic,
                end(of: acceptance.timeToLiveSeconds, now: now)
            )
            return CentrifugeReply.subscribe(
                request.commandID,
                acceptance,
                wasRecovering: request.recovers,
                encoding
            )
        case .failure(let error):
            // A second subscribe command to the same topic leaves the first one's subscription.
            forgetSubscription(to: nil)
            return CentrifugeReply.error(request.commandID, error, encoding)
        }
    }

    /// The reply to an unsubscribe command. Ending a subscription that never began is not an error.
    package mutating func answerUnsubscribe(
        commandID: UInt32,
        topic: Topic,
        wasSubscribed: Bool
    ) -> [UInt8] {
        if wasSubscribed { forgetSubscription(to: topic) }
        return CentrifugeReply.unsubscribe(commandID, encoding)
    }

    /// The reply to a refresh command.
    package mutating func answerRefresh(
        commandID: UInt32,
        _ answer: Result<RefreshAcceptance, ProtocolError>,
        now: Int64
    ) -> [UInt8] {
        if case .success(let acceptance) = answer {
            expiries.setConnection(end(of: acceptance.timeToLiveSeconds, now: now))
        }
        return reply(commandID, answer) { CentrifugeReply.refresh(commandID, $0, encoding) }
    }

    /// The reply to a sub_refresh command: the time to live of the subscription from now; nil if it
    /// has no limit.
    ///
    /// Refuse the command if there is no such subscription: the session does not track them.
    package mutating func answerSubRefresh(
        commandID: UInt32,
        topic: Topic,
        _ answer: Result<UInt32?, ProtocolError>,
        now: Int64
    ) -> [UInt8] {
        if case .success(let timeToLiveSeconds) = answer {
            expiries.setSubscription(topic, end(of: timeToLiveSeconds, now: now))
        }
        return reply(commandID, answer) {
            CentrifugeReply.subRefresh(commandID, timeToLiveSeconds: $0, encoding)
        }
    }
}
