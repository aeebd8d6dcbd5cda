import Access
import ClientWire
import LogOutput
import PubSub
import Tokens

/// Refused topics: the log names the key of the configuration to set, and in development mode the client gets
/// the same sentence.
extension Shard {
    /// The error for a decision that is not `allowed`; nil for one that is.
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

    /// Logs what to set, and returns it; nil for a decision that allows.
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
