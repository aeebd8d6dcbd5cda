import Expectations
import News

@Suite("Queries of /v2", .timeLimit(.minutes(10)))
struct NewsAPIQueriesTests {
    private func headlines(
        country: String? = nil,
        category: String? = nil,
        sources: String? = nil,
        q: String? = nil,
        language: String? = nil
    ) throws(NewsAPIError) -> HeadlinesQuery {
        try HeadlinesQuery(
            country: country,
            category: category,
            sources: sources,
            q: q,
            language: language
        )
    }

    private func everything(
        q: String? = nil,
        sources: String? = nil,
        from: String? = nil,
        to: String? = nil,
        language: String? = nil,
        sortBy: String? = nil
    ) throws(NewsAPIError) -> EverythingQuery {
        try EverythingQuery(
            q: q,
            sources: sources,
            from: from,
            to: to,
            language: language,
            sortBy: sortBy
        )
    }

    private func code(_ body: () throws(NewsAPIError) -> Void) -> NewsAPIError.Code? {
        do throws(NewsAPIError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func appsQueryIsTaken() throws {
        let query = try headlines(country: "us", category: "")
        expectEqual(query.country, "us")
        expectNil(query.category)
        expect(query.sources.isEmpty)
    }

    @Test func caseOfLettersAndOrderOfSourcesDoNotMatter() throws {
        let query = try headlines(country: "US", category: "Business", language: "EN")
        expectEqual(query, (try headlines(country: "us", category: "business", language: "en")))
        let sources = try headlines(sources: "b, a,,b")
        expectEqual(sources.sources, ["a", "b"])
        expectEqual(sources, (try headlines(sources: "a,b")))
    }

    @Test func oneParameterIsNeeded() throws {
        expectEqual(code { () throws(NewsAPIError) in _ = try headlines() }, .parametersMissing)
        let empty = code { () throws(NewsAPIError) in
            _ = try headlines(country: "", category: "", sources: ",", q: "", language: "")
        }
        expectEqual(empty, .parametersMissing)
        try expectEqual(headlines(q: "fed").text, "fed")
        try expectEqual(headlines(language: "en").language, "en")
        expectEqual(code { () throws(NewsAPIError) in _ = try everything() }, .parametersMissing)
        expectEqual(
            code { () throws(NewsAPIError) in _ = try everything(language: "en") },
            .parametersMissing
        )
        try expectEqual(everything(sources: "fed").sources, ["fed"])
    }

    @Test func sourcesExcludeCountryAndCategory() throws {
        for (country, category) in [("us", nil), (nil, "health"), ("us", "health")]
            as [(String?, String?)]
        {
            let code = code { () throws(NewsAPIError) in
                _ = try headlines(country: country, category: category, sources: "fed")
            }
            expectEqual(code, .parametersIncompatible)
        }
        try expectEqual(headlines(sources: "fed", q: "x", language: "en").sources, ["fed"])
    }

    @Test(arguments: ["u", "usa", "u1", "ü", "u ", "--"])
    func otherCountriesAndLanguagesAreInvalid(text: String) {
        let country = code { () throws(NewsAPIError) in _ = try headlines(country: text) }
        expectEqual(country, .parameterInvalid)
        let language = code { () throws(NewsAPIError) in _ = try everything(q: "x", language: text)
        }
        expectEqual(language, .parameterInvalid)
    }

    @Test func everyCategoryIsTakenAndNoOther() throws {
        for category in NewsCategory.allCases {
            try expectEqual(headlines(category: category.rawValue).category, category)
        }
        let other = code { () throws(NewsAPIError) in _ = try headlines(category: "world") }
        expectEqual(other, .parameterInvalid)
    }

    @Test func atMost20SourcesOfAtMost100CharactersAreTaken() throws {
        let names = (0..<20).map { "s\($0)" }
        try expectEqual(headlines(sources: names.joined(separator: ",")).sources.count, 20)
        let more = (names + ["s20"]).joined(separator: ",")
        expectEqual(
            code { () throws(NewsAPIError) in _ = try headlines(sources: more) },
            .sourcesTooMany
        )
        let long = String(repeating: "x", count: 101)
        expectEqual(
            code { () throws(NewsAPIError) in _ = try headlines(sources: long) },
            .sourceDoesNotExist
        )
    }

    @Test func pagesCountFrom1AndHave1To100Articles() throws {
        try expectEqual(NewsAPIPaging(page: nil, pageSize: nil), NewsAPIPaging(page: 1, size: 20))
        try expectEqual(NewsAPIPaging(page: "", pageSize: ""), NewsAPIPaging(page: 1, size: 20))
        let last = try NewsAPIPaging(page: "1000000", pageSize: "100")
        expectEqual(last, NewsAPIPaging(page: 1_000_000, size: 100))
        for (page, size) in [
            ("0", nil), ("-1", nil), ("x", nil), ("1000001", nil), (nil, "0"),
            (nil, "101"), (nil, "1.5"),
        ] as [(String?, String?)] {
            let code = code { () throws(NewsAPIError) in
                _ = try NewsAPIPaging(page: page, pageSize: size)
            }
            expectEqual(code, .parameterInvalid, "\(page ?? "") \(size ?? "")")
        }
    }

    @Test func periodIsOfDaysOrTimes() throws {
        let days = try everything(q: "x", from: "2026-01-01", to: "2026-01-02")
        expectEqual(days.from?.iso8601, "2026-01-01T00:00:00.000Z")
        expectEqual(days.to?.iso8601, "2026-01-02T23:59:59.999Z")
        let times = try everything(q: "x", from: "2026-01-02T10:00:00", to: "2026-01-02T10:00:00Z")
        expectEqual(times.from, times.to)
        let day = try everything(q: "x", from: "2026-01-02", to: "2026-01-02")
        expect(day.from != nil)
    }

    @Test(
        arguments: [
            ("2026-01-03", "2026-01-02"), ("yesterday", nil), (nil, "2026-02-30"), ("2026", nil),
        ] as [(String?, String?)]
    )
    func otherPeriodsAreInvalid(from: String?, to: String?) {
        let code = code { () throws(NewsAPIError) in
            _ = try everything(q: "x", from: from, to: to)
        }
        expectEqual(code, .parameterInvalid)
    }

    @Test func orderIsByTimeUnlessSaidOtherwise() throws {
        try expectEqual(everything(q: "x").order, .publishedAt)
        try expectEqual(everything(q: "x", sortBy: "").order, .publishedAt)
        try expectEqual(everything(q: "x", sortBy: "publishedat").order, .publishedAt)
        try expectEqual(everything(q: "x", sortBy: "relevancy").order, .relevancy)
        let other = code { () throws(NewsAPIError) in _ = try everything(q: "x", sortBy: "date") }
        expectEqual(other, .parameterInvalid)
    }

    @Test func textHasAtMost500Characters() throws {
        let longest = String(repeating: "ä", count: 500)
        try expectEqual(everything(q: longest).text, longest)
        for text in [longest + "ä", " ", "a\u{0}"] {
            let code = code { () throws(NewsAPIError) in _ = try everything(q: text) }
            expectEqual(code, .parameterInvalid)
        }
    }

    @Test func sourcesAreListedByCategoryLanguageAndCountry() throws {
        let all = try SourcesQuery(category: nil, language: "", country: nil)
        expectNil(all.category)
        let some = try SourcesQuery(category: "health", language: "EN", country: "US")
        expectEqual(some.category, .health)
        expectEqual(some.language, "en")
        expectEqual(some.country, "us")
        let other = code { () throws(NewsAPIError) in
            _ = try SourcesQuery(category: "x", language: nil, country: nil)
        }
        expectEqual(other, .parameterInvalid)
    }

    @Test func summaryNeedsAWebURL() throws {
        try expectEqual(requestedSummaryURL("https://a.b/c"), "https://a.b/c")
        for url in [nil, ""] as [String?] {
            let code = code { () throws(NewsAPIError) in _ = try requestedSummaryURL(url) }
            expectEqual(code, .parametersMissing)
        }
        for url in ["a", "ftp://a", "https://"] {
            let code = code { () throws(NewsAPIError) in _ = try requestedSummaryURL(url) }
            expectEqual(code, .parameterInvalid)
        }
    }

    @Test func keyIsInAHeaderATokenOrTheQuery() {
        expectEqual(presentedNewsAPIKey(header: "a", authorization: "Bearer b", query: "c"), "a")
        expectEqual(presentedNewsAPIKey(header: nil, authorization: "bearer b", query: "c"), "b")
        expectEqual(presentedNewsAPIKey(header: "", authorization: "b", query: "c"), "b")
        expectEqual(presentedNewsAPIKey(header: " ", authorization: "Bearer ", query: "c"), "c")
        expectNil(presentedNewsAPIKey(header: nil, authorization: nil, query: ""))
    }
}
