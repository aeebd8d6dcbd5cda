import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Migrations of the users of the news", .timeLimit(.minutes(10)))
struct UserMigrationTests {
    @Test func usersOfFormerTablesStayAndLongerNamesAreStored() async throws {
        try await withDirectory { directory in
            let steps = NewsTables.migrations.prefix { $0.name != "news.6" }
            let former = try openStore(directory, migrations: Array(steps))
            let kari = try require(NewsUserID("kari"))
            var preferences = NewsPreferences(focusProfile: .focused)
            preferences.holdings = [NewsPreferences.Holding(ticker: Ticker("AAPL")!)]
            try await former.commitNews { [preferences] tables in
                try tables.put(preferences, of: kari, at: at(0))
                try tables.put(Array("{}".utf8), of: kari, day: BriefDay(number: 7), at: at(0))
                return (Change(), ())
            }
            try await former.close()

            let store = try openStore(directory, migrations: NewsTables.migrations)
            let longest = try require(NewsUserID(String(repeating: "é", count: 127)))
            try await store.commitNews { [preferences] tables in
                let stored = try tables.user(kari)
                expectEqual(stored?.preferences, preferences)
                expectEqual(stored?.seenAt, at(0))
                expectEqual(stored?.briefDay, BriefDay(number: 7))
                try expectEqual(tables.brief(of: kari), Array("{}".utf8))

                try tables.put(preferences, of: longest, at: at(0))
                try expectEqual(tables.user(longest)?.preferences, preferences)
                for user in [kari, longest] { try tables.deleteUser(user) }
                for table in ["news_user", "news_holding", "news_brief"] {
                    let count = try tables.session.integer("SELECT count(*) FROM \(table)")
                    expectEqual(count, 0, "\(table)")
                }
                return (Change(), ())
            }
            try await store.close()
        }
    }
}
