import ConfigurationTesting
import DomainKit
import Expectations
import News

@testable import NewsApp

@Suite("Configuration: NewsAPI as a source", .timeLimit(.minutes(10)))
struct NewsAPISectionTests {
    private static let variable = ["VARDE_NEWSAPI_KEY": "of the environment"]

    private func source(
        _ keys: String,
        _ environment: [String: String] = [:]
    ) throws -> NewsSection.Source {
        let loaded = try ConfigurationTesting.load(
            "news: {sources: [{name: a, kind: newsapi, \(keys)}]}",
            domains: [
                DomainConfiguration(NewsSection.self, reservedNamespaces: [], defaultAlerts: [])
            ],
            environment: environment
        )
        return try require(loaded.configuration[NewsSection.self]?.sources.first)
    }

    @Test func everyKeyIsRead() throws {
        let source = try source(
            "key: k, interval: 30m, daily_requests: 50, query: {country: us, category: health}"
        )
        expectEqual(source.key?.revealed, "k")
        expectEqual(source.effectiveInterval, .seconds(1800))
        expectEqual(source.dailyRequests, 50)
        expectEqual(source.effectiveURL, "https://newsapi.org")
        expectEqual(
            source.query?.target,
            "/v2/top-headlines?country=us&category=health&pageSize=100"
        )
    }

    @Test func wordsAndPublishersAskForAllArticles() throws {
        let query = #"query: {q: "aurora OR sol & år", language: en, sources: [a, b]}"#
        let source = try source("key: k, \(query)")
        expectEqual(source.effectiveInterval, .seconds(3600))
        expectEqual(
            source.query?.target,
            """
            /v2/everything?q=aurora%20OR%20sol%20%26%20%C3%A5r&language=en&sources=a%2Cb\
            &pageSize=100&sortBy=publishedAt
            """
        )
    }

    @Test func keyOfTheEnvironmentIsForNewsAPIAndThisMachine() throws {
        let query = "query: {country: us}"
        let own = try source(query, Self.variable)
        expectEqual(own.key?.revealed, "of the environment")
        let local = try source(#"\#(query), url: "http://127.0.0.1:9""#, Self.variable)
        expectEqual(local.key?.revealed, "of the environment")
        #expect(throws: ConfigurationError.self) {
            try source(#"\#(query), url: "https://other.example""#, Self.variable)
        }
    }

    @Test(arguments: [
        ("query: {country: us}", "key"), ("key: k", "query"),
        ("key: k, key_env: K, query: {country: us}", "key_env"),
        ("key: k, interval: 29m, query: {country: us}", "interval"),
        (#"key: k, url: "https://a.example/?x=1", query: {country: us}"#, "url"),
        ("key: k, daily_requests: 0, query: {country: us}", "daily_requests"),
        ("key: k, query: {country: usa}", "query.country"),
        ("key: k, query: {language: en}", "query.q"),
        ("key: k, query: {country: us, language: en}", "query.language"),
        ("key: k, query: {category: health, sources: [a]}", "query.sources"),
    ])
    func wrongSourceIsRefusedWithItsKey(keys: String, path: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try source(keys) }
        let text = "\(String(describing: error))"
        expect(text.contains("news.sources[0].\(path)"), "\(text)")
    }

    @Test func feedHasNoKeyAndNoQuery() throws {
        for keys in ["key: k", "query: {country: us}"] {
            let yaml = #"news: {sources: [{name: a, url: "https://a.example/", \#(keys)}]}"#
            let error = #expect(throws: ConfigurationError.self) {
                try ConfigurationTesting.load(
                    yaml,
                    domains: [
                        DomainConfiguration(
                            NewsSection.self,
                            reservedNamespaces: [],
                            defaultAlerts: []
                        )
                    ],
                    environment: [:]
                )
            }
            expect("\(String(describing: error))".contains("kind feed is asked without"))
        }
    }
}
