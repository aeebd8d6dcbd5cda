/// The meaning of a pasted text for an investor, in the words of a model or of the hub's own lists.
package struct WrittenInterpretation: Equatable, Sendable {
    package var verdict: SignalJudgement.Verdict
    /// One to three.
    package var why: [String]
    package var action: String
    package var horizon: Horizon?
    package var opportunity: Opportunity.Kind
    /// Empty without an opportunity.
    package var opportunityNote: String
    /// 0…100
    package var confidence: Int

    package init(
        verdict: SignalJudgement.Verdict,
        why: [String],
        action: String,
        horizon: Horizon?,
        opportunity: Opportunity.Kind,
        opportunityNote: String,
        confidence: Int
    ) {
        self.verdict = verdict
        self.why = why
        self.action = action
        self.horizon = horizon
        self.opportunity = opportunity
        self.opportunityNote = opportunityNote
        self.confidence = confidence
    }

    /// The interpretation by words, which needs no model.
    package init(_ lexical: TextInterpretation) {
        self.init(
            verdict: lexical.verdict,
            why: lexical.why,
            action: lexical.action,
            horizon: lexical.horizon,
            opportunity: lexical.opportunity.kind,
            opportunityNote: lexical.opportunity.note,
            confidence: lexical.confidence
        )
    }
}
