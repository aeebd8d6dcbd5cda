/// Why an answer with status 200 holds no opinion. Counted, and never taken for a stance.
package enum NoOpinion: String, CaseIterable, Sendable {
    /// The model would not say.
    case refusal
    /// The answer ends before its end.
    case truncated
    /// The provider would not let the model say.
    case filtered
    /// There is no stance to be had on the topic, or the model answered something else.
    case noStance
    /// Not what was asked for in form: no JSON, a value out of its range.
    case garbage
}

/// Why a request was not answered.
package enum ProviderFailure: Error, Sendable, Equatable {
    /// Asking again may help: not before `after`, if the provider said so.
    case retryable(reason: String, after: Duration?, isOverload: Bool)
    /// This request would fail again.
    case permanent(reason: String)
    /// Every request to this source would fail until an operator acts.
    case disabled(reason: String)

    package var reason: String {
        switch self {
        case .retryable(let reason, _, _), .permanent(let reason), .disabled(let reason): reason
        }
    }
}

/// What a response says. A usage of nil is one that the provider did not tell.
package enum ProviderAnswer<Value: Sendable & Equatable>: Sendable, Equatable {
    case value(Value, usage: TokenUsage?)
    case none(NoOpinion, usage: TokenUsage?)
    case failure(ProviderFailure)
}
