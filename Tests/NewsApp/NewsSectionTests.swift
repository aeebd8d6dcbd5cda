import ConfigurationTesting
import DomainKit
import Expectations
import News

@testable import NewsApp

@Suite("Configuration: the news and their sources", .timeLimit(.minutes(10)))
struct NewsSectionTests {
    private func news(_ yaml: String) throws -> NewsSection {
        let configuration = DomainConfiguration(
            NewsSection.self,
            reservedNamespaces: [],
            defaultAlerts: []
        )
        let loaded = try ConfigurationTesting.load(yaml, domains: [configuration], environment: [:])
        return try require(loaded.configuration[NewsSection.self])
    }

    @Test func everyKeyIsRead() throws {
        let section = try news(
            """
            news:
              retention: 7d
              articles: 5000
              time_zone: EST5EDT
              brief_hour: 6
              requests_per_minute: 50
              interpretations_per_minute: 5
              allow_addresses: [10.1.0.0/16]
              app_keys: [one, two]
              sources:
                - name: fed
                  kind: feed
                  url: https://www.federalreserve.gov/feeds/press_all.xml
                  title: Federal Reserve
                  owner: us-government
                  category: business
                  language: en
                  country: us
                  weight: 2.5
                  interval: 1h
                  max_items: 50
            """
        )
        var source = NewsSection.Source()
        source.name = "fed"
        source.url = "https://www.federalreserve.gov/feeds/press_all.xml"
        source.title = "Federal Reserve"
        source.owner = "us-government"
        source.category = .business
        source.language = "en"
        source.country = "us"
        source.weight = 2.5
        source.interval = .seconds(3600)
        source.itemsMax = 50
        expectEqual(section.sources, [source])
        expectEqual(section.retention, .seconds(7 * 86_400))
        expectEqual(section.articlesMax, 5000)
        expectEqual(section.appKeys.map(\.revealed), ["one", "two"])
        expectEqual(section.timeZone, .usEastern)
        expectEqual(section.briefHour, 6)
        expectEqual(section.requestsPerMinute, 50)
        expectEqual(section.interpretationsPerMinute, 5)
        expectEqual(section.allowedAddresses, ["10.1.0.0/16"])
    }

    @Test func sourceIsNamedByWhatIsGiven() throws {
        let sources = try news(
            """
            news:
              sources:
                - {name: a, url: "https://a.example/feed"}
                - {name: b, url: "https://b.example/feed", title: B, owner: group}
            """
        ).sources.map(\.articleSource)
        expectEqual(sources[0], ArticleSource(name: "a", title: "a", owner: "a", weight: 1))
        expectEqual(sources[1], ArticleSource(name: "b", title: "B", owner: "group", weight: 1))
    }

    @Test func emptySectionHasNoSources() throws {
        try expect(news("news: {}").sources.isEmpty)
    }

    @Test(arguments: [
        ("name: a", "news.sources[0].url"),
        (#"url: "https://a.example/""#, "news.sources[0].name"),
        (#"name: a, url: "ftp://a.example/""#, "news.sources[0].url"),
        (#"name: a, url: "https://a.example/", category: gossip"#, "news.sources[0].category"),
        (#"name: a, url: "https://a.example/", language: english"#, "news.sources[0].language"),
        (#"name: a, url: "https://a.example/", language: EN"#, "news.sources[0].language"),
        (#"name: a, url: "https://a.example/", country: usa"#, "news.sources[0].country"),
        (#"name: a, url: "https://a.example/", interval: 59s"#, "news.sources[0].interval"),
        (#"name: a, url: "https://a.example/", weight: 0"#, "news.sources[0].weight"),
        (#"name: a, url: "https://a.example/", max_items: 0"#, "news.sources[0].max_items"),
        (#"name: a, url: "https://a.example/", kind: gopher"#, "news.sources[0].kind"),
    ])
    func wrongSourceIsRefusedWithItsKey(source: String, path: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try news("news: {sources: [{\(source)}]}")
        }
        expectEqual(error?.description.contains(path), true, "\(String(describing: error))")
    }

    @Test func twoSourcesOfOneNameAreRefused() {
        let source = #"{name: a, url: "https://a.example/"}"#
        #expect(throws: ConfigurationError.self) {
            try news("news: {sources: [\(source), \(source)]}")
        }
    }
}
