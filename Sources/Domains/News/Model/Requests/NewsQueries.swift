/// The query of `GET /v1/feed` and `GET /v1/personalized-feed`.
package struct NewsFeedQuery: Equatable, Sendable {
    package var limit: Int
    /// Not opened yet: `NewsCursors`. Nil for the first page.
    package var cursor: String?
    /// Whether signals with the verdict `ignore` are also listed.
    package var includesIgnored: Bool

    package init(
        limit: String?,
        cursor: String?,
        include: String? = nil,
        limitDefault: Int = NewsRequestLimits.feedLengthDefault
    ) throws(NewsError) {
        self.limit = try pageLimit(limit, default: limitDefault)
        self.cursor = cursor.flatMap { $0.isEmpty ? nil : $0 }
        let ignored = "ignored"
        if let include, include != ignored {
            throw NewsError(unexpectedQuery(include, "include", #""\#(ignored)""#))
        }
        includesIgnored = include != nil
    }
}

/// The query of `GET /v1/feed/story-groups`.
package struct StoryGroupsQuery: Equatable, Sendable {
    /// The date, as the midnight that it has in UTC.
    package var day: Timestamp
    /// Whether the request has a date. Without one the stories are those of the last 24 hours.
    package var hasDate: Bool
    package var globalLimit: Int
    package var tickerLimit: Int

    /// - Parameter now: the local time, as if in UTC: its date is the default.
    package init(
        date: String?,
        limitGlobal: String?,
        limitPerTicker: String?,
        now: Timestamp
    ) throws(NewsError) {
        do throws(RequestError) {
            let given = try queryDay(date, "date")
            day = given ?? now.roundedDown(to: .seconds(86_400))
            hasDate = given != nil
        } catch {
            throw NewsError(error)
        }
        globalLimit = try pageLimit(
            limitGlobal,
            "limit_global",
            default: NewsRequestLimits.globalGroupsDefault
        )
        tickerLimit = try pageLimit(
            limitPerTicker,
            "limit_per_ticker",
            default: NewsRequestLimits.tickerGroupsDefault
        )
    }
}

/// The query of `GET /v1/search`.
package struct NewsSearchQuery: Equatable, Sendable {
    package var text: String
    package var limit: Int
    /// Not opened yet: `NewsCursors`. Nil for the first page.
    package var cursor: String?

    package init(q: String?, limit: String?, cursor: String?) throws(NewsError) {
        do throws(RequestError) {
            guard let q else {
                throw .missing(field: "q", expected: TextRule.newsSearch.expected)
            }
            text = try TextRule.newsSearch.check(q, field: "q")
        } catch {
            throw NewsError(error)
        }
        self.limit = try pageLimit(limit, default: NewsRequestLimits.searchLengthDefault)
        self.cursor = cursor.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The id of a story in a path. A text that numbers no story is not found, as any other id.
package func storyIDInPath(_ text: some StringProtocol) throws(NewsError) -> Int {
    guard let id = decimalNumber(text), id > 0 else { throw .storyNotFound(text) }
    return id
}

private func pageLimit(
    _ text: String?,
    _ name: String = "limit",
    default limit: Int
) throws(NewsError) -> Int {
    do throws(RequestError) {
        return try queryNumber(text, name, in: NewsRequestLimits.pageLength) ?? limit
    } catch {
        throw NewsError(error)
    }
}
