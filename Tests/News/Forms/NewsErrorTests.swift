import Expectations

@testable import News

@Suite("Errors of /v1 and /v2", .timeLimit(.minutes(10)))
struct NewsErrorTests {
    @Test func documentedSentencesAreExact() {
        expectEqual(text(NewsError.userIDRequired.json()), #"{"error":"User ID is required"}"#)
        expectEqual(
            text(NewsError.invalidTicker(details: nil).json()),
            #"{"error":"Invalid ticker format. Use 1-5 letters/numbers (e.g., AAPL, NVDA)"}"#
        )
        expectEqual(
            text(NewsError.rateLimitExceeded(retryAfterSeconds: 7).json()),
            #"{"error":"Rate limit exceeded"}"#
        )
        expectEqual(
            text(NewsError.forbidden.json()),
            #"{"error":"Insufficient permissions or invalid API key"}"#
        )
        expectEqual(
            text(NewsError.notFound.json()),
            #"{"error":"Resource not found","details":"nothing is at this path"}"#
        )
    }

    @Test func eachErrorHasItsStatus() {
        let statuses = [
            NewsError.userIDRequired, .invalidTicker(details: nil), .invalidUserID(""),
            .interpretEmpty, .interpretTooLong(length: 2, limit: 1), .urlNotReadable(details: nil),
            .apiKeyRequired, .forbidden, .notFound, .storyNotFound("1"), .signalNotFound("x"),
            .methodNotAllowed(allowed: "GET"), .bodyTooLong(bytesMax: 1),
            .rateLimitExceeded(retryAfterSeconds: 1), .internal, .unavailable(),
        ].map(\.status)
        expectEqual(
            statuses,
            [
                400, 400, 400, 400, 400, 400, 401, 403, 404, 404, 404, 405, 413, 429, 500, 503,
            ]
        )
        expectEqual(NewsError.rateLimitExceeded(retryAfterSeconds: 7).retryAfterSeconds, 7)
        expectEqual(NewsError.unavailable(retryAfterSeconds: 3).retryAfterSeconds, 3)
    }

    @Test func detailsNameTheFieldWhatWasFoundAndWhatIsExpected() {
        let error = NewsError(
            RequestError.unexpected(field: "limit", expected: "a number", found: "x")
        )
        expectEqual(
            text(error.json()),
            #"{"error":"Invalid value of limit","details":"limit is x, expected a number"}"#
        )
        expectEqual(
            text(NewsError(RequestError.notUTF8).json()),
            #"{"error":"Invalid request body","details":"body is not UTF-8"}"#
        )
        expect(NewsError.storyNotFound("7").description.contains("no story has the id 7"))
    }

    @Test func excerptOfALongIDIsShort() {
        let error = NewsError.signalNotFound(String(repeating: "a", count: 10_000))
        expect(error.json().count < 200)
    }

    @Test func errorOfV2HasNewsAPIsForm() {
        expectEqual(
            text(NewsAPIError.parametersMissing(oneOf: ["q", "sources"]).json()),
            """
            {"status":"error","code":"parametersMissing",\
            "message":"The request needs at least one of the parameters q, sources."}
            """
        )
        expectEqual(NewsAPIError.apiKeyMissing.status, 401)
        expectEqual(NewsAPIError.apiKeyInvalid.code.rawValue, "apiKeyInvalid")
        expectEqual(NewsAPIError.rateLimited(retryAfterSeconds: 9).retryAfterSeconds, 9)
        expectEqual(NewsAPIError.unavailable(retryAfterSeconds: 9).retryAfterSeconds, 9)
    }

    @Test func everyCodeOfV2HasItsStatus() {
        let statuses = NewsAPIError.Code.allCases.map { ($0.rawValue, $0.status) }
        expectEqual(
            statuses.map(\.1),
            [
                401, 401, 401, 400, 400, 400, 400, 400, 429, 500, 404, 405, 413, 503,
            ],
            "\(statuses)"
        )
        expectEqual(NewsAPIError.notFound.status, 404)
        expectEqual(NewsAPIError.articleNotFound(url: "https://a").status, 404)
        expectEqual(NewsAPIError.methodNotAllowed(allowed: "GET").status, 405)
        expectEqual(NewsAPIError.bodyTooLarge(bytesMax: 5).status, 413)
        expectEqual(NewsAPIError.unexpectedError.status, 500)
        expectEqual(NewsAPIError.sourcesWithPlace.status, 400)
        expect(NewsAPIError.sourcesTooMany(21, limit: 20).message.contains("21"))
        expect(NewsAPIError.sourceDoesNotExist("x").message.contains("id x"))
    }

    @Test func parameterThatIsNotAsDescribedIsNamed() {
        let error = NewsAPIError(.unexpected(field: "page", expected: "a number", found: "x"))
        expectEqual(error.code, .parameterInvalid)
        expectEqual(error.message, "The parameter page is x, expected a number.")
        expectEqual(error.description, "parameterInvalid: \(error.message)")
    }
}
