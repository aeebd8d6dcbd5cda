// The queries of /v2. An empty parameter counts as missing: the app sends `category=` for all.

/// A page of a list: `page` and `pageSize`.
package struct NewsAPIPaging: Equatable, Sendable {
    package static let sizeDefault = 20

    /// Counts from 1.
    package var page: Int
    package var size: Int

    package init(page: Int = 1, size: Int = sizeDefault) {
        self.page = page
        self.size = size
    }

    package init(page: String?, pageSize: String?) throws(NewsAPIError) {
        do throws(RequestError) {
            self.page =
                try queryNumber(given(page), "page", in: 1...NewsRequestLimits.pageMax) ?? 1
            size =
                try queryNumber(given(pageSize), "pageSize", in: NewsRequestLimits.pageLength)
                ?? NewsAPIPaging.sizeDefault
        } catch {
            throw NewsAPIError(error)
        }
    }
}

/// The filter of `GET /v2/top-headlines`.
package struct HeadlinesQuery: Hashable, Sendable {
    /// Two letters in lower case.
    package var country: String?
    package var category: NewsCategory?
    /// Names of sources; empty for all. Sorted, so that the order of the request does not matter.
    package var sources: [String]
    package var text: String?
    /// Two letters in lower case.
    package var language: String?

    package init(
        country: String?,
        category: String?,
        sources: String?,
        q: String?,
        language: String?
    ) throws(NewsAPIError) {
        self.sources = try sourceNames(sources)
        do throws(RequestError) {
            self.country = try twoLetters(country, "country")
            self.category = try queryWord(given(category), "category")
            self.language = try twoLetters(language, "language")
            text = try searchText(q)
        } catch {
            throw NewsAPIError(error)
        }
        guard self.sources.isEmpty || (self.country == nil && self.category == nil) else {
            throw .sourcesWithPlace
        }
        guard
            self.country != nil || self.category != nil || !self.sources.isEmpty
                || text != nil || self.language != nil
        else {
            throw .parametersMissing(oneOf: ["sources", "q", "language", "country", "category"])
        }
    }
}

/// The filter and order of `GET /v2/everything`.
package struct EverythingQuery: Hashable, Sendable {
    package enum Order: String, CaseIterable, Sendable {
        case relevancy, popularity, publishedAt
    }

    package var text: String?
    /// Names of sources, sorted; empty for all.
    package var sources: [String]
    package var from: Timestamp?
    /// Inclusive.
    package var to: Timestamp?
    /// Two letters in lower case.
    package var language: String?
    package var order: Order

    package init(
        q: String?,
        sources: String?,
        from: String?,
        to: String?,
        language: String?,
        sortBy: String?
    ) throws(NewsAPIError) {
        self.sources = try sourceNames(sources)
        do throws(RequestError) {
            text = try searchText(q)
            self.from = try instant(from, "from", endOfDay: false)
            self.to = try instant(to, "to", endOfDay: true)
            self.language = try twoLetters(language, "language")
            order = try queryWord(given(sortBy), "sortBy") ?? .publishedAt
            if let from = self.from, let to = self.to, from > to {
                throw .unexpected(
                    field: "from",
                    expected: "a time before to",
                    found: from.iso8601Seconds
                )
            }
        } catch {
            throw NewsAPIError(error)
        }
        guard text != nil || !self.sources.isEmpty else {
            throw .parametersMissing(oneOf: ["q", "sources"])
        }
    }
}

/// The filter of `GET /v2/top-headlines/sources`.
package struct SourcesQuery: Hashable, Sendable {
    package var category: NewsCategory?
    package var language: String?
    package var country: String?

    package init(category: String?, language: String?, country: String?) throws(NewsAPIError) {
        do throws(RequestError) {
            self.category = try queryWord(given(category), "category")
            self.language = try twoLetters(language, "language")
            self.country = try twoLetters(country, "country")
        } catch {
            throw NewsAPIError(error)
        }
    }
}

/// The `url` of `GET /v2/articles/summary`.
package func requestedSummaryURL(_ url: String?) throws(NewsAPIError) -> String {
    guard let url = given(url) else { throw .parametersMissing(oneOf: ["url"]) }
    guard isWebURL(url) else {
        throw NewsAPIError(unexpectedQuery(url, "url", "an absolute http or https URL"))
    }
    return url
}

/// The API key that a request of `/v2` presents; nil without one.
///
/// - Parameters:
///   - header: `X-Api-Key`.
///   - authorization: `Authorization`, as `Bearer KEY` or, as NewsAPI takes it, the key as it is.
///   - query: `apiKey`.
package func presentedNewsAPIKey(
    header: String?,
    authorization: String?,
    query: String?
) -> String? {
    let scheme = "bearer "
    let bearer = authorization.map { text in
        text.lowercased().hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : text
    }
    return [header, bearer, query].lazy.compactMap { $0.map(trimmedText) }.first { !$0.isEmpty }
}

private func given(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
}

private func searchText(_ q: String?) throws(RequestError) -> String? {
    guard let q = given(q) else { return nil }
    return try TextRule.newsSearch.check(q, field: "q")
}

private func twoLetters(_ text: String?, _ name: String) throws(RequestError) -> String? {
    guard let text = given(text) else { return nil }
    guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
        throw unexpectedQuery(text, name, "a code of two letters")
    }
    return text.lowercased()
}

private func sourceNames(_ text: String?) throws(NewsAPIError) -> [String] {
    guard let text = given(text) else { return [] }
    let names = Set(text.split(separator: ",").map(trimmedText).filter { !$0.isEmpty })
    guard names.count <= NewsRequestLimits.sourcesMax else {
        throw .sourcesTooMany(names.count, limit: NewsRequestLimits.sourcesMax)
    }
    for name in names where name.unicodeScalars.count > NewsRequestLimits.sourceNameLengthMax {
        throw .sourceDoesNotExist(name)
    }
    return names.sorted()
}

/// A date, or a date with a time. A date as the end of a period has the whole day.
private func instant(
    _ text: String?,
    _ name: String,
    endOfDay: Bool
) throws(RequestError) -> Timestamp? {
    guard let text = given(text) else { return nil }
    if let day = midnight(of: text) {
        return endOfDay ? day + .milliseconds(86_400_000 - 1) : day
    }
    guard let instant = Timestamp(iso8601: text) else {
        throw unexpectedQuery(text, name, "a time such as 2026-01-02 or 2026-01-02T10:00:00Z")
    }
    return instant
}
