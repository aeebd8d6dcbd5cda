import Radar

/// The topics that sources are being asked to interpret: one question for each topic at a time.
///
/// **Use.** `join` returns the question about a topic, and begins one if there is none. Call `found`
/// when the first source has answered, and `end` when all have.
///
/// **Limits.** Questions continue after the answer to their users, so the rate of requests does not
/// bound how many are under way. `join` does: of all users, and of the user who pays.
package struct RadarInterpretations: Sendable {
    package struct Question: Sendable {
        /// The first interpretation; nil if no source has one.
        package let first: Task<Interpretation?, Never>
        /// Ends when all sources have answered.
        package let whole: Task<Void, Never>
    }

    private struct Entry {
        let question: Question
        /// The user whose share of the sources' budgets pays.
        let payer: [UInt8]
        /// Users whose radars are to have the interpretation when it comes.
        var followers: Set<[UInt8]> = []
    }

    package static let questionsMax = 256
    package static let questionsOfUserMax = 16
    static let followersMax = 64

    /// By the bytes of topics, and users by theirs: texts of other bytes can be equal.
    private var entries: [[UInt8]: Entry] = [:]
    private var isEnded = false

    package init() {}

    package var questions: [Question] { entries.values.map(\.question) }

    /// The question about a topic that is under way, or one that begins.
    ///
    /// - Parameters:
    ///   - user: who pays for a question that begins.
    ///   - follows: whether `found` is to return the user.
    /// - Returns: nil if there is no room for another question.
    package mutating func join(
        _ topic: [UInt8],
        by user: [UInt8],
        follows: Bool,
        start: () -> Question
    ) -> Question? {
        guard var entry = entries[topic] ?? begin(by: user, start) else { return nil }
        if follows, entry.followers.count < RadarInterpretations.followersMax {
            entry.followers.insert(user)
        }
        entries[topic] = entry
        return entry.question
    }

    private func begin(by user: [UInt8], _ start: () -> Question) -> Entry? {
        guard !isEnded, entries.count < RadarInterpretations.questionsMax,
            entries.values.count(where: { $0.payer == user })
                < RadarInterpretations.questionsOfUserMax
        else { return nil }
        return Entry(question: start(), payer: user)
    }

    /// The first source has answered. Returns the users who follow the question, once.
    package mutating func found(_ topic: [UInt8]) -> [[UInt8]] {
        guard let followers = entries[topic]?.followers else { return [] }
        entries[topic]?.followers = []
        return Array(followers)
    }

    package mutating func end(_ topic: [UInt8]) { entries[topic] = nil }

    /// The hub stops: no other question begins.
    package mutating func stop() { isEnded = true }
}
