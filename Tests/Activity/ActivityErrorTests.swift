import Expectations

@testable import Activity

@Suite("Errors: byte for byte", .timeLimit(.minutes(10)))
struct ActivityErrorTests {
    private static let errors: [String: ActivityError] = [
        "no token": .authenticationRequired(.missing),
        "old token": .authenticationRequired(.expired),
        "wrong token": .authenticationRequired(.invalid),
        "no film": .movieNotFound(123),
        "no user": .userNotFound("123"),
        "no rating": .ratingNotFound(movieID: 123),
        "no review": .reviewNotFound(123),
        "no request": .friendRequestNotFound(123),
        "asked twice": .friendRequestExists(userID: 123),
        "friends already": .alreadyFriends(userID: 123),
        "oneself": .aboutOneself(field: "user_id"),
        "six stars": rating(#"{"rating":6}"#),
        "no stars": rating("{}"),
        "a list": rating("[]"),
        "a long body": .bodyTooLong(bytesMax: 131_072),
        "no path": .nothingHere,
        "no method": .methodNotAllowed(allowed: "GET, HEAD, OPTIONS"),
        "too many requests": .rateLimitExceeded(retryAfterSeconds: 12),
        "busy": .unavailable,
        "fault": .internal,
    ]

    private static func rating(_ body: String) -> ActivityError {
        do throws(RequestError) {
            _ = try RateRequest(json: Array(body.utf8))
            preconditionFailure("taken: \(body)")
        } catch {
            return ActivityError(error)
        }
    }

    @Test func errorHasTheContractsForm() {
        expectEqual(ActivityVectors.all.errors.count, Self.errors.count)
        for vector in ActivityVectors.all.errors {
            let error = Self.errors[vector.name]
            expectEqual(error.map { text($0.json()) }, vector.text, "\(vector.name)")
            expectEqual(error?.status, vector.status, "\(vector.name)")
        }
    }

    @Test func everyCodeHasAVector() {
        let codes = Set(Self.errors.values.map(\.code))
        expectEqual(codes, Set(ActivityError.Code.allCases))
    }

    @Test func longIdIsNotSentBack() {
        let error = ActivityError.movieNotFound(String(repeating: "a", count: 1000))
        expect(error.message.count < 100)
        expect(error.description.hasPrefix("MOVIE_NOT_FOUND: no movie"))
    }
}
