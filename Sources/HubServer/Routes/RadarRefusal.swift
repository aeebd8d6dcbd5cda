import HTTPTypes
import Hummingbird
import JSONText
import Timekeeping

/// An error in the form that the radar app decodes: `{"message":…,"code":…}`.
struct RadarRefusal: Error {
    var status: HTTPResponse.Status
    var code: String
    var message: String
    var retryAfter: Duration?
    var standing: RateWindow<String>.Standing?

    init(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ message: String,
        retryAfter: Duration? = nil,
        standing: RateWindow<String>.Standing? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.standing = standing
    }

    static let notFound = RadarRefusal(.notFound, "RADAR_NOT_FOUND", "there is no such radar")

    init(_ error: RadarError, now: Timestamp) {
        switch error {
        case .notFound: self = .notFound
        case .tooManyRadars(let limit):
            self.init(.conflict, "TOO_MANY_RADARS", "a user has at most \(limit) radars")
        case .refreshedLately(let wait):
            self.init(
                .tooManyRequests,
                "RATE_LIMITED",
                "the radar was refreshed only lately",
                retryAfter: wait
            )
        case .sourcesBusy(let time):
            self.init(
                .serviceUnavailable,
                "UNAVAILABLE",
                "no source can be asked before \(time.iso8601Seconds)",
                retryAfter: time - now
            )
        }
    }

    var response: Response {
        var json = JSONWriter()
        json.object {
            $0.field("message", message)
            $0.field("code", code)
        }
        var response = Response.radar(json.bytes, status: status)
        if let retryAfter {
            let seconds = max(1, Int64(retryAfter.inSeconds.rounded(.up)))
            response.headers[.retryAfter] = String(seconds)
        }
        // RFC 9110 §11.6.1: a 401 "MUST" carry a challenge.
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if let standing { response.headers.add(standing) }
        return response
    }
}

extension Response {
    /// Radars change at any moment, and private ones are nobody else's: no cache keeps an answer.
    static func radar(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        .json(body, status: status, [.cacheControl: "no-store"])
    }
}

extension HTTPFields {
    mutating func add<Caller>(_ standing: RateWindow<Caller>.Standing) {
        self[.init("X-RateLimit-Limit")!] = String(standing.limit)
        self[.init("X-RateLimit-Remaining")!] = String(standing.remaining)
        self[.init("X-RateLimit-Reset")!] = String(standing.reset.wholeSeconds)
    }
}
