/// Why an answer with status 200 has no usable value.
///
/// Metrics, log entries and stored counts have the raw values.
package enum NoAnswer: String, CaseIterable, Error, Sendable {
    /// The model refused to answer.
    case refusal
    /// The answer ends before its end.
    case truncated
    /// The provider withheld the answer.
    case filtered
    /// The model did not call the tool, or declined with it.
    case unanswered = "noStance"
    /// The answer does not have the requested form: it is no JSON, or a value is out of its range.
    case garbage

    /// Whether the source has answered as it was asked to, with a refusal for instance.
    package var isAnswer: Bool {
        switch self {
        case .refusal, .filtered, .unanswered: true
        case .truncated, .garbage: false
        }
    }
}

/// Why a request was not answered.
package enum ProviderFailure: Error, Sendable, Equatable {
    /// A retry may help: not before `after`, if the provider specified it.
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

/// Why a question has no answer, in words that its user may read.
///
/// The API and the store have the raw values.
package enum SourceFailure: String, CaseIterable, Sendable {
    /// No connection, or no complete answer in time.
    case unreachable
    /// The provider reported a fault of its own, or too many requests.
    case failing
    /// The provider refused this request.
    case rejected
    /// The provider refuses all requests until an operator acts.
    case switchedOff
    /// No request is sent for now: the budget of the day is used up, or the provider pauses after
    /// failures.
    case later
    /// The user's share of the day's budget is used up.
    case overShare
    /// The answer ends too early, or does not have the requested form.
    case unusable

    package init(_ failure: ProviderFailure) {
        self =
            switch failure {
            case .retryable: .failing
            case .permanent: .rejected
            case .disabled: .switchedOff
            }
    }
}

/// The content of a response. The usage is nil if the provider reported none.
package enum ProviderAnswer<Value: Sendable & Equatable>: Sendable, Equatable {
    case value(Value, usage: TokenUsage?)
    case none(NoAnswer, usage: TokenUsage?)
    case failure(ProviderFailure)
}
