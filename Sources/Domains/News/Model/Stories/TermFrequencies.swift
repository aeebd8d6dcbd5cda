import Glibc

/// The number of articles with each word, for the weight of words.
///
/// Counts are halved when they are full, so that words of last year do not count as common. A word
/// whose count falls to 0 is removed.
struct TermFrequencies: Equatable, Sendable {
    private(set) var documents: Int
    private(set) var counts: [UInt64: Int]
    private let documentsMax: Int
    private let termsMax: Int

    init(documents: Int = 0, counts: [UInt64: Int] = [:], limits: StoryLimits) {
        self.documents = documents
        self.counts = counts
        documentsMax = limits.countedDocumentsMax
        termsMax = limits.countedTermsMax
    }

    /// Counts an article with these terms, none of them twice. True if all counts were halved.
    mutating func add(_ terms: [UInt64]) -> Bool {
        documents += 1
        for term in terms { counts[term, default: 0] += 1 }
        var hasHalved = false
        // Half of the bound is left free, so that halving is rare: it goes through all counts.
        while counts.count > (hasHalved ? termsMax / 2 : termsMax) || documents > documentsMax {
            documents /= 2
            counts = counts.compactMapValues { $0 > 1 ? $0 / 2 : nil }
            hasHalved = true
        }
        return hasHalved
    }

    /// The inverse document frequency: ln(1 + N / n), where n of N articles have the term.
    ///
    /// - Parameter assumed: articles that are taken as seen before the first one.
    func inverse(of term: UInt64, assumed: Int) -> Double {
        let count = max(1, counts[term] ?? 0)
        return log(1 + Double(documents + assumed) / Double(count))
    }
}
