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
        let error: ProtocolError = decision == .unknown ? .unknownChannel : .permissionDenied
        return settings.explainsRefusals ? error.explained(advice) : error
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
