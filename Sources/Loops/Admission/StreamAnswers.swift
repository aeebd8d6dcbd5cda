import ClientWire
import Core
import Reactor
import Service

/// The answers of the application about the reader of a stream: who it is, and which topics it may read.
///
/// Unlike a client, a reader has one request for all topics, so several of their questions are open at once.
package struct StreamAnswers: Sendable {
    /// The id of the stream, which the questions contain.
    package let id: String
    /// Nil if the application was not asked who the reader is.
    package private(set) var connect: HookOutcome?
    package private(set) var topics: [Topic: HookOutcome] = [:]
    /// The capabilities of `connect`.
    private var capabilities: [ClientCapability] = []

    package init(id: String) { self.id = id }

    /// - Parameter topic: nil for the answer to `connect`.
    package mutating func take(_ outcome: HookOutcome, about topic: Topic?) {
        if let topic {
            topics[topic] = outcome
            return
        }
        connect = outcome
        guard case .success(.connect(let answer)) = outcome else { return }
        capabilities = answer.capabilities.map(ClientCapability.init)
    }

    /// The claims of a reader whom the application has let in.
    package var claims: ConnectionClaims? {
        guard case .success(.connect(let answer)) = connect else { return nil }
        return ConnectionClaims(answer)
    }

    /// Whether the application has allowed the subscription to a topic.
    package func allows(_ topic: Topic) -> Bool {
        if case .success(.subscribe) = topics[topic] { return true }
        return false
    }

    /// Whether the application has refused a topic, or not answered about it.
    package var isRefused: Bool { topics.values.contains { StreamRefusal($0) != nil } }

    /// Whether a capability covers the subscription to a topic.
    package func isCapable(ofReading topic: Topic) -> Bool {
        capabilities.contains { $0.rights.contains(.subscribe) && $0.covers(topic) }
    }

    /// The first time at which an answer ends; nil for never.
    package var expiresAt: Timestamp? {
        let ends = topics.values.map { outcome -> Timestamp? in
            guard case .success(.subscribe(let answer)) = outcome else { return nil }
            return answer.expiresAt
        }
        return (ends + [claims?.expiresAt]).compactMap(\.self).min()
    }
}

/// The refusal of a request by the application, or because the application has not answered.
package struct StreamRefusal {
    package let text: String
    /// Whether the same request may be accepted later.
    package let isTemporary: Bool

    /// Nil for an answer that allows the request.
    package init?(_ outcome: HookOutcome) {
        switch outcome {
        case .failure: self.init("the application does not answer at the moment", true)
        case .success(.error(let refusal)): self.init(refusal.message, refusal.isTemporary)
        // SDKs do not return after these codes: protocol/hooks.md, Answers.
        case .success(.disconnect(let code, let reason)):
            self.init(reason, !(3500..<4000 ~= code || 4500... ~= code))
        case .success: return nil
        }
    }

    private init(_ text: String, _ isTemporary: Bool) {
        self.text = text.isEmpty ? "refused" : text
        self.isTemporary = isTemporary
    }
}
