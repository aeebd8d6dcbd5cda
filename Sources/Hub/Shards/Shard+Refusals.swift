import Access
import ClientWire
import LogOutput
import PubSub
import Tokens

/// Refused topics: the log names the configuration key to set, and in development mode the client
/// receives the same sentence.
extension Shard {
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
        return settings.explainsRefusals ? error.explained(advice) : error
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
        guard let advice else { return nil }
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
}
