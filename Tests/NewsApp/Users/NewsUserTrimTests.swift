import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Users who do not come back", .timeLimit(.minutes(10)))
struct NewsUserTrimTests {
    private func user(_ name: String) throws -> NewsUserID { try require(NewsUserID(name)) }

    @Test func thoseWhoHaveChosenNothingAreDeletedWithWhatIsStoredOfThem() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let (gone, holder, focused, late) = (
                try user("gone"), try user("holder"), try user("focused"), try user("late")
            )
            try await store.commitNews { tables in
                for user in [gone, holder, focused] { try tables.see(user, at: at(0)) }
                try tables.see(late, at: at(2))
                var holdings = NewsPreferences()
                holdings.holdings = [NewsPreferences.Holding(ticker: Ticker("AAPL")!)]
                try tables.put(holdings, of: holder, at: at(0))
                try tables.put(NewsPreferences(focusProfile: .focused), of: focused, at: at(0))
                try tables.put(Array("{}".utf8), of: gone, day: BriefDay(number: 1), at: at(0))
                guard case .new(let article) = try tables.put(newArticle("a")) else {
                    throw NewsTablesError("not new")
                }
                let feedback = try NewsFeedback(json: Array(#"{"feedback":"useful"}"#.utf8))
                try tables.put(feedback, ofArticle: article.id, by: gone, at: at(0))
                return (Change(), ())
            }
            try await expectEqual(store.trimNewsUsers(seenBefore: at(1)), 1)
            try await store.readNews { tables throws in
                try expectNil(tables.user(gone))
                try expectNil(tables.brief(of: gone))
                try expectEqual(tables.session.integer("SELECT count(*) FROM news_feedback"), 0)
                for user in [holder, focused, late] { try expect(tables.user(user) != nil) }
            }
        }
    }
}
