/// The feed of a user: stories about the user's holdings and general ones, in the shares of the
/// focus profile.
///
/// - A story is about a holding if one of its articles names one; all others are general.
/// - The quotas of a page are the shares of its length, rounded by largest remainders. If one side
///   has too few, the other one fills the page.
/// - Within a page, stories have the order of their ranks.
/// - A cursor has a position in each side, so pages neither repeat nor omit a story, whatever their
///   lengths.
package struct PersonalFeed: Equatable, Sendable {
    private let held: RankedFeed
    private let general: RankedFeed
    private let focusProfile: NewsPreferences.FocusProfile

    /// - Parameters:
    ///   - candidates: in any order.
    ///   - generation: of the cursor, or for a first page the greatest id of an article.
    package init(
        candidates: [FeedCandidate],
        holdings: Set<Ticker>,
        focusProfile: NewsPreferences.FocusProfile,
        generation: Int
    ) {
        let feed = RankedFeed(
            candidates: candidates,
            generation: generation,
            importanceMin: focusProfile.importanceMin
        )
        let heldStories = Set(
            candidates.lazy
                .filter { $0.articleID <= generation && PersonalFeed.names($0, holdings) }
                .compactMap(\.storyID)
        )
        func isHeld(_ candidate: FeedCandidate) -> Bool {
            candidate.storyID.map(heldStories.contains) ?? PersonalFeed.names(candidate, holdings)
        }
        held = feed.filter(isHeld)
        general = feed.filter { !isHeld($0) }
        self.focusProfile = focusProfile
    }

    /// - Parameter cursor: nil for the first page. One without a second position is of another
    ///   list.
    package func page(after cursor: NewsCursor?, limit: Int) -> PersonalFeedPage {
        precondition(limit > 0, "a page without entries")
        let start = RankPosition.start
        let heldAfter = cursor?.position ?? start
        let generalAfter = cursor?.second ?? start
        let held = self.held.entries(after: heldAfter)
        let general = self.general.entries(after: generalAfter)
        let quota = focusProfile.quotas(of: limit)
        let heldCount = min(held.count, max(quota.held, limit - general.count))
        let generalCount = min(general.count, limit - heldCount)
        let entries =
            held.prefix(heldCount).map { PersonalFeedEntry(candidate: $0, isHeld: true) }
            + general.prefix(generalCount).map { PersonalFeedEntry(candidate: $0, isHeld: false) }
        let isEnd = heldCount == held.count && generalCount == general.count
        let next = NewsCursor(
            generation: self.held.generation,
            position: held.prefix(heldCount).last?.position ?? heldAfter,
            second: general.prefix(generalCount).last?.position ?? generalAfter
        )
        return PersonalFeedPage(
            entries: entries.sorted { $0.candidate.position.precedes($1.candidate.position) },
            next: isEnd ? nil : next
        )
    }

    private static func names(_ candidate: FeedCandidate, _ holdings: Set<Ticker>) -> Bool {
        candidate.tickers.contains(where: holdings.contains)
    }
}

package struct PersonalFeedEntry: Equatable, Sendable {
    package var candidate: FeedCandidate
    /// Whether the story is about a holding. Only such a story has an explanation.
    package var isHeld: Bool
}

/// A part of a personal feed.
package struct PersonalFeedPage: Equatable, Sendable {
    package var entries: [PersonalFeedEntry]
    /// Nil at the end.
    package var next: NewsCursor?
}

extension NewsPreferences.FocusProfile {
    /// The percentage of stories about holdings. The document has it for `balanced`.
    package var heldPercentage: Int {
        switch self {
        case .focused: 85
        case .balanced: 70
        case .broad: 50
        }
    }

    /// Less important articles are left out of the personal feed.
    package var importanceMin: Int {
        switch self {
        case .focused: 50
        case .balanced, .broad: 0
        }
    }

    /// The entries of a page of each side. Of equal remainders that of the holdings is rounded up.
    package func quotas(of limit: Int) -> (held: Int, general: Int) {
        // Of two remainders that add up to one, the greater is one half or more.
        let held = (limit * heldPercentage + 50) / 100
        return (held, limit - held)
    }
}
