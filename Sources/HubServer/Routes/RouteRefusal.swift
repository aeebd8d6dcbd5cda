import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import Timekeeping

/// An error as most routes tell it: `{"message":…,"code":…}`.
struct RouteRefusal: Error {
    var status: HTTPResponse.Status
    var code: String
    var message: String
    var retryAfter: Duration?
    var standing: RateStanding?
    /// Of a 401.
    var challenge = Challenge.token

    init(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ message: String,
        retryAfter: Duration? = nil,
        standing: RateStanding? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.standing = standing
    }

    static func unauthorized(_ message: String) -> RouteRefusal {
        RouteRefusal(.unauthorized, "UNAUTHORIZED", message)
    }

    static var keyNeeded: RouteRefusal {
        var refusal = unauthorized("an API key is needed, in the header X-API-Key")
        refusal.challenge = Challenge.apiKey
        return refusal
    }

    static let unavailable = RouteRefusal(
        .serviceUnavailable,
        "UNAVAILABLE",
        "try again later"
    )

    static let tooManyReads = RouteRefusal(
        .tooManyRequests,
        "RATE_LIMITED",
        "too many of your requests wait; send fewer at once",
        retryAfter: FairReads.Refused.retryAfter
    )

    static let `internal` = RouteRefusal(.internalServerError, "INTERNAL", "internal error")

    var response: Response {
        var json = JSONWriter()
        json.object {
            $0.field("message", message)
            $0.field("code", code)
        }
        var response = Response.uncached(json.bytes, status: status)
        if let retryAfter { response.headers.add(retryAfter: retryAfter) }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = challenge }
        if let standing { response.headers.add(standing) }
        return response
    }
}

extension Request {
    /// The content.
    ///
    /// - Throws: `RouteRefusal` when it is longer than `lengthMax` bytes.
    func content(upTo lengthMax: Int) async throws -> [UInt8] {
        do {
            return Array(try await body.collect(upTo: lengthMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RouteRefusal(
                .contentTooLarge,
                "INVALID_REQUEST",
                "the content has more than \(lengthMax) bytes"
            )
        }
    }
}

extension HTTPFields {
    mutating func add(retryAfter: Duration) {
        self[.retryAfter] = String(Swift.max(1, Int64(retryAfter.inSeconds.rounded(.up))))
    }

    mutating func add(_ standing: RateStanding) {
        self[.init("X-RateLimit-Limit")!] = String(standing.limit)
        self[.init("X-RateLimit-Remaining")!] = String(standing.remaining)
        self[.init("X-RateLimit-Reset")!] = String(standing.reset.wholeSeconds)
    }
}
