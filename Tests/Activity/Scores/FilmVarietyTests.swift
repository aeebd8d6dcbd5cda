import Expectations

@testable import Activity

@Suite("Variety of a feed", .timeLimit(.minutes(10)))
struct FilmVarietyTests {
    private let drama = GenreSet([0])
    private let dramaAndWar = GenreSet([0, 1])
    private let comedy = GenreSet([2])

    @Test("puts a film of another genre before one that is a little likelier to be liked")
    func order() {
        let genres = [drama, drama, dramaAndWar, comedy]
        // After the first: 0.9·0.78 − 0.1·1 = 0.602, 0.9·0.75 − 0.1·0.5 = 0.625, 0.9·0.7 = 0.63; after
        // the comedy the second and third are as before.
        let order = FilmVariety.order([0.8, 0.78, 0.75, 0.7], genres, variety: 0.1)
        expectEqual(order, [0, 3, 2, 1])
    }

    @Test("keeps the order without variety, and with genres that are all the same or not known")
    func unchanged() {
        let probabilities = [0.9, 0.6, 0.6, 0.1]
        for genres in [[drama, drama, drama, drama], Array(repeating: GenreSet(), count: 4)] {
            for variety in [0, 0.05, 1] {
                let order = FilmVariety.order(probabilities, genres, variety: variety)
                expectEqual(order, [0, 1, 2, 3])
            }
        }
        let mixed = [drama, comedy, drama, dramaAndWar]
        expectEqual(FilmVariety.order(probabilities, mixed, variety: 0), [0, 1, 2, 3])
        expectEqual(FilmVariety.order([], [], variety: 0.05), [])
    }

    @Test("does not reward films without genres")
    func unknown() {
        let genres = [drama, dramaAndWar, GenreSet()]
        let order = FilmVariety.order([0.8, 0.7, 0.69], genres, variety: 0.2)
        expectEqual(order, [0, 1, 2])
    }

    @Test("is measured by the genres that two films share")
    func similarity() {
        expectEqual(drama.similarity(to: drama), 1)
        expectEqual(drama.similarity(to: dramaAndWar), 0.5)
        expectEqual(drama.similarity(to: comedy), 0)
        expectEqual(drama.similarity(to: GenreSet()), 1)
        expectEqual(GenreSet([63]), GenreSet([64, 999]), "genres beyond the 63rd share a bit")
        expect(GenreSet([62]) != GenreSet([63]))
    }
}
