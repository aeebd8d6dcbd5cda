/// Whether an article has appeared before.
package enum DuplicateVerdict: Equatable, Sendable {
    /// It has not, and later articles are compared with it.
    case original
    /// The same title by the same owner, and a text that is alike.
    case exact(of: Int)
    /// Nearly the same text, or within hours nearly the same title if one of the two has no summary.
    case near(of: Int, similarity: Double)
}

/// The bounds of a `DuplicateIndex`, and when articles are duplicates.
package struct DuplicateRules: Equatable, Sendable {
    /// The least similarity of two texts.
    package var textSimilarityMin = 0.8
    /// The least similarity of two titles.
    package var titleSimilarityMin = 0.85
    /// Titles with fewer different words, such as "Market wrap", are compared only with those of
    /// the same owner.
    package var titleWordsMin = 4
    /// The least similarity of two summaries under one title: titles such as "Morning briefing" come
    /// back with another text each day.
    package var summarySimilarityMin = 0.5
    /// Articles further apart are not compared.
    package var window: Duration = .seconds(72 * 3600)
    /// Articles further apart are compared only with their texts.
    package var titleWindow: Duration = .seconds(6 * 3600)
    /// Articles that are kept. The ones that were added first are dropped.
    package var entriesMax = 30_000
    /// Articles that one article is compared with for each of its keys, the latest ones first.
    package var candidatesPerKeyMax = 16
    /// Words that are known not to be names. The first ones are kept: common words come early.
    package var ordinaryWordsMax = 65_536

    package init() {}
}

/// Finds copies of articles: docs/DECISIONS/024-stories.md.
///
/// Only originals are kept, so a copy of a copy is compared with the original. The state is a
/// function of the added articles; after a restart, add those of the last `window` again.
package struct DuplicateIndex: Sendable {
    private struct Entry: Sendable {
        var articleID: Int
        var publishedAt: Timestamp
        var text: ArticleText
        var isRemoved = false
        var keys: [UInt64]
        /// The entry before this one with the same key, by key; -1 for none.
        var before: [Int]
    }

    package let rules: DuplicateRules
    /// By serial number. Consecutive.
    private var entries: [Int: Entry] = [:]
    private var firstSerial = 0
    private var nextSerial = 0
    /// The latest entry with a key.
    private var latest: [UInt64: Int] = [:]
    /// Serial numbers by article id.
    private var serials: [Int: Int] = [:]
    private var ordinaryWords: Set<UInt64> = []

    package init(rules: DuplicateRules = DuplicateRules()) {
        precondition(rules.entriesMax > 0)
        self.rules = rules
    }

    package var count: Int { entries.count }

    /// Keys of all entries, for the test of the bounds.
    var keyCount: Int { latest.count }

    /// Compares an article with the originals, and keeps it if it is one. An article is not
    /// compared with itself, so a new revision may be added.
    package mutating func add(_ article: StoryInput) -> DuplicateVerdict {
        let text = ArticleText(title: article.title, summary: article.summary)
        for word in text.ordinaryWords where ordinaryWords.count < rules.ordinaryWordsMax {
            ordinaryWords.insert(word)
        }
        let exactKey = DuplicateKeys.exact(text, owner: article.owner)
        var keys = [exactKey] + DuplicateKeys.bands(text)
        keys += DuplicateKeys.titles(text, wordsMin: rules.titleWordsMin)
        let verdict = verdict(on: article, text: text, exactKey: exactKey, keys: keys)
        if verdict == .original {
            remove(article: article.articleID)
            insert(article, text: text, keys: keys)
        }
        return verdict
    }

    /// Later articles are not duplicates of this one.
    package mutating func remove(article id: Int) {
        // The entry stays, because the lists of its keys go through it.
        if let serial = serials.removeValue(forKey: id) { entries[serial]?.isRemoved = true }
    }

    /// Drops articles that were published before `instant`, as far as they were added before all
    /// others.
    package mutating func removeArticles(before instant: Timestamp) {
        while let entry = entries[firstSerial], entry.publishedAt < instant { removeFirst() }
    }

    // MARK: Comparing

    private func verdict(
        on article: StoryInput,
        text: ArticleText,
        exactKey: UInt64,
        keys: [UInt64]
    ) -> DuplicateVerdict {
        var compared: Set<Int> = []
        var best: (similarity: Double, serial: Int)?
        for key in keys {
            for serial in candidates(key) where compared.insert(serial).inserted {
                guard let entry = entries[serial],
                    isWithin(rules.window, entry, article),
                    !text.contradicts(entry.text, ordinaryWords: ordinaryWords)
                else { continue }
                let isNear = isWithin(rules.titleWindow, entry, article)
                if entry.keys[0] == exactKey {
                    guard isSameText(text, entry.text, isNear: isNear) else { continue }
                    return .exact(of: entry.articleID)
                }
                guard let similarity = similarity(text, entry.text, isNear: isNear) else {
                    continue
                }
                if let best, (best.similarity, -best.serial) > (similarity, -serial) { continue }
                best = (similarity, serial)
            }
        }
        guard let best, let entry = entries[best.serial] else { return .original }
        return .near(of: entry.articleID, similarity: best.similarity)
    }

    private func candidates(_ key: UInt64) -> [Int] {
        var serials: [Int] = []
        var serial = latest[key] ?? -1
        while serials.count < rules.candidatesPerKeyMax, let entry = entries[serial] {
            serials.append(serial)
            serial = entry.keys.firstIndex(of: key).map { entry.before[$0] } ?? -1
        }
        return serials
    }

    private func isWithin(_ window: Duration, _ entry: Entry, _ article: StoryInput) -> Bool {
        guard !entry.isRemoved, entry.articleID != article.articleID else { return false }
        let instants = (entry.publishedAt.milliseconds, article.publishedAt.milliseconds)
        let (distance, isTooFar) = instants.0.subtractingReportingOverflow(instants.1)
        return !isTooFar && distance.magnitude <= window.wholeMilliseconds.magnitude
    }

    /// Whether two texts with the same words in the title are the same.
    private func isSameText(_ text: ArticleText, _ other: ArticleText, isNear: Bool) -> Bool {
        guard text.hasSummary, other.hasSummary else { return isNear }
        return text.similarity(to: other) >= rules.textSimilarityMin
            && text.summarySimilarity(to: other) >= rules.summarySimilarityMin
    }

    /// Nil if the two are not duplicates.
    ///
    /// - Parameter isNear: whether their times allow a comparison of only the titles.
    private func similarity(
        _ text: ArticleText,
        _ other: ArticleText,
        isNear: Bool
    ) -> Double? {
        guard isNear || text.hasSummary && other.hasSummary else { return nil }
        let similarity = text.similarity(to: other)
        if text.title == other.title, text.hasSummary, other.hasSummary {
            return isSameText(text, other, isNear: isNear) ? similarity : nil
        }
        if text.hasSummary == other.hasSummary, !text.isShortTitle || !other.isShortTitle {
            return similarity >= rules.textSimilarityMin ? similarity : nil
        }
        let titleSimilarity = text.titleSimilarity(to: other)
        return titleSimilarity >= rules.titleSimilarityMin ? titleSimilarity : nil
    }

    // MARK: Entries

    private mutating func insert(_ article: StoryInput, text: ArticleText, keys: [UInt64]) {
        if entries.count == rules.entriesMax { removeFirst() }
        let before = keys.map { latest[$0] ?? -1 }
        for key in keys { latest[key] = nextSerial }
        entries[nextSerial] = Entry(
            articleID: article.articleID,
            publishedAt: article.publishedAt,
            text: text,
            keys: keys,
            before: before
        )
        serials[article.articleID] = nextSerial
        nextSerial += 1
    }

    /// Lists that go through the entry end before it from now on.
    private mutating func removeFirst() {
        guard let entry = entries.removeValue(forKey: firstSerial) else { return }
        for key in entry.keys where latest[key] == firstSerial { latest[key] = nil }
        if serials[entry.articleID] == firstSerial { serials[entry.articleID] = nil }
        firstSerial += 1
    }
}

