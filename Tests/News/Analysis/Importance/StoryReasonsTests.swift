import Expectations

@testable import News

@Suite("Reasons of a story", .timeLimit(.minutes(10)))
struct StoryReasonsTests {
    private let start = Timestamp(milliseconds: 1_767_348_000_000)

    private func reasons(
        minutes: [Int],
        novelty: Double = 0,
        relevance: RelevanceType = .general,
        tickers: [String] = [],
        holdings: [String] = []
    ) throws -> [String] {
        let reports = minutes.enumerated().map {
            StoryReport(owner: "owner \($0)", publishedAt: start + .seconds($1 * 60))
        }
        let evidence = try require(StoryEvidence(reports: reports, novelty: novelty))
        return StoryReasons(
            evidence: evidence,
            source: "Federal Reserve",
            relevance: relevance,
            tickers: tickers.compactMap { Ticker($0) },
            holdings: Set(holdings.compactMap { Ticker($0) })
        ).sentences
    }

    @Test func storyWithNothingElseNamesItsSource() throws {
        try expectEqual(reasons(minutes: [0]), ["Reported by Federal Reserve"])
    }

    @Test(
        arguments: [
            ([0, 0], "2 publishers in one minute"), ([0, 40], "2 publishers in 40 minutes"),
            ([0, 60], "2 publishers in one hour"), ([0, 61], "2 publishers in 2 hours"),
            ([0, 120], "2 publishers in 2 hours"), ([0, 2880], "2 publishers in 48 hours"),
            ([0, 2881], "2 publishers in 3 days"),
        ]
    )
    func spanIsRoundedUp(minutes: [Int], sentence: String) throws {
        try expectEqual(reasons(minutes: minutes), [sentence])
    }

    @Test func noveltyIsNamedFromItsBoundOn() throws {
        try expectEqual(reasons(minutes: [0], novelty: 0.8), ["First report in 3 days"])
        try expectEqual(reasons(minutes: [0], novelty: 0.79), ["Reported by Federal Reserve"])
    }

    @Test func onlyTheReadersOwnHoldingsAreNamedAsHeld() throws {
        try expectEqual(
            reasons(minutes: [0], tickers: ["AAPL", "MSFT"], holdings: ["MSFT", "KO"]),
            ["You hold MSFT"]
        )
        try expectEqual(reasons(minutes: [0], tickers: ["AAPL"], holdings: ["KO"]), ["Names AAPL"])
        try expectEqual(reasons(minutes: [0], holdings: ["KO"]), ["Reported by Federal Reserve"])
    }

    @Test func threeLargestContributionsAreGiven() throws {
        let all = try reasons(
            minutes: [0, 1, 2, 300],
            novelty: 1,
            relevance: .earnings,
            tickers: ["AAPL"],
            holdings: ["AAPL"]
        )
        expectEqual(
            all,
            ["You hold AAPL", "4 publishers in 5 hours", "3 publishers within one hour"]
        )
    }
}
