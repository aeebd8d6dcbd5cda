import SeededRandom
import Testing

@testable import Activity

@Suite("Film neighbours", .timeLimit(.minutes(10)))
struct FilmNeighboursTests {
    private func neighbours(_ likedFilms: [[Int32]], max: Int = 100) -> [[SharedLikes]] {
        var search = NeighbourSearch(likedFilms: likedFilms, filmCount: 4, neighboursMax: max)
        return (0..<4).map { search.neighbours(of: $0) }
    }

    /// Film 0 has 3 likes, film 1 has 2, film 2 has 1; 0 and 1 share 2, 0 and 2 share 1.
    private let threePeople: [[Int32]] = [[0, 1], [0, 1], [0, 2]]

    @Test("are as similar as the cosine of their likes, shrunk by how few share them")
    func similarity() {
        let found = neighbours(threePeople)
        #expect(found[0].map(\.film) == [1, 2])
        #expect(found[0].map(\.shared) == [2, 1])
        let first = 2 / 6.0.squareRoot() * 2 / 7
        let second = 1 / 3.0.squareRoot() * 1 / 6
        #expect(abs(found[0][0].similarity - first) < 1e-12)
        #expect(abs(found[0][1].similarity - second) < 1e-12)
        #expect(found[1].map(\.film) == [0])
        #expect(found[2].map(\.film) == [0])
        #expect(found[3].isEmpty, "nobody likes it")
    }

    @Test("are the most similar ones where there is no room for all")
    func limit() {
        #expect(neighbours(threePeople, max: 1)[0].map(\.film) == [1])
    }

    @Test("are ordered by id where they are equally similar")
    func ties() {
        let found = neighbours([[0, 1, 2, 3], [0, 1, 2, 3]])
        #expect(found[2].map(\.film) == [0, 1, 3])
        #expect(neighbours([[0, 1, 2, 3], [0, 1, 2, 3]], max: 2)[0].map(\.film) == [1, 2])
    }

    @Test("are read back film by film")
    func storage() {
        var stored = FilmNeighbours()
        for film in neighbours(threePeople) { stored.append(film) }
        var seen: [[Int]] = []
        for film in 0..<4 {
            var own: [Int] = []
            stored.forEach(of: film) { neighbour, _ in own.append(neighbour) }
            seen.append(own)
        }
        #expect(seen == [[1, 2], [0], [0], []])
    }

    @Test("keeps the best of many in order, whatever order they come in", arguments: 1...20)
    func bestFirst(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let numbers = (0..<50).shuffled(using: &random)
        var best = BestFirst<Int>(capacity: seed, isBefore: <)
        for number in numbers { best.insert(number) }
        #expect(best.sorted() == Array(0..<seed))
    }
}
