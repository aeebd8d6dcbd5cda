/// The parts of a board that have changed since they were last taken to be stored.
struct StoryChangeLog: Equatable, Sendable {
    /// Everything has to be stored again.
    private(set) var isComplete = true
    private(set) var stories: Set<Int> = []
    private(set) var aliases: Set<Int> = []
    private(set) var terms: Set<UInt64> = []
    /// The maximum number of entries. A longer log is replaced by `isComplete`, so that a board
    /// that is never stored does not grow.
    private let entriesMax: Int

    init(limits: StoryLimits) {
        entriesMax = limits.openStoriesMax + limits.aliasesMax + limits.countedTermsMax
    }

    /// Nothing has changed.
    mutating func clear() {
        isComplete = false
        removeEntries()
    }

    mutating func note(story: Int) { note { $0.stories.insert(story) } }

    mutating func note(aliases ids: [Int]) { note { $0.aliases.formUnion(ids) } }

    mutating func note(terms hashes: [UInt64]) { note { $0.terms.formUnion(hashes) } }

    mutating func noteAll() {
        isComplete = true
        removeEntries()
    }

    private mutating func note(_ change: (inout StoryChangeLog) -> Void) {
        guard !isComplete else { return }
        change(&self)
        if stories.count + aliases.count + terms.count > entriesMax { noteAll() }
    }

    private mutating func removeEntries() {
        stories.removeAll()
        aliases.removeAll()
        terms.removeAll()
    }
}
