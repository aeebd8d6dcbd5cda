import Core
import Expectations

@testable import Activity

@Suite("Requests: what is taken and what is refused, and why", .timeLimit(.minutes(10)))
struct ActivityRequestTests {
    private func read(_ request: String, _ body: [UInt8]) throws(RequestError) {
        switch request {
        case "rate": _ = try RateRequest(json: body)
        case "watch": _ = try WatchRequest(json: body)
        case "watchlist": _ = try WatchlistRequest(json: body)
        case "friend": _ = try NewFriendRequest(json: body)
        case "login": _ = try LoginRequest(json: body)
        case "refresh": _ = try RefreshRequest(json: body)
        case "profile": _ = try ProfilePatch(json: body)
        default: Issue.record("no request \(request)")
        }
    }

    private func error(_ request: String, _ body: [UInt8]) -> ActivityError? {
        do throws(RequestError) {
            try read(request, body)
            return nil
        } catch {
            return ActivityError(error)
        }
    }

    @Test(arguments: ActivityVectors.all.requests)
    private func bodyIsTakenOrRefusedWithTheReason(_ vector: ActivityVectors.Request) {
        let error = error(vector.request, Array(vector.body.utf8))
        expectEqual(error?.message, vector.error)
        expectEqual(error?.code.rawValue, vector.code)
        if case .field(let field, let expected, _) = error?.details {
            expectEqual(field, vector.field)
            expect(!expected.isEmpty)
        } else {
            expectNil(error)
        }
    }

    @Test(arguments: ActivityVectors.all.requests)
    private func cutBodyIsNeverTaken(_ vector: ActivityVectors.Request) {
        guard vector.error == nil else { return }
        let bytes = Array(vector.body.utf8)
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            expect(error(vector.request, cut) != nil, "\(length) bytes")
        }
    }

    @Test(arguments: [
        ("rate", "comment", #""rating":3"#, 4000),
        ("login", "token", #""provider":"apple""#, 16 << 10),
        ("login", "user_identifier", #""provider":"apple","token":"a""#, 255),
        ("login", "nonce", #""provider":"apple","token":"a""#, 255),
        ("login", "email", #""provider":"apple","token":"a""#, 254),
        ("login", "provider", #""token":"a""#, 64),
        ("refresh", "refresh_token", #""a":1"#, 512),
        ("profile", "name", #""a":1"#, 100),
        ("profile", "bio", #""a":1"#, 1000),
    ])
    func textIsTakenUpToItsLimit(request: String, field: String, rest: String, limit: Int) {
        func body(_ length: Int) -> [UInt8] {
            let text = String(repeating: "a", count: length)
            return Array(#"{\#(rest),"\#(field)":"\#(text)"}"#.utf8)
        }
        expectNil(error(request, body(limit)))
        let refusal = error(request, body(limit + 1))
        expectEqual(refusal?.message.hasPrefix("\(field) has \(limit + 1) "), true)
    }

    @Test func addressIsTakenUpToItsLimit() {
        func body(_ length: Int) -> [UInt8] {
            let start = "https://images.example/"
            let rest = String(repeating: "a", count: length - start.utf8.count)
            return Array(#"{"avatar_url":"\#(start + rest)"}"#.utf8)
        }
        expectNil(error("profile", body(2048)))
        expect(error("profile", body(2049)) != nil)
    }

    @Test func bodiesAtTheirLimitsFitIntoTheLimitOfBodies() {
        let escapedScalarBytes = 12
        let limit = ActivityLimits.bodyBytesMax
        expect(ActivityLimits.commentLengthMax * escapedScalarBytes + 1000 < limit)
        expect(LoginLimits.identityTokenBytesMax * 6 + 8000 < LoginLimits.bodyBytesMax)
    }

    @Test func ratingIsReadWithTheCommentTrimmed() throws {
        let body = #"{"rating":4,"comment":" Cold.\n","is_review":true}"#
        let request = try RateRequest(json: Array(body.utf8))
        expectEqual(request.stars, HalfStars(stars: 4))
        expectEqual(request.comment, "Cold.")
        expect(request.isReview)
        expectEqual(request.activityType, .review)
    }

    @Test(arguments: [
        (#"{"rating":4}"#, ActivityType.rating), (#"{"rating":4,"is_review":true}"#, .rating),
        (#"{"rating":4,"is_review":true,"comment":" "}"#, .rating),
        (#"{"rating":4,"comment":"Cold."}"#, .rating),
        (#"{"rating":4,"comment":"Cold.","is_review":true}"#, .review),
    ])
    func reviewIsWhatSaysSomethingAndIsMeantAsOne(body: String, type: ActivityType) throws {
        try expectEqual(RateRequest(json: Array(body.utf8)).activityType, type)
    }

    @Test func loginIsReadWithEverythingInIt() throws {
        let body = #"""
            {"provider":"apple","token":"a.b.c","user_identifier":"001.x","name":"Kari",
            "email":"kari@example.com"}
            """#
        let request = try LoginRequest(json: Array(body.utf8))
        expectEqual(request.provider, "apple")
        expectEqual(request.token, "a.b.c")
        expectEqual(request.userIdentifier, "001.x")
        expectEqual(request.name, "Kari")
        expectEqual(request.email, "kari@example.com")
    }

    @Test func otherRequestsAreRead() throws {
        let watch = #"{"event_type":"progress","progress_percent":25}"#
        try expectEqual(WatchRequest(json: Array(watch.utf8)).event, .progress)
        try expectEqual(WatchRequest(json: Array(watch.utf8)).progressPercent, 25)
        let list = #"{"action":"remove"}"#
        try expectEqual(WatchlistRequest(json: Array(list.utf8)).action, .remove)
        let friend = #"{"user_id":17.0}"#
        try expectEqual(NewFriendRequest(json: Array(friend.utf8)).userID, 17)
        let refresh = #"{"refresh_token":"r1"}"#
        try expectEqual(RefreshRequest(json: Array(refresh.utf8)).refreshToken, "r1")
    }

    @Test func profileIsChangedWhereThePatchSaysSo() throws {
        let kept = try ProfilePatch(json: Array("{}".utf8))
        expectNil(kept.name)
        expectEqual(kept.biography.applied(to: "Films"), "Films")
        expectEqual(kept.avatarURL, .keep)
        expectNil(kept.suggestsByTaste)
        for isOn in [true, false] {
            let consent = #"{"suggest_by_taste":\#(isOn)}"#
            try expectEqual(ProfilePatch(json: Array(consent.utf8)).suggestsByTaste, isOn)
        }
        #expect(throws: RequestError.self) {
            try ProfilePatch(json: Array(#"{"suggest_by_taste":"yes"}"#.utf8))
        }
        let body = #"{"name":" Kari ","bio":null,"avatar_url":"https://images.example/k"}"#
        let patch = try ProfilePatch(json: Array(body.utf8))
        expectEqual(patch.name, "Kari")
        expectNil(patch.biography.applied(to: "Films"))
        expectEqual(patch.avatarURL.applied(to: nil), "https://images.example/k")
        let empty = try ProfilePatch(json: Array(#"{"bio":" "}"#.utf8))
        expectEqual(empty.biography, .clear)
    }
}
