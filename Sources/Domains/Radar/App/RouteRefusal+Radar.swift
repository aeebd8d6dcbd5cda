import DomainKit

extension RouteRefusal {
    package static let radarNotFound = RouteRefusal(
        404,
        "RADAR_NOT_FOUND",
        "there is no such radar"
    )

    package init(_ error: RadarError, now: Timestamp) {
        switch error {
        case .notFound: self = .radarNotFound
        case .tooManyRadars(let limit):
            self.init(409, "TOO_MANY_RADARS", "a user has at most \(limit) radars")
        case .shareUsedUp(let time):
            self.init(
                429,
                "RATE_LIMITED",
                "your share of the day's questions to sources is used up; there is more at \(time.iso8601Seconds)",
                retryAfter: time - now
            )
        case .sourcesBusy(let time):
            self.init(
                503,
                "UNAVAILABLE",
                "no source can be asked before \(time.iso8601Seconds)",
                retryAfter: time - now
            )
        }
    }
}
