import Expectations
import SeededRandom

@testable import News

@Suite("The personal feed", .timeLimit(.minutes(10)))
struct PersonalFeedTests {
    private let apple: Set<Ticker> = [NewsExamples.apple]

    /// Articles about Apple have even ids.
    private func candidates(_ count: Int, importance: Int = 50) -> [FeedCandidate] {
        (1...count).map { id in
            id.isMultiple(of: 2)
                ? candidate(id, story: id, importance: importance, tickers: "AAPL")
                : candidate(id, story: id, importance: importance, tickers: "XOM")
        }
    }

    private func feed(
        _ candidates: [FeedCandidate],
        _ focus: NewsPreferences.FocusProfile = .balanced,
        holdings: Set<Ticker>? = nil
    ) -> PersonalFeed {
        PersonalFeed(
            candidates: candidates,
            holdings: holdings ?? apple,
            focusProfile: focus,
            generation: .max
        )
    }

    private func counts(_ page: PersonalFeedPage) -> [Int] {
        [page.entries.count(where: \.isHeld), page.entries.count { !$0.isHeld }]
    }

    @Test(arguments: [
        (NewsPreferences.FocusProfile.balanced, 50, 35), (.balanced, 10, 7), (.balanced, 1, 1),
        (.balanced, 2, 1), (.balanced, 3, 2), (.balanced, 5, 4), (.balanced, 100, 70),
        (.focused, 20, 17), (.focused, 1, 1), (.focused, 10, 9), (.focused, 3, 3), (.focused, 4, 3),
        (.broad, 10, 5), (.broad, 1, 1), (.broad, 7, 4), (.broad, 100, 50),
    ])
    func quotasAreTheSharesByLargestRemainders(
        focus: NewsPreferences.FocusProfile,
        limit: Int,
        held: Int
    ) {
        expect(focus.quotas(of: limit) == (held, limit - held))
    }

    @Test func quotasAreNeverOneAwayFromTheShares() {
        for focus in NewsPreferences.FocusProfile.allCases {
            for limit in 1...100 {
                let quotas = focus.quotas(of: limit)
                expectEqual(quotas.held + quotas.general, limit)
                expect(abs(quotas.held * 100 - limit * focus.heldPercentage) <= 50)
            }
        }
    }

    @Test func pageHasItsSharesInTheOrderOfRanks() {
        let page = feed(candidates(100)).page(after: nil, limit: 10)
        expectEqual(counts(page), [7, 3])
        let ids = page.entries.map(\.candidate.articleID)
        expectEqual(ids, [100, 99, 98, 97, 96, 95, 94, 92, 90, 88])
    }

    @Test func sideThatRunsDryIsFilledFromTheOther() {
        let fewHeld = candidates(40).filter { $0.tickers == [Ticker("XOM")!] || $0.articleID <= 4 }
        expectEqual(counts(feed(fewHeld).page(after: nil, limit: 10)), [2, 8])
        let fewGeneral = candidates(40).filter {
            $0.tickers == [NewsExamples.apple] || $0.articleID < 2
        }
        expectEqual(counts(feed(fewGeneral).page(after: nil, limit: 10)), [9, 1])
        expectEqual(counts(feed(candidates(4)).page(after: nil, limit: 10)), [2, 2])
        expectEqual(feed([]).page(after: nil, limit: 10), PersonalFeedPage(entries: [], next: nil))
    }

    @Test func everythingIsGeneralWithoutHoldings() {
        let page = feed(candidates(100), holdings: []).page(after: nil, limit: 10)
        expectEqual(counts(page), [0, 10])
        expectEqual(page.entries.map(\.candidate.articleID), Array((91...100).reversed()))
    }

    @Test(arguments: [
        (NewsPreferences.FocusProfile.focused, 49, 0), (.focused, 50, 10), (.balanced, 0, 10),
        (.broad, 0, 10),
    ])
    func onlyTheFocusedProfileLeavesOutUnimportantArticles(
        focus: NewsPreferences.FocusProfile,
        importance: Int,
        count: Int
    ) {
        let page = feed(candidates(40, importance: importance), focus).page(after: nil, limit: 10)
        expectEqual(page.entries.count, count)
    }

    @Test func storyIsHeldIfOneOfItsArticlesNamesAHolding() {
        let page = feed([
            candidate(9, story: 1), candidate(3, story: 1, tickers: "MSFT", "AAPL"),
            candidate(8, story: 2, tickers: "MSFT"), candidate(7, tickers: "AAPL"), candidate(6),
        ]).page(after: nil, limit: 10)
        expectEqual(page.entries.map(\.candidate.articleID), [9, 8, 7, 6])
        expectEqual(page.entries.map(\.isHeld), [true, false, true, false])
    }

    /// Pages of random lengths, while articles arrive: every story once, and full shares as long as
    /// both sides have some.
    @Test(arguments: 0..<20)
    func pagesWhileArticlesArriveNeitherRepeatNorOmitAStory(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let focus = NewsPreferences.FocusProfile.allCases.randomElement(using: &random)!
        var candidates: [FeedCandidate] = []
        func arrive(_ count: Int) {
            for _ in 0..<count {
                let id = candidates.count + 1
                let key = Double(Int.random(in: 0..<40, using: &random))
                let story = Int.random(in: 0..<80, using: &random)
                let importance = Int.random(in: 30...100, using: &random)
                candidates.append(
                    story.isMultiple(of: 2)
                        ? candidate(
                            id,
                            key: key,
                            story: story,
                            importance: importance,
                            tickers: "AAPL"
                        )
                        : candidate(id, key: key, story: story, importance: importance)
                )
            }
        }
        arrive(200)
        let generation = candidates.count
        let whole = RankedFeed(
            candidates: candidates,
            generation: generation,
            importanceMin: focus.importanceMin
        ).entries
        var read: [PersonalFeedEntry] = []
        var cursor: NewsCursor?
        repeat {
            let limit = Int.random(in: 1...9, using: &random)
            let page = PersonalFeed(
                candidates: candidates.shuffled(using: &random),
                holdings: apple,
                focusProfile: focus,
                generation: cursor?.generation ?? generation
            ).page(after: cursor, limit: limit)
            expect(page.next == nil || page.entries.count == limit, "seed \(seed)")
            read += page.entries
            cursor = page.next
            arrive(Int.random(in: 0...20, using: &random))
        } while cursor != nil
        let ids = read.map(\.candidate.articleID)
        expectEqual(Set(ids).count, ids.count, "seed \(seed)")
        expectEqual(Set(ids), Set(whole.map(\.articleID)), "seed \(seed)")
        expect(read.allSatisfy { $0.isHeld == $0.candidate.storyID!.isMultiple(of: 2) })
    }
}
