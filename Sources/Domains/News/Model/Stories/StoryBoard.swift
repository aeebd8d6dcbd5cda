import Glibc

/// Groups articles into stories in one pass.
///
/// An article joins the open story with the most similar centroid, or begins a story of its own if
/// none is similar enough. The similarity is the cosine of tf-idf vectors, reduced by the time
/// between the article and the story's latest one. `review` corrects errors of the single pass.
///
/// The result depends only on the articles in the order of `publishedAt`, those of one instant in
/// the order of their ids, and on where the reviews are between them. Articles that arrive after
/// later ones were processed are placed after those. So the articles of the latest instant wait:
/// until a later one arrives, or until `settle` or `review` is called with a later time.
///
/// It does not find duplicates, and does not detect an article that is added twice.
package struct StoryBoard: Sendable {
    package let rules: StoryRules
    package let limits: StoryLimits

    var nextStoryID = 1
    /// By slot. A free slot is nil.
    var slots: [OpenStory?] = []
    var freeSlots: [Int] = []
    /// The slots of the open stories by id.
    var slotsByID: [Int: Int] = [:]
    var aliases = StoryAliases()
    var frequencies: TermFrequencies
    /// Ascending by `publishedAt`, then by id.
    var pending: [StoryInput] = []
    var index = StoryIndex()
    var changes: StoryChangeLog
    /// Empty between two calls.
    var products = DotProducts()

    package init(rules: StoryRules = StoryRules(), limits: StoryLimits = StoryLimits()) {
        precondition(limits.areConsistent)
        self.rules = rules
        self.limits = limits
        frequencies = TermFrequencies(limits: limits)
        changes = StoryChangeLog(limits: limits)
    }

    // MARK: Articles

    /// Adds articles in any order. Returns the changes, for all articles that were processed.
    package mutating func add(_ articles: [StoryInput]) -> [StoryEvent] {
        pending = (pending + articles).sorted(by: StoryBoard.precedes)
        guard let latest = pending.last?.publishedAt else { return [] }
        let waiting = pending.reversed().prefix { $0.publishedAt == latest }.count
        return place(pending.count - min(waiting, limits.pendingMax))
    }

    /// Gives all articles that were published before `now` their turn.
    package mutating func settle(now: Timestamp) -> [StoryEvent] {
        place(pending.prefix { $0.publishedAt < now }.count)
    }

    /// Takes out an article that was withdrawn. A story without other articles is closed, so that
    /// its id does not come back.
    package mutating func remove(article id: Int, ofStory story: Int?) {
        pending.removeAll { $0.articleID == id }
        guard let story, let slot = slotsByID[story] else { return }
        if self[slot].articleCount <= 1 || self[slot].members.map(\.articleID) == [id] {
            var events: [StoryEvent] = []
            close(slot, events: &events)
        } else {
            change(slot) { $0.remove(article: id, limits: $1) }
        }
    }

    /// Articles that wait for their turn.
    package var pendingCount: Int { pending.count }

    private static func precedes(_ one: StoryInput, _ other: StoryInput) -> Bool {
        (one.publishedAt, one.articleID) < (other.publishedAt, other.articleID)
    }

    private mutating func place(_ count: Int) -> [StoryEvent] {
        guard count > 0 else { return [] }
        var events: [StoryEvent] = []
        for article in pending.prefix(count) { place(article, events: &events) }
        pending.removeFirst(count)
        return events
    }

    private mutating func place(_ article: StoryInput, events: inout [StoryEvent]) {
        let vector = vector(of: article)
        let slot = mostSimilarSlot(
            to: vector,
            symbols: MarkedSymbols(article.title).symbols,
            at: article.publishedAt
        )
        let member = OpenStory.Member(
            articleID: article.articleID,
            publishedAt: article.publishedAt,
            title: article.title.cut(toUTF8: limits.titleBytesMax),
            vector: vector
        )
        let story = slot ?? open(at: article.publishedAt, events: &events)
        change(story) { $0.add(member, limits: $1) }
        events.append(.articleAdded(article: article.articleID, story: self[story].id))
    }

    /// Counts the article's words, and weighs them: ln(1 + count) · idf, to a length of 1.
    private mutating func vector(of article: StoryInput) -> TermVector {
        let counts = StoryTerms.counts(of: article, rules: rules, limits: limits)
        if frequencies.add(counts.terms) {
            changes.noteAll()
        } else {
            changes.note(terms: counts.terms)
        }
        let weights = zip(counts.terms, counts.weights).map { term, count in
            log(1 + count) * frequencies.inverse(of: term, assumed: rules.documentsAssumed)
        }
        return TermVector(terms: counts.terms, weights: weights).normalised
    }

    /// The slot of the story that an article joins. Of equally similar ones it is the oldest. It
    /// joins no story about companies with other symbols.
    private mutating func mostSimilarSlot(
        to vector: TermVector,
        symbols: Set<String>,
        at instant: Timestamp
    ) -> Int? {
        index.multiply(vector, into: &products)
        defer { products.clear() }
        var best: (slot: Int, id: Int, similarity: Double)?
        for slot in products.slots {
            let story = self[slot]
            let cosine = products[slot] / story.centroidLength
            // Decay only reduces, and the exponential function costs more than the rest.
            guard cosine >= max(rules.joinSimilarityMin, best?.similarity ?? 0) else { continue }
            let similarity = cosine * decay(between: instant, and: story.updatedAt)
            guard similarity >= rules.joinSimilarityMin else { continue }
            if let best, (best.similarity, -best.id) > (similarity, -story.id) { continue }
            if !symbols.isEmpty,
                MarkedSymbols.areOthers(symbols, story.symbols)
            {
                continue
            }
            best = (slot, story.id, similarity)
        }
        return best?.slot
    }

    /// 1 for no time between two instants; 0 from `idleMax` on.
    func decay(between one: Timestamp, and other: Timestamp) -> Double {
        // Of damaged instants: their distance may not be a number of 64 bits.
        let (first, last) = (min(one, other).milliseconds, max(one, other).milliseconds)
        let (distance, isTooFar) = last.subtractingReportingOverflow(first)
        guard !isTooFar, distance < rules.idleMax.wholeMilliseconds else { return 0 }
        return exp(-Double(distance) / Double(rules.decay.wholeMilliseconds))
    }

    // MARK: Stories

    /// The open story with this id or alias; nil if there is none, or none any more.
    package func story(_ id: Int) -> Story? {
        slotsByID[aliases.target(of: id) ?? id].map { self[$0].story }
    }

    /// The ids of all open stories, ascending.
    package var openStoryIDs: [Int] { slotsByID.keys.sorted() }

    package var openStoryCount: Int { slotsByID.count }

    /// Ids of merged stories that `story(_:)` still finds.
    package var aliasCount: Int { aliases.count }

    /// The story in a slot that is in use.
    subscript(slot: Int) -> OpenStory {
        guard let story = slots[slot] else { preconditionFailure("slot \(slot) is free") }
        return story
    }

    /// Changes a story, and the index and the log with it.
    mutating func change<Result>(
        _ slot: Int,
        _ change: (inout OpenStory, StoryLimits) -> Result
    ) -> Result {
        var story = self[slot]
        // So that the arrays have one owner and are changed in place.
        slots[slot] = nil
        let old = story.centroid
        let result = change(&story, limits)
        index.replace(old, with: story.centroid, slot: slot)
        changes.note(story: story.id)
        slots[slot] = story
        return result
    }

    /// A slot with a story without articles.
    private mutating func open(at instant: Timestamp, events: inout [StoryEvent]) -> Int {
        let id = nextStoryID
        events.append(.created(story: id))
        let slot = insert(OpenStory(id: id, startedAt: instant))
        closeExcess(except: id, events: &events)
        return slot
    }

    /// Gives a story a slot. Its id must be new.
    mutating func insert(_ story: OpenStory) -> Int {
        precondition(slotsByID[story.id] == nil)
        nextStoryID = max(nextStoryID, story.id + 1)
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = story
        slotsByID[story.id] = slot
        index.replace(TermVector(), with: story.centroid, slot: slot)
        changes.note(story: story.id)
        return slot
    }

    /// Takes a story off the board.
    mutating func remove(_ slot: Int) -> OpenStory {
        let story = self[slot]
        index.replace(story.centroid, with: TermVector(), slot: slot)
        slots[slot] = nil
        freeSlots.append(slot)
        slotsByID[story.id] = nil
        changes.note(story: story.id)
        return story
    }

    mutating func close(_ slot: Int, events: inout [StoryEvent]) {
        let story = remove(slot)
        changes.note(aliases: aliases.close(story.id))
        events.append(.closed(story: story.id))
    }

    /// Keeps the number of open stories within its bound.
    mutating func closeExcess(except id: Int, events: inout [StoryEvent]) {
        guard openStoryCount > limits.openStoriesMax else { return }
        let stories = slotsByID.filter { $0.key != id }
            .map { (updatedAt: self[$0.value].updatedAt, id: $0.key, slot: $0.value) }
            .sorted { ($0.updatedAt, $0.id) < ($1.updatedAt, $1.id) }
        for story in stories.prefix(limits.openStoriesMax / 16) {
            close(story.slot, events: &events)
        }
    }
}

extension String {
    /// The longest beginning in whole characters with at most `bytesMax` bytes.
    func cut(toUTF8 bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = startIndex
        while end < endIndex {
            let next = index(after: end)
            guard utf8.distance(from: startIndex, to: next) <= bytesMax else { break }
            end = next
        }
        return String(self[..<end])
    }
}
