import Expectations
import News

@Suite("Preferences, search, feedback and pushed articles", .timeLimit(.minutes(10)))
struct OtherFormsTests {
    private let preferences = NewsPreferences(
        focusProfile: .focused,
        holdings: [
            .init(ticker: NewsExamples.apple),
            .init(ticker: NewsExamples.nvidia, label: "Chips", notes: "AI"),
        ]
    )

    @Test func changedPreferencesAreCounted() {
        expectEqual(
            text(preferences.updatedJSON()),
            #"{"success":true,"focus_profile":"focused","holdings_count":2}"#
        )
    }

    @Test func preferencesListTheHoldings() {
        expectEqual(
            text(preferences.json()),
            """
            {"focus_profile":"focused","holdings":[{"ticker":"AAPL","label":null,"notes":null},\
            {"ticker":"NVDA","label":"Chips","notes":"AI"}],"holdings_count":2}
            """
        )
    }

    @Test func userIsInitiallyBalancedAndHoldsNothing() {
        expectEqual(
            text(NewsPreferences().json()),
            #"{"focus_profile":"balanced","holdings":[],"holdings_count":0}"#
        )
        expectEqual(text(newsDataDeletedJSON()), #"{"success":true}"#)
    }

    @Test func searchRepeatsTheQuery() {
        let view = SearchView(
            query: #"fed "rate""#,
            items: [NewsExamples.signal],
            nextCursor: nil
        )
        expectEqual(
            text(view.json()),
            """
            {"query":"fed \\"rate\\"","items":[\(NewsExamples.signalText)],"next_cursor":null}
            """
        )
    }

    @Test func feedbackAndPushedArticlesAreConfirmed() {
        expectEqual(
            text(feedbackJSON(signalID: "https://a/1", feedback: .init(kind: .notUseful))),
            #"{"success":true,"signal_id":"https://a/1","feedback":"not_useful"}"#
        )
        expectEqual(
            text(PushedArticlesView(added: 2, revised: 1, unchanged: 0).json()),
            #"{"success":true,"added":2,"revised":1,"unchanged":0}"#
        )
    }
}
