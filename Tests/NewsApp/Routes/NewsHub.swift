import Expectations
import Foundation
import HubTesting
import News
import Reactor
import Service
import StoreTesting
import Wire

@testable import NewsApp

/// The routes of `/v1` and of pushed articles over a store.
struct NewsHub: Sendable {
    let service: NewsService
    let store: HubStore
    let responder: RouteResponder

    /// - Parameter key: the API key that is known.
    static func run(
        development: Bool = true,
        access: RouteAccess = .none,
        key: String? = nil,
        settings: NewsSection = NewsSection(),
        resolver: RecordingResolver = RecordingResolver(),
        transport: RecordingTransport = RecordingTransport(),
        commits: FailingCommits? = nil,
        _ body: (NewsHub) async throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: NewsTables.migrations, commits: commits) { store in
            let service = newsService(store, settings: settings)
            var routes = Routes()
            NewsRoutes(
                service: service,
                pages: PageReader(
                    userAgent: "varde/test",
                    limits: .patient,
                    resolver: resolver,
                    transport: transport
                ),
                access: access,
                reads: FairReads(),
                isDevelopment: development
            ).add(to: &routes)
            NewsPushRoutes(service: service, access: access, isDevelopment: development)
                .add(to: &routes)
            let responder = RouteResponder(routes: routes, logger: silentLogger) { given in
                given == key ? APIKeyGrant(name: given) : nil
            }
            try await body(NewsHub(service: service, store: store, responder: responder))
        }
    }

    func ask(
        _ target: String,
        method: String = "GET",
        headers: HTTPHeaders = [:],
        body: String = ""
    ) async -> ServerResponse {
        let head = HTTPRequestHead(method: method, target: target, headers: headers)
        return await responder.respond(
            to: ServerRequest(
                head: head,
                body: Array(body.utf8),
                peer: SocketAddress("127.0.0.1:5")
            )
        )
    }

    /// The JSON object of an answer.
    func object(
        _ target: String,
        method: String = "GET",
        headers: HTTPHeaders = [:],
        body: String = "",
        status: Int = 200
    ) async throws -> [String: Any] {
        let response = await ask(target, method: method, headers: headers, body: body)
        expectEqual(response.head.status, status, "\(method) \(target)")
        let json = try JSONSerialization.jsonObject(with: Data(response.body))
        return try require(json as? [String: Any])
    }

    /// The JSON texts in the history of a topic.
    func payloads(of name: String) async throws -> [String] {
        let history = try await store.history(of: Topic(trusted: name), count: 100)
        return (history?.publications ?? []).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// Stores reports of `count` stories, `each` of every one, one minute apart.
    func fill(_ count: Int, each: Int = 1, from first: Int = 0, tickers: [String] = []) async throws
    {
        for story in first..<(first + count) {
            for report in 0..<each {
                let words = (0..<5).map { madeWord(story * 5 + $0) }
                var article = newArticle(
                    "\(story)-\(report)",
                    title: (words + [madeWord(10_000 + story * 50 + report)])
                        .joined(separator: " "),
                    published: story * each + report,
                    tickers: tickers
                )
                article.source = ArticleSource(name: "s\(report)", title: "Source \(report)")
                _ = try await service.take([article])
            }
        }
    }
}

/// A word of its own for each number.
func madeWord(_ number: Int) -> String {
    let syllables = ["ba", "ko", "du", "fi", "gra", "hem", "jol", "kru", "lim", "mon"]
    let digits = String(number).map { Int(String($0))! }
    return digits.map { syllables[$0] }.joined() + "x"
}

extension [String: Any] {
    func items(_ key: String) -> [[String: Any]] { self[key] as? [[String: Any]] ?? [] }

    func texts(_ key: String, in list: String) -> [String] {
        items(list).compactMap { $0[key] as? String }
    }
}
