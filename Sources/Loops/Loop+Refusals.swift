import ClientWire
import Service

/// Refused topics: the log names the configuration key to set, and in development mode the client
/// receives the same sentence.
extension Loop {
    /// Returns the error for a decision; nil if it is `allowed`.
    package func refusal(
        _ decision: AccessDecision,
        _ action: RefusalAdvice.Action,
        on topic: Topic,
        _ session: ClientSession
    ) -> ProtocolError? {
        guard
            let advice = advise(
                decision,
                action,
                on: topic,
                user: session.identity.user,
                remote: session.address
            )
        else { return nil }
        let error: ProtocolError =
            switch decision {
            case .unknown: .unknownChannel
            case .undecided: .internalError
            case .allowed, .denied, .needsToken: .permissionDenied
            }
        return settings.isDevelopment ? error.explained(advice) : error
    }

    /// Returns the error for a topic that does not exist, as far as the rules can decide.
    package func refusalOfMissing(
        _ topic: Topic,
        _ action: RefusalAdvice.Action,
        _ session: ClientSession
    ) -> ProtocolError {
        let canDecide = rules.canDecide(about: topic, session.identity)
        return refusal(canDecide ? .unknown : .undecided, action, on: topic, session)
            ?? .unknownChannel
    }

    /// Logs which key to set, and returns the sentence; nil if the decision is `allowed`.
    @discardableResult
    package func advise(
        _ decision: AccessDecision,
        _ action: RefusalAdvice.Action,
        on topic: Topic,
        user: String,
        remote: String
    ) -> String? {
        let advice = RefusalAdvice.sentence(
            decision,
            action,
            on: topic,
            isConfigured: rules.features(ofNamespace: topic) != nil
        )
        guard let advice else {
            if action == .subscribe { notePattern(topic, remote: remote) }
            return nil
        }
        logger.notice(
            "topic refused",
            metadata: [
                "topic": "\(topic)", "action": "\(action.rawValue)", "user": "\(user)",
                "remote": "\(remote)", "advice": "\(advice)",
            ],
            source: LogSource.peer
        )
        return advice
    }

    /// Logs in development mode that a subscribed topic is not the pattern it looks like.
    private func notePattern(_ topic: Topic, remote: String) {
        guard settings.isDevelopment, topic.name.utf8.contains(UInt8(ascii: "*")) else { return }
        logger.notice(
            "topic is not a pattern",
            metadata: [
                "topic": "\(topic)", "remote": "\(remote)",
                "advice":
                    "* is an ordinary character in a topic: subscribe to each topic by its name",
            ],
            source: LogSource.peer
        )
    }
}
