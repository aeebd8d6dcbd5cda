import Expectations
import Foundation
import LoopTesting
import NewsFeeds
import Wire

@testable import NewsApp

@Suite("Interpretations of texts and pages", .timeLimit(.minutes(10)))
struct NewsInterpreterTests {
    private static let sentence = "Apple (NASDAQ: AAPL) raises its forecast after strong sales."

    private func page(_ head: String = "") -> (Int, HTTPHeaders, String) {
        let html = """
            <html><head><title>Forecast raised</title>\(head)</head>
            <body><article><p>\(NewsInterpreterTests.sentence) \(NewsInterpreterTests.sentence)</p>
            <p>\(NewsInterpreterTests.sentence) The shares rose.</p></article></body></html>
            """
        return (200, ["Content-Type": "text/html; charset=utf-8"], html)
    }

    private func body(_ text: String) -> String {
        let json = try? JSONSerialization.data(withJSONObject: ["textOrUrl": text])
        return String(decoding: json ?? Data(), as: UTF8.self)
    }

    private func withHub(
        _ answers: [String: (Int, HTTPHeaders, String)] = [:],
        settings: NewsSection = NewsSection(),
        _ body: (NewsHub, RecordingTransport) async throws -> Void
    ) async throws {
        let transport = RecordingTransport(answers)
        let resolver = RecordingResolver([
            "a.example": [["93.184.216.34"]], "inside.example": [["10.0.0.1"]],
        ])
        try await NewsHub.run(settings: settings, resolver: resolver, transport: transport) {
            try await body($0, transport)
        }
    }

    private func signal(of text: String, _ hub: NewsHub) async throws -> [String: Any] {
        try await hub.object("/v1/interpret", method: "POST", body: body(text))
    }

    // MARK: Texts

    @Test func textIsASignalOfItsOwn() async throws {
        try await withHub { hub, transport in
            let text = "\(NewsInterpreterTests.sentence) Analysts had expected less."
            let signal = try await signal(of: text, hub)
            let id = try require(signal["id"] as? String)
            expect(id.hasPrefix("text://"))
            expectEqual(signal["url"] as? String, id)
            expectEqual(signal["source"] as? String, "User Input")
            expectEqual(signal["title"] as? String, NewsInterpreterTests.sentence)
            let why = try require(signal["why"] as? [String])
            expect((1...3).contains(why.count))
            expect(transport.requests.isEmpty)
        }
    }

    @Test func holdingsOfTheReaderComeFirst() async throws {
        try await withHub { hub, _ in
            let holdings = #"{"holdings":["AAPL"]}"#
            _ = try await hub.object("/v1/preferences", method: "PUT", body: holdings)
            let signal = try await signal(of: NewsInterpreterTests.sentence, hub)
            expectEqual((signal["why"] as? [String])?.first, "You hold AAPL")
        }
    }

    @Test(arguments: [
        ("", "Text or URL is required"),
        (String(repeating: "a ", count: 10_001), "Text is too long"),
        ("ftp://a.example/x", "The URL cannot be interpreted"),
        ("http://user:secret@a.example/", "The URL cannot be interpreted"),
        ("http://inside.example/", "The URL cannot be interpreted"),
        ("http://127.0.0.1:22/", "The URL cannot be interpreted"),
        ("http://none.example/", "The URL cannot be interpreted"),
    ])
    func whatCannotBeInterpretedIsRefused(text: String, error: String) async throws {
        try await withHub { hub, transport in
            let answer = try await hub.object(
                "/v1/interpret",
                method: "POST",
                body: body(text),
                status: 400
            )
            expectEqual(answer["error"] as? String, error)
            expect(transport.requests.isEmpty)
        }
    }

    @Test func interpretationsOfAUserAreLimited() async throws {
        var settings = NewsSection()
        settings.interpretationsPerMinute = 2
        try await withHub(settings: settings) { hub, _ in
            var statuses: [Int] = []
            // The minute may end in between, so up to two windows are used up.
            while statuses.last != 429, statuses.count < 5 {
                let response = await hub.ask(
                    "/v1/interpret",
                    method: "POST",
                    body: body("Rates rise.")
                )
                statuses.append(response.head.status)
            }
            expectEqual(statuses.last, 429)
            expect(statuses.count > 2)
            let other = await hub.ask(
                "/v1/interpret",
                method: "POST",
                headers: ["X-User-ID": "ben"],
                body: body("Rates rise.")
            )
            expectEqual(other.head.status, 200)
        }
    }

    // MARK: Pages

    @Test func pageIsASignalWithWhatItStatesAboutItself() async throws {
        let head = """
            <meta property="og:site_name" content="A Journal">
            <link rel="canonical" href="https://a.example/forecast">
            <meta property="article:published_time" content="2026-01-01T10:00:00Z">
            """
        try await withHub(["https://a.example/f?x=1": page(head)]) { hub, transport in
            let signal = try await signal(of: "https://a.example/f?x=1", hub)
            expectEqual(signal["id"] as? String, "https://a.example/forecast")
            expectEqual(signal["title"] as? String, "Forecast raised")
            expectEqual(signal["source"] as? String, "A Journal")
            expectEqual(signal["published_at"] as? String, "2026-01-01T10:00:00Z")
            expectEqual((signal["why"] as? [String])?.isEmpty, false)
            expectEqual(transport.requests.count, 1)
        }
    }

    @Test func pageCannotSpeakForAnotherSite() async throws {
        let head = #"<link rel="canonical" href="https://bank.example/forecast">"#
        try await withHub(["https://a.example/f": page(head)]) { hub, _ in
            let signal = try await signal(of: "https://a.example/f", hub)
            expectEqual(signal["id"] as? String, "https://a.example/f")
            expectEqual(signal["source"] as? String, "a.example")
        }
    }

    @Test func storedArticleKeepsItsSignalAndIsNotRead() async throws {
        try await withHub { hub, transport in
            try await hub.fill(1)
            let url = "https://news.example.org/0-0"
            let signal = try await signal(of: "\(url)?utm_source=mail", hub)
            let listed = try await hub.object("/v1/feed").items("items")
            expectEqual(signal["id"] as? String, url)
            expectEqual(signal as NSDictionary, listed[0] as NSDictionary)
            expect(transport.requests.isEmpty)
        }
    }

    @Test func pageWithoutTextIsRefused() async throws {
        let empty = (200, ["Content-Type": "text/html"] as HTTPHeaders, "<p></p>")
        try await withHub(["https://a.example/f": empty]) { hub, _ in
            let answer = try await hub.object(
                "/v1/interpret",
                method: "POST",
                body: body("https://a.example/f"),
                status: 400
            )
            expectEqual(answer["details"] as? String, "the page has no text")
        }
    }

    // MARK: Models

    @Test func answerOfTheModelReplacesTheWordsOfTheHub() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.interpretation("Profit rises at Acme"))
            let service = newsService(hub.store, writer: try await hub.writer())
            let interpreter = NewsInterpreter(
                service: service,
                pages: PageReader(userAgent: "varde/test", transport: RecordingTransport())
            )
            let user = try require(NewsUserID("ann"))
            let text = InterpretedText("Profit rises at Acme, as the company said.")
            let signal = try await interpreter.signal(of: .text(text), for: user)
            expectEqual(signal.why, ["Profit rises at Acme"])
            expectEqual(signal.action, "Read the reported figures")
            expectEqual(signal.source, InterpretedText.source)
        }
    }
}
