import Duties
import Expectations
import LoopTesting
import NewsFeeds
import Upstream

@testable import NewsApp

@Suite("Page reader: requests, redirects and limits", .timeLimit(.minutes(10)))
struct PageReaderTests {
    private static let article = "<title>A</title><p>A sentence of the article, long enough.</p>"
    private let resolver = RecordingResolver([
        "a.example": [["93.184.216.34"]], "b.example": [["1.1.1.1"]],
    ])

    private func reader(
        _ transport: RecordingTransport,
        _ change: (inout PageReader.Limits) -> Void = { _ in }
    ) -> PageReader {
        var limits = PageReader.Limits.patient
        change(&limits)
        return PageReader(
            userAgent: "varde/test",
            limits: limits,
            resolver: resolver,
            transport: transport
        )
    }

    private func error(
        _ url: String,
        _ answers: [String: (Int, HTTPHeaders, String)]
    ) async -> PageReaderError? {
        await readError(reader(RecordingTransport(answers)), url)
    }

    // MARK: Requests

    @Test func pageIsReadWithoutCookiesAndCredentials() async throws {
        let transport = RecordingTransport([
            "https://a.example/x?y=1": (
                200, ["Content-Type": "text/html; charset=utf-8"], PageReaderTests.article
            )
        ])
        let (page, url) = try await reader(transport).read("https://A.example:443/x?y=1#z")
        expectEqual(page.title, "A")
        expectEqual(page.text, "A sentence of the article, long enough.")
        expectEqual(url, "https://a.example/x?y=1")
        let request = try require(transport.requests.first)
        expectEqual(request.method, "GET")
        expectEqual(request.address?.description, "93.184.216.34:443")
        expectEqual(request.headers.map(\.name), ["User-Agent", "Accept"])
        expectEqual(request.headers.first("User-Agent"), "varde/test")
        expectEqual(request.redirectsMax, 0)
        expectEqual(request.body, [])
    }

    @Test(arguments: [
        ("ftp://a.example/", UpstreamURLError.schemeUnsupported),
        ("file:///etc/passwd", .schemeUnsupported), ("gopher://a.example/", .schemeUnsupported),
        ("javascript:alert(1)", .schemeUnsupported), ("a.example", .schemeMissing),
        ("http:a.example", .authorityMissing), ("http://", .hostMissing),
        ("https://user:password@a.example/", .userInformation),
        ("https://user@a.example/", .userInformation), ("http://a.example:0/", .portInvalid),
        ("http://a.example:65536/", .portInvalid),
        ("http://a.example/\r\nX: y", .forbiddenCharacter),
        ("http://a..example/", .hostInvalid), ("http://a.example\\@b.example/", .userInformation),
    ])
    func urlOfAnotherFormIsRefused(_ url: String, _ reason: UpstreamURLError) async throws {
        let transport = RecordingTransport()
        await expectEqual(readError(reader(transport), url), .invalidURL(reason))
        expect(transport.requests.isEmpty)
        expect(resolver.names.isEmpty)
    }