/// Articles that share a key are compared.
enum DuplicateKeys {
    /// So that keys of different kinds differ.
    private static let (exactSalt, bandSalt, titleSalt) = (UInt64(1), UInt64(2), UInt64(3))

    /// Of the title's words in their order, and the owner.
    static func exact(_ text: ArticleText, owner: String) -> UInt64 {
        text.title.reduce(NewsWord.hash(owner.utf8) &+ exactSalt) { NewsWord.mixed($0 &+ $1) }
    }

    static func bands(_ text: ArticleText) -> [UInt64] {
        guard !text.shingles.isEmpty, !text.isShortTitle else { return [] }
        return MinHash.bandKeys(of: text.shingles).map { NewsWord.mixed($0 &+ bandSalt) }
    }

    /// Of the title's words as a set, and of the set without each of its words. Two sets of fewer
    /// than 12 words have a Jaccard similarity of .85 only if they are equal or one has one word
    /// more; both pairs share a key.
    static func titles(_ text: ArticleText, wordsMin: Int) -> [UInt64] {
        let words = text.title.ascending
        guard (wordsMin...ArticleText.titleWordsMax).contains(words.count) else { return [] }
        let sum = words.reduce(titleSalt) { $0 &+ NewsWord.mixed($1 &+ titleSalt) }
        return [NewsWord.mixed(sum)]
            + words.map { NewsWord.mixed(sum &- NewsWord.mixed($0 &+ titleSalt)) }
    }
}

extension ArticleText {
    /// Longer titles have no keys of their own.
    static let titleWordsMax = 24

    /// A text that is only a title of fewer than 12 words: one changed word is a large part of it.
    var isShortTitle: Bool { !hasSummary && title.count < 12 }
}
