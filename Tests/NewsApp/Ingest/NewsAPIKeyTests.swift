import ConfigurationTesting
import DomainKit
import Expectations
import HubTesting
import News
import StoreTesting

@testable import NewsApp

@Suite("Keys of NewsAPI: where they come from and where they go", .timeLimit(.minutes(10)))
struct NewsAPIKeyTests {
    private func load(_ keys: String) throws -> (LoadedConfiguration, NewsSection) {
        let loaded = try ConfigurationTesting.load(
            "news: {sources: [{name: a, kind: newsapi, query: {q: x}, \(keys)}]}",
            domains: [
                DomainConfiguration(NewsSection.self, reservedNamespaces: [], defaultAlerts: [])
            ],
            environment: [:]
        )
        return (loaded, try require(loaded.configuration[NewsSection.self]))
    }

    @Test(arguments: [
        ("key: of-the-section", "of-the-section"), ("key_env: K", "of-the-variable"),
        ("key_file: /run/k", "of-the-file"),
    ])
    func keyIsReadFromWhereTheSectionSays(given: String, key: String) throws {
        let keys = try load(given).1.newsAPIKeys(
            environment: ["K": "of-the-variable"],
            readFile: { $0 == "/run/k" ? "of-the-file\n" : nil },
            report: { Issue.record("\($0): \($1)") }
        )
        expectEqual(keys.mapValues(\.revealed), ["a": key])
    }

    @Test(arguments: [
        ("key_env: K", "key_env"), ("key_file: /run/k", "key_file"), (#"key: "two words""#, "key"),
    ])
    func keyThatIsMissingOrNoneIsReportedWithItsPath(given: String, name: String) throws {
        var paths: [String] = []
        let keys = try load(given).1.newsAPIKeys(
            environment: [:],
            readFile: { _ in nil },
            report: { path, _ in paths.append(path) }
        )
        expect(keys.isEmpty)
        expectEqual(paths, ["news.sources[0].\(name)"])
    }

    @Test func keyInTheFileIsAnExposureAndIsNotShown() throws {
        let (loaded, section) = try load("key: sesame-open")
        expectEqual(section.exposures(in: loaded).count, 1)
        expect(!"\(section.sources)".contains("sesame"))
    }

    @Test func sourceWithoutAKeyIsNotPolled() async throws {
        let section = try load("key_env: K").1
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store, settings: section)
            expect(NewsSources(service: service).all.isEmpty)
            expectEqual(NewsSources(service: service, keys: ["a": Secret("k")]).all.count, 1)
        }
    }

    @Test func storedCountDoesNotContainTheKey() async throws {
        try await withStore { store in
            let budget = NewsAPIBudget(
                key: "sesame-open",
                dailyMax: 1,
                store: store,
                clock: HubClock(.wall),
                logger: silentLogger
            )
            await expectNil(budget.spend(for: "a"))
            let rows = try await store.state(domain: NewsSection.key)
            expectEqual(rows.count, 1)
            for row in rows {
                let value = String(decoding: try require(row.value), as: UTF8.self)
                expect(!(row.key + value).contains("sesame"))
            }
        }
    }
}
