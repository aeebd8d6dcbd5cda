import Activity
import Store
import StoreTesting
import Testing

@testable import ActivityApp

@Suite("Ratings and reviews", .timeLimit(.minutes(10)))
struct RatingTests {
    private func withFilms(
        people: Int = 4,
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(people)
                try tables.insertFilms("A", "B", "C")
                try body(tables)
            }
        }
    }

    private func at(_ seconds: Int) -> Timestamp { startOfTests + .seconds(seconds) }

    @Test func ratingIsReplacedAndTheOldOneReturned() async throws {
        try await withFilms { tables throws in
            guard
                case .written(let first, nil) = try tables.rate(
                    1,
                    by: 1,
                    HalfStars(stars: 3)!,
                    at: at(0)
                )
            else {
                Issue.record("first rating was not written")
                return
            }
            #expect(try tables.rating(of: 1, by: 1) == first)
            let second = try tables.rate(
                1,
                by: 1,
                HalfStars(stars: 5)!,
                comment: "Better the second time.",
                isReview: true,
                at: at(1)
            )
            guard case .written(let new, let replaced?) = second else {
                Issue.record("second rating was not written: \(second)")
                return
            }
            #expect(replaced == first)
            #expect(new.id == first.id)
            #expect(try tables.rating(of: 1, by: 1) == new)
            #expect(try tables.ratingSummary(ofFilm: 1) == RatingSummary(count: 1, average: 5))
        }
    }

    @Test func sameRatingAgainChangesNothing() async throws {
        try await withFilms { tables throws in
            let first = try #require(try tables.rate(1, by: 1, stars: 4, review: "e\u{301}"))
            let same = try tables.rate(
                1,
                by: 1,
                HalfStars(stars: 4)!,
                comment: "e\u{301}",
                isReview: true,
                at: at(9)
            )
            #expect(same == .unchanged(first))
            let other = try tables.rate(
                1,
                by: 1,
                HalfStars(stars: 4)!,
                comment: "\u{E9}",
                isReview: true,
                at: at(9)
            )
            #expect(other != .unchanged(first), "other bytes are another comment")
        }
    }

    @Test func unknownFilmsAndPeopleCannotBeRated() async throws {
        try await withFilms { tables throws in
            #expect(try tables.rate(9, by: 1, HalfStars(stars: 1)!, at: at(0)) == .noSuchFilm)
            #expect(try tables.rate(1, by: 9, HalfStars(stars: 1)!, at: at(0)) == .noSuchFilm)
            #expect(try tables.deleteRating(of: 1, by: 1) == nil)
        }
    }

    @Test func summaryIsTheMeanOfAllInStars() async throws {
        try await withFilms { tables throws in
            for (person, halves) in [(1, 10), (2, 5), (3, 3)] {
                _ = try tables.rate(1, by: person, HalfStars(halves: halves)!, at: at(0))
            }
            #expect(try tables.ratingSummary(ofFilm: 1) == RatingSummary(count: 3, average: 3))
            _ = try tables.deleteRating(of: 1, by: 1)
            #expect(try tables.ratingSummary(ofFilm: 1) == RatingSummary(count: 2, average: 2))
            _ = try tables.deleteRating(of: 1, by: 2)
            _ = try tables.deleteRating(of: 1, by: 3)
            #expect(try tables.ratingSummary(ofFilm: 1) == RatingSummary.none)
        }
    }

    @Test func importedRatingYieldsToALaterOne() async throws {
        try await withFilms { tables throws in
            let half = HalfStars(halves: 7)!
            #expect(try tables.importRating(of: 1, by: 1, half, at: at(5)))
            #expect(try !tables.importRating(of: 1, by: 1, HalfStars(halves: 1)!, at: at(4)))
            #expect(try tables.importRating(of: 1, by: 1, HalfStars(halves: 2)!, at: at(6)))
            #expect(try !tables.importRating(of: 9, by: 1, half, at: at(5)))
            #expect(try tables.rating(of: 1, by: 1)?.stars.halves == 2)
        }
    }

    @Test func ratingsOfAPersonAndOfAllComeInOrder() async throws {
        try await withFilms { tables throws in
            for (film, person) in [(3, 1), (1, 2), (1, 1)] {
                _ = try tables.rate(film, by: person, stars: film)
            }
            #expect(try tables.ratings(by: 1).map(\.filmID) == [1, 3])
            let first = try tables.ratings(after: 0, limit: 2)
            #expect(first.map(\.filmID) == [3, 1])
            #expect(first.map(\.personID) == [1, 2])
            #expect(first.map(\.stars.halves) == [6, 2])
            let rest = try tables.ratings(after: first[1].id, limit: 2)
            #expect(rest.map(\.personID) == [1])
        }
    }

    @Test func deletedRatingTakesItsActivitiesAndLikesAlong() async throws {
        try await withFilms { tables throws in
            try tables.makeFriends(1, 2)
            let rating = try #require(try tables.rate(1, by: 1, stars: 4, review: "good"))
            let old = try tables.note(.rating, of: 1, by: 1)
            let review = try tables.note(.review, of: 1, by: 1)
            let started = try tables.note(.started, of: 1, by: 1)
            let other = try tables.note(.rating, of: 2, by: 1)
            _ = try tables.like(review: rating.id, of: 1, by: 2, at: at(0))
            let deleted = try #require(try tables.deleteRating(of: 1, by: 1))
            #expect(deleted == DeletedRating(rating: rating, activityIDs: [old, review]))
            #expect(try tables.feedIDs(2) == [other, started])
            #expect(try tables.feedIDs(2, type: .review).isEmpty)
            #expect(try tables.reviews(of: 1, for: 2, range: everything)?.items.isEmpty == true)
            #expect(try tables.like(review: rating.id, of: 1, by: 2, at: at(0)) == nil)
        }
    }

    @Test func ratingWithTooManyActivitiesIsDeletedInPartsAndGoesWithTheLast() async throws {
        try await withFilms { tables throws in
            try tables.makeFriends(1, 2)
            let rating = try #require(try tables.rate(1, by: 1, stars: 4, review: "good"))
            var ids: [Int] = []
            for _ in 1...5 { ids.append(try tables.note(.review, of: 1, by: 1)) }
            var parts: [DeletedRating] = []
            while let part = try tables.deleteRating(of: 1, by: 1, activitiesMax: 2) {
                parts.append(part)
                let isGone = try tables.rating(of: 1, by: 1) == nil
                #expect(isGone == !part.isPart)
            }
            #expect(parts.map(\.activityIDs) == [[ids[0], ids[1]], [ids[2], ids[3]], [ids[4]]])
            #expect(parts.allSatisfy { $0.rating == rating })
            #expect(try tables.feed(of: 2, range: everything).totalCount == 0)
        }
    }

    @Test func ratingWithExactlySoManyActivitiesIsDeletedToo() async throws {
        try await withFilms { tables throws in
            _ = try tables.rate(1, by: 1, stars: 4)
            let id = try tables.note(.rating, of: 1, by: 1)
            let first = try tables.deleteRating(of: 1, by: 1, activitiesMax: 1)
            #expect(first?.activityIDs == [id] && first?.isPart == true)
            let last = try tables.deleteRating(of: 1, by: 1, activitiesMax: 1)
            #expect(last?.activityIDs == [] && last?.isPart == false)
            #expect(try tables.rating(of: 1, by: 1) == nil)
        }
    }

    // MARK: Reviews

    @Test func reviewsAreNewestFirstWithLikes() async throws {
        try await withFilms { tables throws in
            for person in 1...3 {
                _ = try tables.rate(
                    1,
                    by: person,
                    HalfStars(stars: person)!,
                    comment: "by \(person)",
                    isReview: true,
                    at: at(person % 3)
                )
            }
            _ = try tables.rate(1, by: 4, HalfStars(stars: 1)!, comment: "aside", at: at(9))
            let page = try #require(try tables.reviews(of: 1, for: 4, range: PageRange(limit: 2)))
            #expect(page.items.map(\.author.id) == [2, 1])
            #expect(page.items.map(\.comment) == ["by 2", "by 1"])
            #expect(page.totalCount == 3)
            let id = page.items[0].id
            let liked = try tables.like(review: id, of: 1, by: 4, at: at(0))
            #expect(liked == ReviewLikes(reviewID: id, likes: 1, userLiked: true))
            #expect(try tables.like(review: id, of: 1, by: 4, at: at(0))?.likes == 1)
            #expect(try tables.like(review: id, of: 1, by: 2, at: at(0))?.likes == 2)
            let seen = try tables.reviews(of: 1, for: 4, range: everything)?.items.first
            #expect(seen?.likes == 2)
            #expect(seen?.userLiked == true)
            #expect(
                try tables.reviews(of: 1, for: 1, range: everything)?.items.first?.userLiked
                    == false
            )
            #expect(try tables.unlike(review: id, of: 1, by: 4)?.likes == 1)
            #expect(try tables.unlike(review: id, of: 1, by: 4)?.likes == 1)
            #expect(try tables.like(review: id, of: 2, by: 4, at: at(0)) == nil, "another film's")
            #expect(try tables.reviews(of: 9, for: 1, range: everything) == nil)
        }
    }

    @Test func blockedPeoplesReviewsAreHiddenBothWays() async throws {
        try await withFilms { tables throws in
            let one = try #require(try tables.rate(1, by: 1, stars: 1, review: "one"))
            let two = try #require(try tables.rate(1, by: 2, stars: 2, review: "two"))
            _ = try tables.block(2, by: 1, at: at(0))
            for (viewer, own, other) in [(1, one, two), (2, two, one)] {
                let page = try #require(try tables.reviews(of: 1, for: viewer, range: everything))
                #expect(page.items.map(\.id) == [own.id])
                #expect(page.totalCount == 1)
                #expect(try tables.like(review: other.id, of: 1, by: viewer, at: at(0)) == nil)
                #expect(try tables.unlike(review: other.id, of: 1, by: viewer) == nil)
            }
            #expect(try tables.reviews(of: 1, for: 3, range: everything)?.totalCount == 2)
        }
    }

    @Test func ratingThatIsNoReviewAnyMoreLosesItsLikes() async throws {
        try await withFilms { tables throws in
            let review = try #require(try tables.rate(1, by: 1, stars: 4, review: "good"))
            _ = try tables.like(review: review.id, of: 1, by: 2, at: at(0))
            _ = try tables.rate(1, by: 1, stars: 4)
            let again = try #require(try tables.rate(1, by: 1, stars: 4, review: "good"))
            let page = try #require(try tables.reviews(of: 1, for: 2, range: everything))
            #expect(page.items.map(\.id) == [again.id])
            #expect(page.items.map(\.likes) == [0])
            #expect(page.items.map(\.userLiked) == [false])
        }
    }

    // MARK: Friends

    /// Both ways of the query: with fewer friends than ratings, and with more.
    @Test(arguments: [0, 20])
    func friendsRatingsAreThoseOfFriendsAlone(_ otherFriends: Int) async throws {
        try await withFilms(people: 40) { tables throws in
            for friend in [2, 3, 4] { try tables.makeFriends(1, friend) }
            for friend in 0..<otherFriends { try tables.makeFriends(1, 20 + friend) }
            try tables.makeFriends(2, 5)
            try tables.makeFriends(2, 6)
            for (person, stars, time) in [(2, 5, 1), (3, 2, 3), (5, 1, 4), (6, 1, 5), (7, 1, 6)] {
                _ = try tables.rate(1, by: person, HalfStars(stars: stars)!, at: at(time))
            }
            _ = try tables.rate(2, by: 4, stars: 4)
            for (person, status) in [
                (2, WatchStatus.started), (4, .completed), (5, .completed), (6, .started),
                (7, .completed),
            ] {
                _ = try tables.setWatch(status, of: 1, by: person, at: at(0))
            }
            let signals = try tables.friendSignals(of: 1, for: 1, latest: 1)
            #expect(signals.ratings.count == 2)
            #expect(signals.ratings.average == 3.5)
            #expect(signals.ratings.latest.map(\.person.id) == [3], "the latest one")
            #expect(signals.watchCount == 1, "4; 2 has not seen the end")
            #expect(signals.mutualFriendsWatched == 1, "5, a friend of 2")
            let none = try tables.friendSignals(of: 3, for: 1, latest: 9)
            #expect(none == .none)
            #expect(try tables.friendSignals(of: 9, for: 1, latest: 9) == .none)
        }
    }
}
