import Activity
import DomainKit
import Expectations
import StoreTesting

@testable import ActivityApp

@Suite("A person's data", .timeLimit(.minutes(10)))
struct ExportTests {
    private func fill(_ tables: ActivityTables) throws {
        try tables.insertPeople(5)
        try tables.insertFilms("A", "B", "C")
        try tables.makeFriends(1, 2)
        _ = try tables.requestFriend(3, by: 1, at: startOfTests)
        _ = try tables.requestFriend(1, by: 4, at: startOfTests)
        _ = try tables.block(5, by: 1, at: startOfTests)
        for person in 1...2 {
            for film in 1...3 { _ = try tables.rate(film, by: person, stars: film, review: "r") }
        }
        _ = try tables.like(review: 4, of: 1, by: 1, at: startOfTests)
        _ = try tables.addToWatchlist(2, of: 1, at: startOfTests)
        _ = try tables.addNotInterested(3, of: 1, at: startOfTests)
        _ = try tables.setWatch(.completed, of: 1, by: 1, progressPercent: 100, at: startOfTests)
        _ = try tables.setWatch(.paused, of: 2, by: 1, at: startOfTests)
        for type in ActivityType.allCases { _ = try tables.note(type, of: 1, by: 1) }
    }

    private func export(_ store: HubStore, _ user: String) async throws -> [String: [String]] {
        let page = try await require(UserDataPage.read(store.activityUserData, of: user, from: nil))
        return Dictionary(
            uniqueKeysWithValues: page.sections.map { section in
                (section.name, section.rows.map { String(decoding: $0, as: UTF8.self) })
            }
        )
    }

    @Test func everyRowOfThePersonIsThere() async throws {
        try await withFilmStore { store in
            try await store.act { try fill($0) }
            let data = try await export(store, "1")
            let time = startOfTests.iso8601Seconds
            expectEqual(
                data["profile"],
                [
                    #"{"user_id":1,"provider":"test","provider_subject":"p1","name":"name of p1","#
                        + #""avatar_url":null,"email":null,"bio":null,"created_at":"\#(time)","#
                        + #""last_active":null,"suggest_by_taste":false}"#
                ]
            )
            expectEqual(data["ratings"]?.count, 3)
            expectEqual(
                data["ratings"]?.first,
                #"{"review_id":1,"movie_id":1,"rating":1,"is_review":true,"comment":"r","#
                    + #""likes":0,"timestamp":"\#(time)"}"#
            )
            expectEqual(data["likes"], [#"{"review_id":4,"timestamp":"\#(time)"}"#])
            expectEqual(data["watchlist"], [#"{"movie_id":2,"timestamp":"\#(time)"}"#])
            expectEqual(data["not_interested"], [#"{"movie_id":3,"timestamp":"\#(time)"}"#])
            expectEqual(
                data["watched"],
                [
                    #"{"movie_id":1,"watch_status":"completed","progress_percent":100,"#
                        + #""completed_at":"\#(time)","timestamp":"\#(time)"}"#,
                    #"{"movie_id":2,"watch_status":"paused","progress_percent":null,"#
                        + #""completed_at":null,"timestamp":"\#(time)"}"#,
                ]
            )
            expectEqual(data["friends"], [#"{"user_id":2,"timestamp":"\#(time)"}"#])
            expectEqual(data["blocked"], [#"{"user_id":5,"timestamp":"\#(time)"}"#])
            expectEqual(
                data["requests_sent"],
                [#"{"request_id":1,"user_id":3,"timestamp":"\#(time)"}"#]
            )
            expectEqual(
                data["requests_received"],
                [#"{"request_id":2,"user_id":4,"timestamp":"\#(time)"}"#]
            )
            expectEqual(data["activities"]?.count, ActivityType.allCases.count)
        }
    }

    @Test func nothingOfOthersIsThere() async throws {
        try await withFilmStore { store in
            try await store.act { try fill($0) }
            let blocked = try await export(store, "5")
            expectEqual(
                blocked.filter { !$0.value.isEmpty }.map(\.key),
                ["profile"],
                "who blocks is private"
            )
            for user in ["9", "x", "01", ""] {
                let none = try await export(store, user)
                expect(none.values.allSatisfy { $0.isEmpty }, "\(user)")
            }
        }
    }

    @Test func sectionsGoOnBehindTheLastRow() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(1)
                for id in 1...250 {
                    try tables.put(Film(id: id, title: "F"))
                    _ = try tables.rate(id, by: 1, stars: 3)
                }
            }
            let data = try await export(store, "1")
            expectEqual(data["ratings"]?.count, 250)
            expectEqual(Set(data["ratings"] ?? []).count, 250)
        }
    }

    /// After the rows of a deleted account are gone, nothing is left to show.
    @Test func deletedPersonHasNoData() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try fill(tables)
                _ = try tables.deletePerson(1, at: startOfTests)
                while try tables.purgeDeletedPeople() != nil {}
            }
            let data = try await export(store, "1")
            expect(data.values.allSatisfy { $0.isEmpty }, "\(data)")
        }
    }
}
