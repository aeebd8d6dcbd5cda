import Activity
import Expectations
import Store
import StoreTesting

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
            try expectEqual(tables.rating(of: 1, by: 1), first)
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
            expectEqual(replaced, first)
            expectEqual(new.id, first.id)
            try expectEqual(tables.rating(of: 1, by: 1), new)
            try expectEqual(tables.ratingSummary(ofFilm: 1), RatingSummary(count: 1, average: 5))
        }
    }

    @Test func sameRatingAgainChangesNothing() async throws {
        try await withFilms { tables throws in
            let first = try require(tables.rate(1, by: 1, stars: 4, review: "e\u{301}"))
            let same = try tables.rate(
                1,
                by: 1,
                HalfStars(stars: 4)!,
                comment: "e\u{301}",
                isReview: true,
                at: at(9)
            )
            expectEqual(same, .unchanged(first))
            let other = try tables.rate(
                1,
                by: 1,
                HalfStars(stars: 4)!,
                comment: "\u{E9}",
                isReview: true,
                at: at(9)
            )
            expect(other != .unchanged(first), "other bytes are another comment")
        }
    }

    @Test func unknownFilmsAndPeopleCannotBeRated() async throws {
        try await withFilms { tables throws in
            try expectEqual(tables.rate(9, by: 1, HalfStars(stars: 1)!, at: at(0)), .noSuchFilm)
            try expectEqual(tables.rate(1, by: 9, HalfStars(stars: 1)!, at: at(0)), .noSuchFilm)
            try expectNil(tables.deleteRating(of: 1, by: 1))
        }
    }

    @Test func summaryIsTheMeanOfAllInStars() async throws {
        try await withFilms { tables throws in
            for (person, halves) in [(1, 10), (2, 5), (3, 3)] {
                _ = try tables.rate(1, by: person, HalfStars(halves: halves)!, at: at(0))
            }
            try expectEqual(tables.ratingSummary(ofFilm: 1), RatingSummary(count: 3, average: 3))
            _ = try tables.deleteRating(of: 1, by: 1)
            try expectEqual(tables.ratingSummary(ofFilm: 1), RatingSummary(count: 2, average: 2))
            _ = try tables.deleteRating(of: 1, by: 2)
            _ = try tables.deleteRating(of: 1, by: 3)
            try expectEqual(tables.ratingSummary(ofFilm: 1), RatingSummary.none)
        }
    }

    @Test func importedRatingYieldsToALaterOne() async throws {
        try await withFilms { tables throws in
            let half = HalfStars(halves: 7)!
            try expect(tables.importRating(of: 1, by: 1, half, at: at(5)))
            try expect(!tables.importRating(of: 1, by: 1, HalfStars(halves: 1)!, at: at(4)))
            try expect(tables.importRating(of: 1, by: 1, HalfStars(halves: 2)!, at: at(6)))
            try expect(!tables.importRating(of: 9, by: 1, half, at: at(5)))
            try expectEqual(tables.rating(of: 1, by: 1)?.stars.halves, 2)
        }
    }

    @Test func ratingsOfAPersonAndOfAllComeInOrder() async throws {
        try await withFilms { tables throws in
            for (film, person) in [(3, 1), (1, 2), (1, 1)] {
                _ = try tables.rate(film, by: person, stars: film)
            }
            try expectEqual(tables.ratings(by: 1).map(\.filmID), [1, 3])
            let first = try tables.ratings(after: 0, limit: 2)
            expectEqual(first.map(\.filmID), [3, 1])
            expectEqual(first.map(\.personID), [1, 2])
            expectEqual(first.map(\.stars.halves), [6, 2])
            let rest = try tables.ratings(after: first[1].id, limit: 2)
            expectEqual(rest.map(\.personID), [1])
        }
    }

    @Test func deletedRatingTakesItsActivitiesAndLikesAlong() async throws {
        try await withFilms { tables throws in
            try tables.makeFriends(1, 2)
            let rating = try require(tables.rate(1, by: 1, stars: 4, review: "good"))
            let old = try tables.note(.rating, of: 1, by: 1)
            let review = try tables.note(.review, of: 1, by: 1)
            let started = try tables.note(.started, of: 1, by: 1)
            let other = try tables.note(.rating, of: 2, by: 1)
            _ = try tables.like(review: rating.id, of: 1, by: 2, at: at(0))
            let deleted = try require(tables.deleteRating(of: 1, by: 1))
            expectEqual(deleted, DeletedRating(rating: rating, activityIDs: [old, review]))
            try expectEqual(tables.feedIDs(2), [other, started])
            try expect(tables.feedIDs(2, type: .review).isEmpty)
            try expectEqual(tables.reviews(of: 1, for: 2, range: everything)?.items.isEmpty, true)
            try expectNil(tables.like(review: rating.id, of: 1, by: 2, at: at(0)))
        }
    }

    @Test func ratingWithTooManyActivitiesIsDeletedInPartsAndGoesWithTheLast() async throws {
        try await withFilms { tables throws in
            try tables.makeFriends(1, 2)
            let rating = try require(tables.rate(1, by: 1, stars: 4, review: "good"))
            var ids: [Int] = []
            for _ in 1...5 { ids.append(try tables.note(.review, of: 1, by: 1)) }
            var parts: [DeletedRating] = []
            while let part = try tables.deleteRating(of: 1, by: 1, activitiesMax: 2) {
                parts.append(part)
                let isGone = try tables.rating(of: 1, by: 1) == nil
                expectEqual(isGone, !part.isPart)
            }
            expectEqual(parts.map(\.activityIDs), [[ids[0], ids[1]], [ids[2], ids[3]], [ids[4]]])
            expect(parts.allSatisfy { $0.rating == rating })
            try expectEqual(tables.feed(of: 2, range: everything).totalCount, 0)
        }
    }

    @Test func ratingWithExactlySoManyActivitiesIsDeletedToo() async throws {
        try await withFilms { tables throws in
            _ = try tables.rate(1, by: 1, stars: 4)
            let id = try tables.note(.rating, of: 1, by: 1)
            let first = try tables.deleteRating(of: 1, by: 1, activitiesMax: 1)
            expect(first?.activityIDs == [id] && first?.isPart == true)
            let last = try tables.deleteRating(of: 1, by: 1, activitiesMax: 1)
            expect(last?.activityIDs == [] && last?.isPart == false)
            try expectNil(tables.rating(of: 1, by: 1))
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
            let page = try require(tables.reviews(of: 1, for: 4, range: PageRange(limit: 2)))
            expectEqual(page.items.map(\.author.id), [2, 1])
            expectEqual(page.items.map(\.comment), ["by 2", "by 1"])
            expectEqual(page.totalCount, 3)
            let id = page.items[0].id
            let liked = try tables.like(review: id, of: 1, by: 4, at: at(0))
            expectEqual(liked, ReviewLikes(reviewID: id, likes: 1, userLiked: true))
            try expectEqual(tables.like(review: id, of: 1, by: 4, at: at(0))?.likes, 1)
            try expectEqual(tables.like(review: id, of: 1, by: 2, at: at(0))?.likes, 2)
            let seen = try tables.reviews(of: 1, for: 4, range: everything)?.items.first
            expectEqual(seen?.likes, 2)
            expectEqual(seen?.userLiked, true)
            try expectEqual(
                tables.reviews(of: 1, for: 1, range: everything)?.items.first?.userLiked,
                false
            )
            try expectEqual(tables.unlike(review: id, of: 1, by: 4)?.likes, 1)
            try expectEqual(tables.unlike(review: id, of: 1, by: 4)?.likes, 1)
            try expectNil(tables.like(review: id, of: 2, by: 4, at: at(0)), "another film's")
            try expectNil(tables.reviews(of: 9, for: 1, range: everything))
        }
    }

    @Test func blockedPeoplesReviewsAreHiddenBothWays() async throws {
        try await withFilms { tables throws in
            let one = try require(tables.rate(1, by: 1, stars: 1, review: "one"))
            let two = try require(tables.rate(1, by: 2, stars: 2, review: "two"))
            _ = try tables.block(2, by: 1, at: at(0))
            for (viewer, own, other) in [(1, one, two), (2, two, one)] {
                let page = try require(tables.reviews(of: 1, for: viewer, range: everything))
                expectEqual(page.items.map(\.id), [own.id])
                expectEqual(page.totalCount, 1)
                try expectNil(tables.like(review: other.id, of: 1, by: viewer, at: at(0)))
                try expectNil(tables.unlike(review: other.id, of: 1, by: viewer))
            }
            try expectEqual(tables.reviews(of: 1, for: 3, range: everything)?.totalCount, 2)
        }
    }

    @Test func ratingThatIsNoReviewAnyMoreLosesItsLikes() async throws {
        try await withFilms { tables throws in
            let review = try require(tables.rate(1, by: 1, stars: 4, review: "good"))
            _ = try tables.like(review: review.id, of: 1, by: 2, at: at(0))
            _ = try tables.rate(1, by: 1, stars: 4)
            let again = try require(tables.rate(1, by: 1, stars: 4, review: "good"))
            let page = try require(tables.reviews(of: 1, for: 2, range: everything))
            expectEqual(page.items.map(\.id), [again.id])
            expectEqual(page.items.map(\.likes), [0])
            expectEqual(page.items.map(\.userLiked), [false])
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
            expectEqual(signals.ratings.count, 2)
            expectEqual(signals.ratings.average, 3.5)
            expectEqual(signals.ratings.latest.map(\.person.id), [3], "the latest one")
            expectEqual(signals.watchCount, 1, "4; 2 has not seen the end")
            expectEqual(signals.mutualFriendsWatched, 1, "5, a friend of 2")
            let none = try tables.friendSignals(of: 3, for: 1, latest: 9)
            expectEqual(none, .none)
            try expectEqual(tables.friendSignals(of: 9, for: 1, latest: 9), .none)
        }
    }
}
