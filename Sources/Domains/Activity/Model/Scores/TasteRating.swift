/// The rating of one film by one person, in the form for scores.
package struct TasteRating: Sendable, Equatable {
    package var personID: Int
    package var filmID: Int
    package var stars: HalfStars
    package var at: Timestamp

    package init(personID: Int, filmID: Int, stars: HalfStars, at: Timestamp) {
        self.personID = personID
        self.filmID = filmID
        self.stars = stars
        self.at = at
    }

    /// The order of a table: by person, then film, then time, so that the order in which ratings
    /// are read changes nothing.
    static func inTableOrder(_ left: TasteRating, _ right: TasteRating) -> Bool {
        (left.personID, left.filmID, left.at, left.stars)
            < (right.personID, right.filmID, right.at, right.stars)
    }

    /// In table order, with only the latest rating of each film by each person.
    package static func latest(of ratings: [TasteRating]) -> [TasteRating] {
        var latest: [TasteRating] = []
        latest.reserveCapacity(ratings.count)
        for rating in ratings.sorted(by: inTableOrder) {
            if let last = latest.last, last.personID == rating.personID,
                last.filmID == rating.filmID
            {
                latest[latest.count - 1] = rating
            } else {
                latest.append(rating)
            }
        }
        return latest
    }
}

extension HalfStars {
    /// Four stars and more: the meaning of "to like" in every score of this folder.
    package var isLiked: Bool { halves >= 8 }

    /// The weight of a rated film as evidence for the related films; below two stars it is evidence
    /// against them. Of the slopes that were tried none was better by more than chance.
    var tasteWeight: Double { value - HalfStars.neutralStars }

    static let neutralStars = 2.0
}
