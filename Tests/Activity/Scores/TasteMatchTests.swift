import Expectations
import TasteTesting

@testable import Activity

@Suite("Matches of two people, and favourite genres", .timeLimit(.minutes(10)))
struct TasteMatchTests {
    private let catalogue = films([
        1: ["Drama"], 2: ["Drama"], 3: ["Comedy"], 4: ["Horror"], 5: ["Western", "Drama"],
    ])

    private func taste(_ stars: [Int: Double]) -> PersonalTaste {
        let own = stars.map { rating(1, $0.key, $0.value) }
        return TasteModel(ratings: [], films: catalogue, at: tasteNow).taste(of: own)
    }

    @Test("has no score if one has rated nothing")
    func nothing() {
        expectNil(TasteMatch(taste([1: 5]), taste([:])).score)
        expectNil(TasteMatch(taste([:]), taste([:])).score)
    }

    @Test("is full for people who agree in everything")
    func same() {
        let own = taste([1: 5, 3: 2, 4: 3.5])
        expectEqual(TasteMatch(own, own).score, 100)
    }

    @Test("counts each common film, drawn to the agreement of genres")
    func golden() {
        // Shares of likes: the first (1 + 2.5) / 6 = 7/12 overall and (1 + 35/12) / 6 = 47/72 for
        // dramas; the second 2.5 / 6 = 5/12 and (0 + 25/12) / 6 = 25/72. They differ by 22/72, so
        // that genres agree by 1 − 44/72 = 7/18. The film itself: one star apart, one half. (1/2 +
        // 35/18) / 6 = 0.407.
        expectEqual(TasteMatch(taste([1: 4]), taste([1: 3])).score, 41)
    }

    @Test("is the same from either side, and of 0 to 100", arguments: 1...5)
    func symmetric(seed: Int) {
        let world = TasteWorld(seed: seed, people: 12)
        let model = world.model
        let tastes = world.people.map { model.taste(of: world.ratings(of: $0)) }
        for left in tastes {
            for right in tastes {
                let match = TasteMatch(left, right)
                expectEqual(match, TasteMatch(right, left))
                expect((0...100).contains(match.score ?? -1))
            }
        }
    }

    @Test("is better for people of one camp than of two")
    func camps() {
        let world = TasteWorld(seed: 9, people: 40)
        let model = world.model
        let tastes = world.people.map { model.taste(of: world.ratings(of: $0)) }
        var same: [Int] = []
        var other: [Int] = []
        for left in 0..<40 {
            for right in 0..<left {
                let score = TasteMatch(tastes[left], tastes[right]).score!
                if left % 4 == right % 4 { same.append(score) } else { other.append(score) }
            }
        }
        expect(same.reduce(0, +) / same.count > other.reduce(0, +) / other.count + 5)
    }

    @Test("shares the favourites of both")
    func sharedGenres() {
        let left = taste([1: 5, 2: 5, 3: 5, 4: 1])
        let right = taste([1: 4, 3: 4.5, 4: 5])
        expectEqual(TasteMatch(left, right).sharedGenres, ["Drama", "Comedy"])
        expectEqual(TasteMatch(left, taste([4: 5])).sharedGenres, [])
    }

    @Test("a genre is a favourite if it is liked often")
    func favorites() {
        // Dramas (5 + 4.5 + 5·2.75) / 7, comedy (5 + 5·2.75) / 6, horror below the middle.
        let own = taste([1: 5, 2: 4.5, 3: 5, 4: 2.5])
        expectEqual(own.favoriteGenres(), ["Drama", "Comedy"])
        expectEqual(own.favoriteGenres(1), ["Drama"])
        expectEqual(own.favorites(2).map(\.count), [2, 1])
        expectEqual(own.favorites(2).map(\.mean), [4.75, 5])
        expectEqual(taste([:]).favoriteGenres(), [])
    }

    @Test("genres that are liked alike are ordered by name")
    func ties() {
        expectEqual(taste([5: 5]).favoriteGenres(), ["Drama", "Western"])
    }
}
