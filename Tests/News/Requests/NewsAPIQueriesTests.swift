import News
import Testing

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
        #expect(query.country == "us")
        #expect(query.category == nil)
        #expect(query.sources.isEmpty)
    }

    @Test func caseOfLettersAndOrderOfSourcesDoNotMatter() throws {
        let query = try headlines(country: "US", category: "Business", language: "EN")
        #expect(query == (try headlines(country: "us", category: "business", language: "en")))
        let sources = try headlines(sources: "b, a,,b")
        #expect(sources.sources == ["a", "b"])
        #expect(sources == (try headlines(sources: "a,b")))
    }

    @Test func oneParameterIsNeeded() throws {
        #expect(code { () throws(NewsAPIError) in _ = try headlines() } == .parametersMissing)
        let empty = code { () throws(NewsAPIError) in
            _ = try headlines(country: "", category: "", sources: ",", q: "", language: "")
        }
        #expect(empty == .parametersMissing)
        #expect(try headlines(q: "fed").text == "fed")
        #expect(try headlines(language: "en").language == "en")
        #expect(code { () throws(NewsAPIError) in _ = try everything() } == .parametersMissing)
        #expect(
            code { () throws(NewsAPIError) in _ = try everything(language: "en") }
                == .parametersMissing
        )
        #expect(try everything(sources: "fed").sources == ["fed"])
    }

    @Test func sourcesExcludeCountryAndCategory() throws {
        for (country, category) in [("us", nil), (nil, "health"), ("us", "health")]
            as [(String?, String?)]
        {
            let code = code { () throws(NewsAPIError) in
                _ = try headlines(country: country, category: category, sources: "fed")
            }
            #expect(code == .parametersIncompatible)
        }
        #expect(try headlines(sources: "fed", q: "x", language: "en").sources == ["fed"])
    }

    @Test(arguments: ["u", "usa", "u1", "ü", "u ", "--"])
    func otherCountriesAndLanguagesAreInvalid(text: String) {
        let country = code { () throws(NewsAPIError) in _ = try headlines(country: text) }
        #expect(country == .parameterInvalid)
        let language = code { () throws(NewsAPIError) in _ = try everything(q: "x", language: text)
        }
        #expect(language == .parameterInvalid)
    }

    @Test func everyCategoryIsTakenAndNoOther() throws {
        for category in NewsCategory.allCases {
            #expect(try headlines(category: category.rawValue).category == category)
        }
        let other = code { () throws(NewsAPIError) in _ = try headlines(category: "world") }
        #expect(other == .parameterInvalid)
    }

    @Test func atMost20SourcesOfAtMost100CharactersAreTaken() throws {
        let names = (0..<20).map { "s\($0)" }
        #expect(try headlines(sources: names.joined(separator: ",")).sources.count == 20)
        let more = (names + ["s20"]).joined(separator: ",")
        #expect(
            code { () throws(NewsAPIError) in _ = try headlines(sources: more) } == .sourcesTooMany
        )
        let long = String(repeating: "x", count: 101)
        #expect(
            code { () throws(NewsAPIError) in _ = try headlines(sources: long) }
                == .sourceDoesNotExist
        )
    }

    @Test func pagesCountFrom1AndHave1To100Articles() throws {
        #expect(try NewsAPIPaging(page: nil, pageSize: nil) == NewsAPIPaging(page: 1, size: 20))
        #expect(try NewsAPIPaging(page: "", pageSize: "") == NewsAPIPaging(page: 1, size: 20))
        let last = try NewsAPIPaging(page: "1000000", pageSize: "100")
        #expect(last == NewsAPIPaging(page: 1_000_000, size: 100))
        for (page, size) in [
            ("0", nil), ("-1", nil), ("x", nil), ("1000001", nil), (nil, "0"),
            (nil, "101"), (nil, "1.5"),
        ] as [(String?, String?)] {
            let code = code { () throws(NewsAPIError) in
                _ = try NewsAPIPaging(page: page, pageSize: size)
            }
            #expect(code == .parameterInvalid, "\(page ?? "") \(size ?? "")")
        }
    }

    @Test func periodIsOfDaysOrTimes() throws {
        let days = try everything(q: "x", from: "2026-01-01", to: "2026-01-02")
        #expect(days.from?.iso8601 == "2026-01-01T00:00:00.000Z")
        #expect(days.to?.iso8601 == "2026-01-02T23:59:59.999Z")
        let times = try everything(q: "x", from: "2026-01-02T10:00:00", to: "2026-01-02T10:00:00Z")
        #expect(times.from == times.to)
        let day = try everything(q: "x", from: "2026-01-02", to: "2026-01-02")
        #expect(day.from != nil)
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
        #expect(code == .parameterInvalid)
    }

    @Test func orderIsByTimeUnlessSaidOtherwise() throws {
        #expect(try everything(q: "x").order == .publishedAt)
        #expect(try everything(q: "x", sortBy: "").order == .publishedAt)
        #expect(try everything(q: "x", sortBy: "publishedat").order == .publishedAt)
        #expect(try everything(q: "x", sortBy: "relevancy").order == .relevancy)
        let other = code { () throws(NewsAPIError) in _ = try everything(q: "x", sortBy: "date") }
        #expect(other == .parameterInvalid)
    }

    @Test func textHasAtMost500Characters() throws {
        let longest = String(repeating: "ä", count: 500)
        #expect(try everything(q: longest).text == longest)
        for text in [longest + "ä", " ", "a\u{0}"] {
            let code = code { () throws(NewsAPIError) in _ = try everything(q: text) }
            #expect(code == .parameterInvalid)
        }
    }

    @Test func sourcesAreListedByCategoryLanguageAndCountry() throws {
        let all = try SourcesQuery(category: nil, language: "", country: nil)
        #expect(all.category == nil)
        let some = try SourcesQuery(category: "health", language: "EN", country: "US")
        #expect(some.category == .health)
        #expect(some.language == "en")
        #expect(some.country == "us")
        let other = code { () throws(NewsAPIError) in
            _ = try SourcesQuery(category: "x", language: nil, country: nil)
        }
        #expect(other == .parameterInvalid)
    }

    @Test func summaryNeedsAWebURL() throws {
        #expect(try requestedSummaryURL("https://a.b/c") == "https://a.b/c")
        for url in [nil, ""] as [String?] {
            let code = code { () throws(NewsAPIError) in _ = try requestedSummaryURL(url) }
            #expect(code == .parametersMissing)
        }
        for url in ["a", "ftp://a", "https://"] {
            let code = code { () throws(NewsAPIError) in _ = try requestedSummaryURL(url) }
            #expect(code == .parameterInvalid)
        }
    }

    @Test func keyIsInAHeaderATokenOrTheQuery() {
        #expect(presentedNewsAPIKey(header: "a", authorization: "Bearer b", query: "c") == "a")
        #expect(presentedNewsAPIKey(header: nil, authorization: "bearer b", query: "c") == "b")
        #expect(presentedNewsAPIKey(header: "", authorization: "b", query: "c") == "b")
        #expect(presentedNewsAPIKey(header: " ", authorization: "Bearer ", query: "c") == "c")
        #expect(presentedNewsAPIKey(header: nil, authorization: nil, query: "") == nil)
    }
}
