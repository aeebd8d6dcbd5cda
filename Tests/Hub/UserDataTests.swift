import AllDomains
import Expectations

@testable import Hub

@Suite("What a user can have of the data that the hub stores", .timeLimit(.minutes(10)))
struct UserDataTests {
    /// Tables that are in no section, and why not. A table that is in neither list fails the test.
    private static let others = [
        // The hub itself.
        "hub": "one row of the hub's state",
        "migration": "names of schema steps",
        "topic": "names and positions of topics",
        "publication": "topics keep what others published; a user reads the own topics' history",
        "version": "positions of topics", "forgotten": "positions of topics",
        "idempotency": "keys of publishers, kept for minutes", "feed": "validators of upstreams",
        "alert": "follows from the rules and the events", "probe": "one row, to test the disk",
        "delivery": "waits to be sent to operators' webhooks",
        "delivery_tag": "waits to be sent to operators' webhooks",
        "attempt": "answers of operators' webhooks",
        "alert_record": "alerts of operators' rules, removed with the history of their topic",
        "account": "users of hubs without the film app, which have no route for it",
        "account_ended_login": "ids of logins that have ended, without users",
        // The film app.
        "film": "the catalogue", "film_key": "the catalogue", "film_text": "the catalogue",
        "film_prose": "the catalogue", "film_word": "the catalogue", "genre": "the catalogue",
        "film_genre": "the catalogue",
        "deleted_person": "numbers of accounts whose rows are being deleted",
        "activity_tally": "counts of the rows of activity",
        "activity_fanout": "acts on their way to friends; they are in activity",
        // The radars.
        "deleted_radar": "numbers of radars whose rows are being deleted",
        "opinion": "opinions of sources", "stance_cache": "answers of AI providers",
        "spending": "counts of the AI budget",
        "user_spending": "counts of the AI budget of a day, by a digest of the user",
        "opinion_pusher": "digests of API keys",
        // The aurora.
        "aurora_forecast": "forecasts for places",
        // The news.
        "news_article": "articles", "news_text": "articles", "news_board": "stories",
        "news_story": "stories", "news_story_change": "stories", "news_signal": "articles",
        "news_signal_ticker": "articles", "news_story_ticker": "stories",
        "news_written_text": "texts of a model about articles",
        "news_spending": "counts of the AI budget",
        "news_user_spending": "counts of the AI budget of a day, by a digest of the user",
    ]

    @Test func everyTableIsInTheUsersDataOrThereIsAReasonWhyNot() async throws {
        try await EveryDomain.run { hub, parts in
            let all = try await hub.store.read(AccountTables.self) { tables in
                try tables.session.rows(
                    """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND type IN ('table', 'virtual')
                        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                    """,
                    []
                ) { try $0[0] as String }
            }
            let sections = parts.userData(hub.store)
            expectEqual(Set(sections.map(\.name)).count, sections.count)
            let exported = Set(sections.flatMap(\.tables))
            let unknown = Set(all).subtracting(exported).subtracting(Self.others.keys)
            expectEqual(unknown, [], "add a section (UserDataSection), or a reason here")
            expectEqual(exported.intersection(Self.others.keys), [])
            expectEqual(exported.union(Self.others.keys).subtracting(all), [], "no such tables")
        }
    }

    @Test func userWithoutDataHasEmptySections() async throws {
        try await EveryDomain.run { hub, parts in
            let sections = parts.userData(hub.store)
            let page = try await UserDataPage.read(sections, of: "7", from: nil)
            expectEqual(page?.sections.map(\.name), sections.map(\.name))
            expectEqual(page?.sections.allSatisfy { $0.rows.isEmpty }, true)
            expectNil(page?.next)
        }
    }
}
