/// One opinion as a source gave it; it gets its id and its time from the radar that asked.
package struct StanceSample: Sendable, Equatable {
    /// What the source itself calls it; nil where it has no name of its own.
    package var externalID: String?
    package var author: String
    /// For an AI provider the dated name that it answered with.
    package var model: String
    package var content: String
    package var stance: Stance
    /// In 0...1.
    package var confidence: Double
    package var reasoning: String?

    package init(
        externalID: String? = nil,
        author: String,
        model: String,
        content: String,
        stance: Stance,
        confidence: Double,
        reasoning: String? = nil
    ) {
        self.externalID = externalID
        self.author = author
        self.model = model
        self.content = content
        self.stance = stance
        self.confidence = confidence
        self.reasoning = reasoning
    }
}

/// The opinions of one answer.
package struct StanceSamples: Sendable, Equatable {
    package var samples: [StanceSample]
    /// Items that are no opinions as the mapping describes them, or more than an answer may have.
    package var skippedCount: Int

    package init(_ samples: [StanceSample], skippedCount: Int = 0) {
        self.samples = samples
        self.skippedCount = skippedCount
    }
}

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
