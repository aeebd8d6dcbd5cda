/// The rating of one film by one person; a later one replaces it.
package struct Rating: Sendable, Equatable {
    /// Also the review's id.
    package var id: Int
    package var personID: Int
    package var filmID: Int
    package var stars: HalfStars
    package var comment: String?
    /// Whether others can read the comment with the film.
    package var isReview: Bool
    package var at: Timestamp

    package init(
        id: Int,
        personID: Int,
        filmID: Int,
        stars: HalfStars,
        comment: String?,
        isReview: Bool,
        at: Timestamp
    ) {
        self.id = id
        self.personID = personID
        self.filmID = filmID
        self.stars = stars
        self.comment = comment
        self.isReview = isReview
        self.at = at
    }
}

/// Stars in halves: the app gives whole ones, imported ratings also have halves.
package struct HalfStars: Sendable, Hashable, Comparable {
    /// 1...10.
    package let halves: Int

    package init?(halves: Int) {
        guard (1...10).contains(halves) else { return nil }
        self.halves = halves
    }

    /// Whole stars, 1 to 5.
    package init?(stars: Int) {
        guard (1...5).contains(stars) else { return nil }
        halves = 2 * stars
    }

    /// In stars, 0.5 to 5.
    package var value: Double { Double(halves) / 2 }

    /// As the app shows it, in whole stars from 1 to 5; a half is rounded up.
    package var wholeStars: Int { (halves + 1) / 2 }

    package static func < (left: HalfStars, right: HalfStars) -> Bool {
        left.halves < right.halves
    }
}
