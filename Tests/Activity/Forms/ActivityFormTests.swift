import Expectations

@testable import Activity

@Suite("Forms of acts: byte for byte", .timeLimit(.minutes(10)))
struct ActivityFormTests {
    private let entries = Example.entries

    @Test func entryHasTheContractsForm() throws {
        expectEqual(text(entries[0].json()), (try ActivityVectors.form("activity")))
        expectEqual(text(entries[1].json()), (try ActivityVectors.form("activity without stars")))
    }

    @Test func feedHasItsEntriesAndTheNewestAsCursor() throws {
        let page = Page(items: entries, totalCount: 50, range: PageRange(limit: 2))
        expectEqual(text(page.json()), (try ActivityVectors.form("feed")))
        let none = Page<ActivityEntry>(items: [], totalCount: 0, range: PageRange(limit: 20))
        expectEqual(text(none.json()), (try ActivityVectors.form("feed that is empty")))
    }

    @Test func catchingUpGoesOnBehindTheLastEntry() throws {
        let some = ActivityCatchUp(
            entries: entries.reversed(),
            since: 39,
            totalCount: 3,
            limit: 2
        )
        expectEqual(some.cursor, 41)
        expect(some.hasMore)
        expectEqual(text(some.json()), (try ActivityVectors.form("feed since an activity")))
        let none = ActivityCatchUp(entries: [], since: 41, totalCount: 0, limit: 20)
        expectEqual(none.cursor, 41)
        expect(!none.hasMore)
        expectEqual(text(none.json()), (try ActivityVectors.form("feed with nothing since")))
    }

    @Test func ratingHasTheContractsForm() throws {
        func rating(_ halves: Int, _ comment: String?) -> Rating {
            Rating(
                id: 11,
                personID: 1,
                filmID: 1,
                stars: Example.stars(halves),
                comment: comment,
                isReview: comment != nil,
                at: Example.first
            )
        }
        expectEqual(text(rating(10, "Cold.").json()), (try ActivityVectors.form("rating")))
        let halves = try ActivityVectors.form("rating of half stars")
        expectEqual(text(rating(7, nil).json()), halves)
    }

    @Test func reviewsHaveTheContractsForm() throws {
        let reviews = [
            ReviewView(
                id: 11,
                author: Example.kari,
                filmID: 1,
                stars: Example.stars(10),
                comment: "Cold.",
                at: Example.first,
                likes: 12,
                userLiked: false
            ),
            ReviewView(
                id: 10,
                author: Example.ola,
                filmID: 1,
                stars: Example.stars(3),
                comment: nil,
                at: Example.third,
                likes: 0,
                userLiked: true
            ),
        ]
        let range = PageRange(limit: 2, offset: 10)
        let page = Page(items: reviews, totalCount: 25, range: range)
        expectEqual(text(page.json()), (try ActivityVectors.form("reviews")))
        let likes = ReviewLikes(reviewID: 11, likes: 13, userLiked: true)
        expectEqual(text(likes.json()), (try ActivityVectors.form("review liked")))
    }
}

@Suite("Events: acts", .timeLimit(.minutes(10)))
struct ActivityEventTests {
    private func id(_ number: Int) -> String { "019b7dd2-5e80-7000-8000-00000000020\(number)" }

    @Test func topicIsNamedByThePerson() {
        expectEqual(activityTopic(17).name, "activity:17")
    }

    @Test func actIsToldWithTheEntryOfTheFeed() throws {
        for (number, name) in [(1, "review"), (2, "addition to a watchlist")] {
            let entry = Example.entries[number - 1]
            let told = activityCreatedEvent(entry, id: id(number))
            let expected = try ActivityVectors.event(name)
            expectEqual(text(told.event.cloudEvent()), expected.text)
            expectEqual(told.tags, expected.tags)
            expectEqual(told.event.data, entry.json())
        }
    }

    @Test(
        arguments: [
            (4, "friend request", .friendRequested(requestID: 9)),
            (5, "friend request withdrawn", .requestWithdrawn(requestID: 9)),
            (6, "friend request accepted", .friendAccepted),
            (
                7, "review liked",
                .reviewLiked(
                    LikedReview(
                        id: 5,
                        filmID: 1,
                        filmTitle: "The Silver Sea",
                        filmPosterURL: "https://images.example/w500/sea.jpg",
                        likes: 12
                    )
                )
            ),
            (8, "like withdrawn", .likeWithdrawn(reviewID: 5, filmID: 1)),
        ] as [(Int, String, Notice.Occasion)]
    )
    func noticeHasItsFormAndTags(number: Int, name: String, occasion: Notice.Occasion) throws {
        let notice = Notice(to: 1, from: Example.kari, occasion, at: Example.first)
        let told = notice.event(id: id(number))
        let expected = try ActivityVectors.event(name)
        expectEqual(text(told.event.cloudEvent()), expected.text)
        expectEqual(told.tags, expected.tags)
        expect(!notice.isWithdrawal || told.tags[ActivityTag.notice] == nil)
    }

    @Test func unreadCountsHaveTheirSumAndTheCursor() throws {
        let counts = UnreadCounts(
            activities: 9,
            friendRequests: 2,
            likes: 3,
            cursor: UnreadCursor(activityID: 41, requestID: 9, likeNumber: 17)
        )
        expectEqual(text(counts.json()), (try ActivityVectors.form("unread")))
    }

    @Test func deletionIsToldAndCantBeErasedWithTheActivity() throws {
        let told = activityDeletedEvent(
            activityID: 41,
            actorID: 2,
            id: id(3),
            time: Example.instant("2026-01-02T11:05:00Z")
        )
        let expected = try ActivityVectors.event("deletion")
        expectEqual(text(told.event.cloudEvent()), expected.text)
        expectEqual(told.tags, expected.tags)
        expectNil(told.tags[ActivityTag.activity])
    }
}
