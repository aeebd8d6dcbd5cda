/// The body of `POST /movies/{id}/rate`.
package struct RateRequest: Sendable, Equatable {
    package var stars: HalfStars
    package var comment: String?
    /// False when it is left out.
    package var isReview: Bool

    /// An invalid `rating` has an error code of its own: `ActivityError(_:)`.
    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        let range = ActivityLimits.stars
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let number = try fields.requiredWholeNumber("rating", in: range, expected: expected)
        guard let stars = HalfStars(stars: number) else {
            throw .unexpected(field: "rating", expected: expected, found: "\(number)")
        }
        self.stars = stars
        comment = try fields.prose("comment", .comment)
        isReview = try fields.bool("is_review") ?? false
    }

    /// The type of the activity for friends. A review without a comment is a rating.
    package var activityType: ActivityType {
        isReview && comment != nil ? .review : .rating
    }
}

/// The body of `POST /movies/{id}/watch`.
package struct WatchRequest: Sendable, Equatable {
    package var event: WatchEvent
    /// 0...100.
    package var progressPercent: Int?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        event = try fields.requiredWord("event_type")
        let range = ActivityLimits.progressPercent
        progressPercent = try fields.wholeNumber(
            "progress_percent",
            in: range,
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        )
    }
}

/// The body of `POST /movies/{id}/watchlist`.
package struct WatchlistRequest: Sendable, Equatable {
    package enum Action: String, Sendable, CaseIterable {
        case add, remove
    }

    package var action: Action

    package init(json body: [UInt8]) throws(RequestError) {
        action = try RequestFields(body).requiredWord("action")
    }
}
