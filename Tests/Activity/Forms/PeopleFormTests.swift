import Expectations

@testable import Activity

@Suite("Forms of people: byte for byte", .timeLimit(.minutes(10)))
struct PeopleFormTests {
    @Test func friendsAndSuggestionsHaveTheContractsForm() throws {
        let friends = [
            FriendView(
                person: Example.kari,
                favoriteGenres: ["Drama", "Sci-Fi"],
                mutualFriends: 8,
                watchedCount: 42,
                lastActiveAt: Example.first
            ),
            FriendView(
                person: Example.ola,
                mutualFriends: 0,
                watchedCount: 0,
                lastActiveAt: nil
            ),
        ]
        let suggestion = SuggestionView(
            person: PersonCard(id: 5, name: "Siri", avatarURL: nil),
            favoriteGenres: ["Sci-Fi", "Western"],
            sharedGenres: ["Sci-Fi"],
            matchScore: 87,
            mutualFriends: 5,
            watchedCount: 3,
            lastActiveAt: Example.third
        )
        let page = Page(items: friends, totalCount: 2, range: PageRange(limit: 20))
        let expected = try ActivityVectors.form("friends")
        expectEqual(text(page.json(suggestions: [suggestion])), expected)
        let none = Page<FriendView>(items: [], totalCount: 0, range: PageRange(limit: 20))
        expectEqual(text(none.json(suggestions: [])), (try ActivityVectors.form("nobody")))
    }

    private func request(
        _ id: Int,
        _ direction: RequestDirection,
        _ person: PersonCard
    ) -> FriendRequestView {
        FriendRequestView(
            id: id,
            direction: direction,
            person: person,
            mutualFriends: person == Example.kari ? 2 : 0,
            at: person == Example.kari ? Example.first : Example.second
        )
    }

    @Test func requestsSayWhoAsked() throws {
        let incoming = Page(
            items: [request(9, .incoming, Example.kari), request(8, .incoming, Example.ola)],
            totalCount: 2,
            range: PageRange(limit: 20)
        )
        expectEqual(text(incoming.json()), (try ActivityVectors.form("friend requests")))
        let outgoing = Page(
            items: [request(10, .outgoing, Example.kari)],
            totalCount: 1,
            range: PageRange(limit: 20)
        )
        expectEqual(text(outgoing.json()), (try ActivityVectors.form("own friend requests")))
    }

    @Test(arguments: [
        ("request sent", Friendship(userID: 2, status: .pending, requestID: 10)),
        ("request accepted", Friendship(userID: 2, status: .accepted)),
        ("user blocked", Friendship(userID: 2, status: .blocked)),
        ("friendship ended", Friendship(userID: 2, status: nil)),
    ])
    func changeOfAFriendshipSaysHowItStands(name: String, friendship: Friendship) throws {
        expectEqual(text(friendship.json()), (try ActivityVectors.form(name)))
    }

    private let kari = Person(
        id: 2,
        name: "Kari",
        avatarURL: "https://images.example/kari.jpg",
        email: "kari@example.com",
        bio: "Films and fjords",
        createdAt: Example.third
    )
    private let ola = Person(id: 3, name: Example.ola.name, createdAt: Example.third)

    private func profile(of person: Person) -> ProfileView {
        guard person.id == kari.id else {
            return ProfileView(
                person: person,
                watchedCount: 0,
                friendsCount: 0,
                ratingsCount: 0,
                favoritesCount: 0,
                statistics: .none
            )
        }
        return ProfileView(
            person: person,
            favoriteGenres: ["Sci-Fi", "Action"],
            watchedCount: 42,
            friendsCount: 12,
            ratingsCount: 38,
            favoritesCount: 18,
            statistics: ProfileStatistics(
                averageRatingGiven: 4.2105,
                mostWatchedGenre: "Sci-Fi",
                totalWatchMinutes: 1200
            ),
            friendStatus: .accepted,
            suggestsByTaste: true
        )
    }

    @Test func profileHasTheContractsForm() throws {
        expectEqual(text(profile(of: kari).json()), (try ActivityVectors.form("profile")))
        let stranger = try ActivityVectors.form("profile of a stranger")
        expectEqual(text(profile(of: ola).json()), stranger)
    }

    @Test func onlyTheOwnProfileShowsTheEmail() throws {
        expectEqual(text(profile(of: kari).ownJSON()), (try ActivityVectors.form("own profile")))
        let without = try ActivityVectors.form("own profile without an email")
        expectEqual(text(profile(of: ola).ownJSON()), without)
        expect(!text(profile(of: kari).json()).contains("kari@example.com"))
    }

    @Test func dataOfAUserHasItsForm() throws {
        let time = #""timestamp":"2026-01-02T11:00:00Z""#
        let friend = Array(#"{"user_id":3,\#(time)}"#.utf8)
        let rating = Array(
            #"""
            {"review_id":5,"movie_id":1,"rating":4.5,"is_review":true,"comment":"Cold.","likes":12,\#(time)}
            """#.utf8
        )
        let answer = userDataAnswer(
            userID: 2,
            at: Example.third,
            sections: [("ratings", [rating]), ("likes", []), ("friends", [friend])],
            next: "friends:3"
        )
        expectEqual(text(answer), (try ActivityVectors.form("data")))
        let last = userDataAnswer(userID: 2, at: Example.third, sections: [], next: nil)
        expect(text(last).hasSuffix(#""sections":{},"next":null}"#))
    }

    /// The answer as a whole: PersonAccountsTests.
    @Test func loginAnswersTheUser() throws {
        for (form, person) in [("login", kari), ("login of somebody without a picture", ola)] {
            let user = #""user":\#(text(person.accountJSON())),"#
            try expect(ActivityVectors.form(form).contains(user))
        }
    }
}