    @Test func anyPortIsRead() async throws {
        let transport = RecordingTransport()
        _ = try await reader(transport).read("http://a.example:12345/")
        expectEqual(transport.targets, ["a.example 93.184.216.34:12345"])
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsFollowedToTheCheckedAddressOfItsHost(_ status: Int) async throws {
        let transport = RecordingTransport([
            "http://a.example/": (status, ["Location": "https://b.example/p/../q"], ""),
            "https://b.example/q": (200, ["Content-Type": "text/html"], PageReaderTests.article),
        ])
        let (page, url) = try await reader(transport).read("http://a.example/")
        expectEqual(page.title, "A")
        expectEqual(url, "https://b.example/q")
        expectEqual(transport.targets, ["a.example 93.184.216.34:80", "b.example 1.1.1.1:443"])
        expectEqual(resolver.names, ["a.example", "b.example"])
        let times = transport.requests.map(\.deadlines.whole)
        expect(times[1] <= times[0], "one limit of time for all")
    }

    @Test func threeRedirectsAreFollowedAndFourAreNot() async throws {
        func chain(_ count: Int) -> [String: (Int, HTTPHeaders, String)] {
            var answers: [String: (Int, HTTPHeaders, String)] = [:]
            for index in 0..<count {
                answers["http://a.example/\(index)"] = (302, ["Location": "/\(index + 1)"], "")
            }
            return answers
        }
        await expectNil(error("http://a.example/0", chain(3)))
        await expectEqual(error("http://a.example/0", chain(4)), .tooManyRedirects(limit: 3))
        let transport = RecordingTransport(["http://a.example/": (302, ["Location": "/"], "")])
        await expectEqual(
            readError(reader(transport), "http://a.example/"),
            .tooManyRedirects(limit: 3)
        )
        expectEqual(transport.requests.count, 4)
    }

    @Test(arguments: [
        ("ftp://b.example/", "url has a scheme other than http and https"),
        ("javascript:alert(1)", "url has a scheme other than http and https"),
        (
            "https://user@b.example/",
            "url has user information in front of its host: remove it and the @"
        ),
        ("http://b.example/", "from https to http"),
        (
            "https://127.1/",
            "url has a host that ends in a number but is not an IPv4 address of four decimal numbers"
        ),
        ("https:///", "url has no host"),
    ])
    func redirectToAnotherFormIsRefused(_ location: String, _ reason: String) async throws {
        let transport = RecordingTransport([
            "https://a.example/": (302, ["Location": location], "")
        ])
        await expectEqual(
            readError(reader(transport), "https://a.example/"),
            .redirectRefused(reason)
        )
        expectEqual(transport.requests.count, 1)
    }

    // MARK: Answers

    @Test(arguments: [
        (404, PageReaderError.status(404)), (500, .status(500)), (204, .status(204)),
        (302, .status(302)), (300, .status(300)), (401, .status(401)),
    ])
    func answerOfAnotherStatusIsNoPage(_ status: Int, _ expected: PageReaderError) async throws {
        let type: HTTPHeaders = ["Content-Type": "text/html"]
        let answer = (status, type, PageReaderTests.article)
        await expectEqual(error("http://a.example/", ["http://a.example/": answer]), expected)
    }

    @Test(arguments: [
        ("application/rss+xml", "application/rss+xml"), ("application/pdf", "application/pdf"),
        ("", "no media type"), (nil, "no media type"),
    ])
    func answerOfAnotherMediaTypeIsNoPage(_ type: String?, _ found: String) async throws {
        var headers: HTTPHeaders = [:]
        if let type { headers.append("Content-Type", type) }
        let answer = (200, headers, PageReaderTests.article)
        let error = await error("http://a.example/", ["http://a.example/": answer])
        expectEqual(error, .notHTML(.notHTML(found: found)))
        expectEqual(error?.description, "found \(found), expected text/html")
    }

    @Test(arguments: [
        (UpstreamError.bodyTooLarge(limit: 9), PageReaderError.tooLong(limit: 9)),
        (.timedOut(.firstByte, after: .seconds(1)), .timedOut(after: .seconds(300))),
        (.timedOut(.whole, after: .seconds(1)), .timedOut(after: .seconds(300))),
        (.connectionEnded("x"), .invalidAnswer), (.malformed("x"), .invalidAnswer),
        (.overloaded, .busy(retryAfterSeconds: 1)), (.cancelled, .cancelled),
        (.shutDown, .cancelled),
    ])
    func failureOfARequestIsTranslated(
        _ failure: UpstreamError,
        _ expected: PageReaderError
    ) async throws {
        let transport = RecordingTransport { _ in .failure(failure) }
        await expectEqual(readError(reader(transport), "http://a.example/"), expected)
    }

    @Test func requestIsBoundInTimeAndLength() async throws {
        let transport = RecordingTransport()
        _ = try await reader(transport).read("http://a.example/")
        let request = try require(transport.requests.first)
        expect(request.deadlines.whole <= .seconds(300))
        expect(request.deadlines.connecting <= .seconds(300))
        expect(request.deadlines.firstByte <= .seconds(300))
        guard case .whole(let bytesMax) = request.content else {
            Issue.record("the content is dropped")
            return
        }
        expectEqual(bytesMax, 1 << 20)
    }

    @Test func errorsBecomeAnswersOfTheRoute() {
        let busy = NewsError(PageReaderError.busy(retryAfterSeconds: 3))
        expectEqual(busy.status, 503)
        expectEqual(busy.retryAfterSeconds, 3)
        expectEqual(NewsError(PageReaderError.cancelled).status, 503)
        let other = NewsError(PageReaderError.notReachable)
        expectEqual(other.status, 400)
        expectEqual(other.details, "the page is not reachable")
    }

    // MARK: Places

    @Test func eightPagesAreReadAtATimeAndTwoForOneUser() async throws {
        let gate = ScriptedServer.Gate()
        let (started, starting) = AsyncStream<Void>.makeStream()
        let transport = RecordingTransport { request in
            starting.yield()
            await gate.wait()
            return .success(RecordingTransport.response(to: request, PageReaderTests.article))
        }
        let reader = reader(transport)
        let url = "http://a.example/"
        let titles = try await withThrowingTaskGroup(of: String.self) { group in
            var starts = started.makeAsyncIterator()
            for number in 0..<8 {
                group.addTask { try await reader.read(url, for: "\(number / 2)").page.title }
                await starts.next()
                guard number == 1 else { continue }
                await #expect(throws: PageReaderError.busy(retryAfterSeconds: 300)) {
                    try await reader.read(url, for: "0")
                }
            }
            expectEqual(reader.pageCount, 8)
            for user in ["another", nil] {
                await #expect(throws: PageReaderError.busy(retryAfterSeconds: 300)) {
                    try await reader.read(url, for: user)
                }
            }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(titles, [String](repeating: "A", count: 8))
        expectEqual(reader.pageCount, 0)
        _ = try await reader.read(url, for: "0")
        await expectEqual(readError(reader, "http://nowhere.example/"), .notReachable)
        expectEqual(reader.pageCount, 0, "a failure gives the place back, too")
    }

