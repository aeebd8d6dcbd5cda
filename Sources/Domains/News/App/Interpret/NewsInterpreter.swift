import DomainKit
import NewsFeeds

/// Interprets the input of a user: a text, or the page at a URL.
///
/// The hub's own lists of words interpret every text. If a model is configured, its answer replaces
/// their result, except the importance. A stored article keeps the signal that all users see, and
/// is not read again.
package struct NewsInterpreter: Sendable {
    /// The time that a request may wait, for the page and the model together. The page has at most
    /// `PageReader.Limits.timeout` of it. A model's later answer is stored for the next request.
    static let answerWithin = Duration.seconds(3)

    private let service: NewsService
    private let pages: PageReader
    private let extractor = TickerExtractor()

    package init(service: NewsService, pages: PageReader) {
        self.service = service
        self.pages = pages
    }

    package func signal(
        of request: NewsInterpretRequest,
        for user: NewsUserID
    ) async throws -> SignalView {
        let end = ContinuousClock.now + NewsInterpreter.answerWithin
        switch request {
        case .text(let pasted):
            let now = service.clock.now
            let id = pasted.id(now: now)
            return try await signal(of: pasted.text, for: user, until: end) { signal in
                signal.id = id
                signal.url = id
                signal.title = pasted.title
                signal.source = InterpretedText.source
                signal.publishedAt = now
            }
        case .url(let url):
            return try await signal(ofPageAt: url, for: user, until: end)
        }
    }

    // MARK: Pages

    private func signal(
        ofPageAt text: String,
        for user: NewsUserID,
        until end: ContinuousClock.Instant
    ) async throws -> SignalView {
        let url = try canonical(text)
        if let known = try await service.signal(ofArticleAt: url) { return known }
        let (page, finalText) = try await read(text, for: user)
        let final = try canonical(finalText)
        let stated = page.canonicalURL.flatMap { try? CanonicalURL($0) }
        // A page can state a canonical URL of any other site.
        let id = stated.flatMap { $0.host == final.host ? $0 : nil } ?? final
        if let known = try await service.signal(ofArticleAt: id) { return known }
        let content = page.text.isEmpty ? page.summary : page.text
        guard !content.isEmpty || !page.title.isEmpty else {
            throw NewsError.urlNotReadable(details: "the page has no text")
        }
        let title = page.title.isEmpty ? InterpretedText(content).title : page.title
        let all = [title, content].filter { !$0.isEmpty }.joined(separator: "\n")
        let limit = NewsRequestLimits.interpretLengthMax
        let now = service.clock.now
        return try await signal(of: String(all.prefix(limit)), for: user, until: end) { signal in
            signal.id = id.text
            signal.url = id.text
            signal.title = title
            signal.source = page.siteName ?? id.host
            signal.publishedAt = page.published.map { min($0, now) } ?? now
        }
    }

    private func canonical(_ url: String) throws(NewsError) -> CanonicalURL {
        do throws(CanonicalURL.Refusal) { return try CanonicalURL(url) } catch {
            throw .urlNotReadable(details: "the URL \(error.rawValue)")
        }
    }

    private func read(
        _ url: String,
        for user: NewsUserID
    ) async throws(NewsError) -> (page: WebPage, url: String) {
        do throws(PageReaderError) {
            return try await pages.read(url, for: user.text)
        } catch {
            throw NewsError(error)
        }
    }

    // MARK: Texts

    /// - Parameters:
    ///   - end: the time at which the request is answered without the model.
    ///   - identify: sets the id, URL, title, source and time of the signal.
    private func signal(
        of text: String,
        for user: NewsUserID,
        until end: ContinuousClock.Instant,
        _ identify: (inout SignalView) -> Void
    ) async throws -> SignalView {
        let preferences = try await service.preferences(of: user)
        let holdings = Set(preferences.holdings.map(\.ticker))
        let lexical = TextInterpretation(text, holdings: holdings, extractor: extractor)
        let left = max(.zero, end - ContinuousClock.now)
        let written = await service.writer?.interpretation(of: text, for: user, within: left)
        let said = written ?? WrittenInterpretation(lexical)
        let held = lexical.tickers.filter(holdings.contains)
        // The prompt to the model does not contain the user's holdings.
        let first = written == nil || held.isEmpty ? [] : [StoryReasons.sentence(holding: held)]
        var signal = SignalView(
            id: "",
            url: "",
            title: "",
            source: "",
            publishedAt: service.clock.now,
            verdict: said.verdict,
            why: first + said.why,
            action: said.action,
            horizon: said.horizon,
            opportunity: said.opportunity,
            opportunityNote: said.opportunityNote,
            confidence: said.confidence,
            importance: lexical.importanceScore
        )
        identify(&signal)
        return signal
    }
}

extension NewsService {
    /// The signal of a stored article; for a copy, the signal of its original.
    func signal(ofArticleAt url: CanonicalURL) async throws -> SignalView? {
        try await store.readNews { tables in
            guard let article = try tables.articles(named: url).first,
                let signal = try tables.signal(ofArticle: article.id)
            else { return nil }
            guard let original = signal.copyOf else { return SignalView(article, signal.signal) }
            guard let article = try tables.article(original),
                let signal = try tables.signal(ofArticle: original)
            else { return nil }
            return SignalView(article, signal.signal)
        }
    }
}
