import Core
import Testing

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
        #expect(error?.message == vector.error)
        #expect(error?.code.rawValue == vector.code)
        if case .field(let field, let expected, _) = error?.details {
            #expect(field == vector.field)
            #expect(!expected.isEmpty)
        } else {
            #expect(error == nil)
        }
    }

    @Test(arguments: ActivityVectors.all.requests)
    private func cutBodyIsNeverTaken(_ vector: ActivityVectors.Request) {
        guard vector.error == nil else { return }
        let bytes = Array(vector.body.utf8)
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            #expect(error(vector.request, cut) != nil, "\(length) bytes")
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
        #expect(error(request, body(limit)) == nil)
        let refusal = error(request, body(limit + 1))
        #expect(refusal?.message.hasPrefix("\(field) has \(limit + 1) ") == true)
    }

    @Test func addressIsTakenUpToItsLimit() {
        func body(_ length: Int) -> [UInt8] {
            let start = "https://images.example/"
            let rest = String(repeating: "a", count: length - start.utf8.count)
            return Array(#"{"avatar_url":"\#(start + rest)"}"#.utf8)
        }
        #expect(error("profile", body(2048)) == nil)
        #expect(error("profile", body(2049)) != nil)
    }

    @Test func bodiesAtTheirLimitsFitIntoTheLimitOfBodies() {
        let escapedScalarBytes = 12
        let limit = ActivityLimits.bodyBytesMax
        #expect(ActivityLimits.commentLengthMax * escapedScalarBytes + 1000 < limit)
        #expect(LoginLimits.identityTokenBytesMax * 6 + 8000 < LoginLimits.bodyBytesMax)
    }

    @Test func ratingIsReadWithTheCommentTrimmed() throws {
        let body = #"{"rating":4,"comment":" Cold.\n","is_review":true}"#
        let request = try RateRequest(json: Array(body.utf8))
        #expect(request.stars == HalfStars(stars: 4))
        #expect(request.comment == "Cold.")
        #expect(request.isReview)
        #expect(request.activityType == .review)
    }

    @Test(arguments: [
        (#"{"rating":4}"#, ActivityType.rating), (#"{"rating":4,"is_review":true}"#, .rating),
        (#"{"rating":4,"is_review":true,"comment":" "}"#, .rating),
        (#"{"rating":4,"comment":"Cold."}"#, .rating),
        (#"{"rating":4,"comment":"Cold.","is_review":true}"#, .review),
    ])
    func reviewIsWhatSaysSomethingAndIsMeantAsOne(body: String, type: ActivityType) throws {
        #expect(try RateRequest(json: Array(body.utf8)).activityType == type)
    }

    @Test func loginIsReadWithEverythingInIt() throws {
        let body = #"""
            {"provider":"apple","token":"a.b.c","user_identifier":"001.x","name":"Kari",
            "email":"kari@example.com"}
            """#
        let request = try LoginRequest(json: Array(body.utf8))
        #expect(request.provider == "apple")
        #expect(request.token == "a.b.c")
        #expect(request.userIdentifier == "001.x")
        #expect(request.name == "Kari")
        #expect(request.email == "kari@example.com")
    }

    @Test func otherRequestsAreRead() throws {
        let watch = #"{"event_type":"progress","progress_percent":25}"#
        #expect(try WatchRequest(json: Array(watch.utf8)).event == .progress)
        #expect(try WatchRequest(json: Array(watch.utf8)).progressPercent == 25)
        let list = #"{"action":"remove"}"#
        #expect(try WatchlistRequest(json: Array(list.utf8)).action == .remove)
        let friend = #"{"user_id":17.0}"#
        #expect(try NewFriendRequest(json: Array(friend.utf8)).userID == 17)
        let refresh = #"{"refresh_token":"r1"}"#
        #expect(try RefreshRequest(json: Array(refresh.utf8)).refreshToken == "r1")
    }

    @Test func profileIsChangedWhereThePatchSaysSo() throws {
        let kept = try ProfilePatch(json: Array("{}".utf8))
        #expect(kept.name == nil)
        #expect(kept.biography.applied(to: "Films") == "Films")
        #expect(kept.avatarURL == .keep)
        #expect(kept.suggestsByTaste == nil)
        for isOn in [true, false] {
            let consent = #"{"suggest_by_taste":\#(isOn)}"#
            #expect(try ProfilePatch(json: Array(consent.utf8)).suggestsByTaste == isOn)
        }
        #expect(throws: RequestError.self) {
            try ProfilePatch(json: Array(#"{"suggest_by_taste":"yes"}"#.utf8))
        }
        let body = #"{"name":" Kari ","bio":null,"avatar_url":"https://images.example/k"}"#
        let patch = try ProfilePatch(json: Array(body.utf8))
        #expect(patch.name == "Kari")
        #expect(patch.biography.applied(to: "Films") == nil)
        #expect(patch.avatarURL.applied(to: nil) == "https://images.example/k")
        let empty = try ProfilePatch(json: Array(#"{"bio":" "}"#.utf8))
        #expect(empty.biography == .clear)
    }
}
