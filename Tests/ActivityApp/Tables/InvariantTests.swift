import Activity
import Expectations
import SeededRandom
import Store
import StoreTesting

@testable import ActivityApp

/// Any acts of any people in any order: what is counted stays what is there, and nobody sees whom they are
/// not to see.
@Suite("Film app: what always holds", .timeLimit(.minutes(10)))
struct InvariantTests {
    private static let people = 8
    private static let films = 4

    @Test(arguments: [UInt64(11), 12, 13, 14])
    func countsAndBlocksHoldAfterAnyActs(_ seed: UInt64) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(Self.people)
                for id in 1...Self.films { try tables.put(Film(id: id, title: "Film \(id)")) }
            }
            for round in 0..<12 {
                try await store.act { tables throws in
                    var generator = SeededGenerator(seed: seed * 1000 + UInt64(round))
                    for _ in 0..<60 { try doAnything(tables, &generator) }
                    try expectEqual(tables.wrongCounts(), [], "seed \(seed), round \(round)")
                    try checkSight(tables, "seed \(seed), round \(round)")
                }
            }
        }
    }

    private func doAnything(
        _ tables: ActivityTables,
        _ generator: inout SeededGenerator
    ) throws {
        let one = Int.random(in: 1...Self.people, using: &generator)
        let other = Int.random(in: 1...Self.people, using: &generator)
        let film = Int.random(in: 1...Self.films, using: &generator)
        let stars = HalfStars(halves: Int.random(in: 1...10, using: &generator))!
        let time = startOfTests + .seconds(Int.random(in: 0...9, using: &generator))
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<15:
            let isReview = Bool.random(using: &generator)
            let outcome = try tables.rate(film, by: one, stars, isReview: isReview, at: time)
            if case .written = outcome {
                _ = try tables.insertActivity(
                    isReview ? .review : .rating,
                    of: film,
                    by: one,
                    rating: stars.wholeStars,
                    at: time
                )
            }
        case 15..<20: _ = try tables.deleteRating(of: film, by: one)
        case 20..<50: _ = try tables.requestFriend(other, by: one, at: time)
        case 50..<55: try tables.unfriend(one, other)
        case 55..<60: try tables.block(other, by: one, at: time)
        case 60..<64: try tables.unblock(other, by: one)
        case 64..<74:
            let status = WatchStatus.allCases.randomElement(using: &generator)!
            _ = try tables.setWatch(status, of: film, by: one, at: time)
            _ = try tables.insertActivity(.started, of: film, by: one, at: time)
        case 74..<80: _ = try tables.addToWatchlist(film, of: one, at: time, lengthMax: 3)
        case 80..<84: try tables.removeFromWatchlist(film, of: one)
        case 84..<96:
            if let review = try tables.rating(of: film, by: other) {
                _ = try tables.like(review: review.id, of: film, by: one, at: time)
            }
        case 96..<98:
            if let review = try tables.rating(of: film, by: other) {
                _ = try tables.unlike(review: review.id, of: film, by: one)
            }
        case 98:
            if one > Self.people - 2 { _ = try tables.deletePerson(one, at: startOfTests) }
        default: _ = try tables.purgeDeletedPeople(rowsMax: 5)
        }
    }

    private func checkSight(_ tables: ActivityTables, _ place: Comment) throws {
        for viewer in 1...Self.people {
            var seen: Set<Int> = []
            let feed = try tables.feed(of: viewer, range: everything)
            expectEqual(feed.items.count, feed.totalCount, place)
            for entry in feed.items {
                try expect(tables.areFriends(viewer, entry.actor.id), place)
                seen.insert(entry.actor.id)
            }
            for film in 1...Self.films {
                let page = try tables.reviews(of: film, for: viewer, range: everything)
                expectEqual(page?.items.count, page?.totalCount, place)
                seen.formUnion(page?.items.map(\.author.id) ?? [])
                let friends = try tables.friendRatings(of: film, for: viewer, latest: 99).latest
                seen.formUnion(friends.map(\.person.id))
            }
            for suggestion in try tables.suggestions(for: viewer, range: everything).items {
                let relation = try tables.relation(of: viewer, to: suggestion.person.id)
                expectEqual(relation, .none, place)
                seen.insert(suggestion.person.id)
            }
            seen.formUnion(
                try tables.friends(of: viewer, range: everything).items.map(\.person.id)
            )
            for person in seen where person != viewer {
                try expect(tables.areUnblocked(viewer, person), place)
                try expect(tables.person(person) != nil, place)
            }
        }
    }
}
