import Expectations

@testable import Activity

@Suite("Queries: what is taken and what is refused, and why", .timeLimit(.minutes(10)))
struct QueryTests {
    @Test(
        arguments: [
            (nil, nil, 20, 0), ("1", "0", 1, 0), ("100", "1000000000", 100, 1_000_000_000),
            ("020", "007", 20, 7),
        ] as [(String?, String?, Int, Int)]
    )
    func pageIsRead(limit: String?, offset: String?, expected: Int, from: Int) throws {
        let range = try PageRange(limit: limit, offset: offset)
        expectEqual(range, PageRange(limit: expected, offset: from))
    }

    @Test(arguments: ["0", "101", "-1", "+5", "5.0", "", " 5", "five", "99999999999999999999"])
    func otherLimitsAreRefused(text: String) {
        #expect(
            throws: RequestError.unexpected(
                field: "limit",
                expected: "a whole number from 1 to 100",
                found: #""\#(text)""#
            )
        ) { try PageRange(limit: text, offset: nil) }
    }

    @Test(arguments: ["-1", "1000000001", "", "a", "1e3", "９"])
    func otherOffsetsAreRefused(text: String) {
        #expect(
            throws: RequestError.unexpected(
                field: "offset",
                expected: "a whole number from 0 to 1000000000",
                found: #""\#(text)""#
            )
        ) { try PageRange(limit: nil, offset: text) }
    }

    private func feed(
        type: String? = nil,
        since: String? = nil,
        limit: String? = nil,
        offset: String? = nil
    ) throws(RequestError) -> ActivityQuery {
        try ActivityQuery(type: type, since: since, limit: limit, offset: offset)
    }

    @Test func feedIsAskedByPage() throws {
        let whole = try feed()
        expectNil(whole.type)
        expectEqual(whole.part, .page(PageRange(limit: 20)))
        let page = try feed(type: "watched", limit: "5", offset: "10")
        expectEqual(page.type, .watched)
        expectEqual(page.part, .page(PageRange(limit: 5, offset: 10)))
    }

    @Test func unreadCountsAreAskedForByTheirCursor() throws {
        try expectEqual(unreadSince(nil), UnreadCursor())
        let cursor = UnreadCursor(activityID: 41, requestID: 0, likeNumber: .max)
        try expectEqual(unreadSince(cursor.text), cursor)
    }

    @Test(arguments: [
        "", "41", "1.2", "1.2.3.4", "1..3", "-1.2.3", "+1.2.3", "01.2.3", "a.b.c",
        "99999999999999999999.0.0", "1.2.3 ",
    ])
    func otherCursorsOfUnreadCountsAreRefused(text: String) {
        #expect(
            throws: RequestError.unexpected(
                field: "since",
                expected: "the cursor of an earlier answer",
                found: #""\#(RequestError.excerpt(text.utf8))""#
            )
        ) { try unreadSince(text) }
    }

    @Test(arguments: ActivityType.allCases)
    func everyTypeCanBeAskedFor(type: ActivityType) throws {
        try expectEqual(feed(type: type.rawValue).type, type)
    }

    @Test func feedIsAskedForWhatFollows() throws {
        try expectEqual(feed(since: "0").part, .since(0, limit: 20))
        try expectEqual(feed(since: "41", limit: "3").part, .since(41, limit: 3))
        let last = String(Int.max)
        try expectEqual(feed(since: last, offset: "0").part, .since(.max, limit: 20))
    }

    @Test(arguments: ["Rating", "", "like", "rating,review"])
    func otherTypesAreRefused(type: String) {
        let expected = #"one of "rating", "review", "watched", "started", "watchlist""#
        let error = RequestError.unexpected(
            field: "type",
            expected: expected,
            found: #""\#(type)""#
        )
        #expect(throws: error) { try feed(type: type) }
    }

    @Test(arguments: ["-1", "", "a", "9223372036854775808"])
    func otherCursorsAreRefused(since: String) {
        let error = RequestError.unexpected(
            field: "since",
            expected: "a whole number not below 0",
            found: #""\#(since)""#
        )
        #expect(throws: error) { try feed(since: since) }
    }

    @Test func cursorAndOffsetDoNotGoTogether() {
        let error = RequestError.unexpected(
            field: "offset",
            expected: "0 together with since",
            found: "1"
        )
        #expect(throws: error) { try feed(since: "5", offset: "1") }
    }

    private func search(
        _ q: String?,
        genres: String? = nil,
        limit: String? = nil
    ) throws(RequestError) -> SearchQuery {
        try SearchQuery(q: q, genres: genres, limit: limit, offset: nil)
    }

    @Test func searchIsReadWithoutSpaceAroundItsTexts() throws {
        let query = try search("  silver sea ", genres: "Sci-Fi, Drama ,,", limit: "7")
        expectEqual(query.text, "silver sea")
        expectEqual(query.genres, ["Sci-Fi", "Drama"])
        expectEqual(query.range, PageRange(limit: 7))
        try expectEqual(search("a").genres, [])
        try expectEqual(search("a", genres: "").genres, [])
    }

    @Test func textOfASearchHasItsLimits() throws {
        let longest = String(repeating: "å", count: 200)
        try expectEqual(search(longest).text, longest)
        #expect(throws: RequestError.self) { try search(longest + "å") }
        #expect(throws: RequestError.empty(field: "q")) { try search(" ") }
        try expectNil(search(nil).text, "films are browsed without it")
        #expect(
            throws: RequestError.controlCharacter(field: "q", scalar: 0, index: 1)
        ) { try search("a\0b") }
    }

    private func years(
        _ year: String? = nil,
        from: String? = nil,
        to: String? = nil
    ) throws(RequestError) -> ClosedRange<Int>? {
        try SearchQuery(
            q: nil,
            genres: nil,
            year: year,
            yearFrom: from,
            yearTo: to,
            limit: nil,
            offset: nil
        ).years
    }

    @Test func yearsOfASearchAreARange() throws {
        try expectNil(years())
        try expectEqual(years("1999"), 1999...1999)
        try expectEqual(years(from: "1990"), 1990...2200)
        try expectEqual(years(to: "1990"), 1870...1990)
        try expectEqual(years(from: "1990", to: "1990"), 1990...1990)
        try expectEqual(years("1870"), 1870...1870)
        try expectEqual(years("2200"), 2200...2200)
    }

    @Test(
        arguments: [
            ("1869", nil, nil, "year"), ("2201", nil, nil, "year"), ("", nil, nil, "year"),
            ("99", nil, nil, "year"), (nil, "2001", "2000", "year_to"),
            (nil, "x", nil, "year_from"), ("1999", "1999", nil, "year_from"),
            ("1999", nil, "1999", "year_to"),
        ] as [(String?, String?, String?, String)]
    )
    func otherYearsAreRefused(year: String?, from: String?, to: String?, field: String) {
        let error = #expect(throws: RequestError.self) { try years(year, from: from, to: to) }
        expectEqual(error?.field, field)
    }

    @Test func orderOfASearchIsOneOfFour() throws {
        func sort(_ text: String?) throws(RequestError) -> FilmSort? {
            try SearchQuery(q: nil, genres: nil, sort: text, limit: nil, offset: nil).sort
        }
        try expectNil(sort(nil))
        for order in FilmSort.allCases { try expectEqual(sort(order.rawValue), order) }
        for text in ["", "Rating", "relevance", "year,title"] {
            #expect(throws: RequestError.self) { try sort(text) }
        }
    }

    @Test func genresOfASearchHaveTheirLimits() throws {
        let many = (1...20).map { "g\($0)" }
        try expectEqual(search("a", genres: many.joined(separator: ",")).genres, many)
        #expect(throws: RequestError.self) {
            try search("a", genres: (many + ["g21"]).joined(separator: ","))
        }
        let longest = String(repeating: "g", count: 64)
        try expectEqual(search("a", genres: longest).genres, [longest])
        #expect(throws: RequestError.self) { try search("a", genres: longest + "g") }
    }

    @Test func requestsThatWaitForTheUserAreShownUnlessTheOthersAreAskedFor() throws {
        try expectEqual(requestedDirection(nil), .incoming)
        try expectEqual(requestedDirection("incoming"), .incoming)
        try expectEqual(requestedDirection("outgoing"), .outgoing)
        #expect(throws: RequestError.self) { try requestedDirection("both") }
    }

    @Test(
        arguments: [
            ("1", 1), ("9223372036854775807", Int.max), ("0", nil), ("-1", nil), ("", nil),
            ("9223372036854775808", nil), ("+1", nil), ("1.0", nil), ("me", nil), ("１", nil),
        ] as [(String, Int?)]
    )
    func idInAPathIsAPositiveNumber(text: String, id: Int?) {
        expectEqual(idInPath(text), id)
    }
}