    @Test func pagesWithoutAUserAreLimitedOnlyInTotal() throws {
        let places = PagePlaces(countMax: 8, countOfUserMax: 2)
        let taken = (0..<8).compactMap { _ in places.take(nil) }
        expectEqual(taken.count, 8)
        expect(places.take(nil) === nil)
        expect(places.take("a") === nil)
        for place in taken { place.release() }
        expectEqual(places.count, 0)
    }

    @Test func placeIsFreeWhenItsLastHolderReleasesIt() throws {
        let places = PagePlaces(countMax: 1, countOfUserMax: 1)
        let place = try require(places.take("a"))
        place.hold()
        place.release()
        expect(places.take("a") === nil)
        place.release()
        let next = try require(places.take("a"))
        next.release()
    }

    @Test func lookUpThatHangsKeepsItsPlaceAfterTheTimeout() async throws {
        let resolver = HangingResolver()
        var limits = PageReader.Limits()
        limits.timeout = .milliseconds(20)
        let reader = PageReader(
            userAgent: "t",
            limits: limits,
            resolver: resolver,
            transport: RecordingTransport()
        )
        await expectEqual(readError(reader, "http://slow.example/"), .notReachable)
        expectEqual(reader.pageCount, 1)
        resolver.gate.open()
        // The task that looked the name up releases the place after the resolver has returned.
        while reader.pageCount > 0 { await Task.yield() }
    }
}

/// Finds nothing, when its gate is open.
private final class HangingResolver: AddressResolver {
    let gate = ScriptedServer.Gate()

    func addresses(of name: String) async throws -> [IPAddress] {
        await gate.wait()
        return []
    }
}
