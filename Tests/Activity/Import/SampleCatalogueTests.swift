import Activity
import Expectations
import Foundation

@Suite("The sample catalogue", .timeLimit(.minutes(10)))
struct SampleCatalogueTests {
    private let document: CatalogueDocument

    init() throws {
        let url = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "demo/catalogue.json")
        document = .own(Array(try Data(contentsOf: url)), file: "catalogue.json")
    }

    @Test("is read whole")
    func problems() {
        expectEqual(document.problems, [])
        expectEqual(document.films.count, 100)
    }

    @Test("has films from before 1930 alone, each title and year once")
    func titles() {
        expect(document.films.allSatisfy { ($0.year ?? .max) < 1930 })
        let titles = document.films.map { "\($0.title) (\($0.year ?? 0))" }
        expectEqual(Set(titles).count, titles.count)
    }

    @Test("has a genre and an overview for every film, and no poster of anybody")
    func fields() {
        for film in document.films {
            expect(!film.genres.isEmpty, "\(film.title)")
            expectEqual(film.overview?.isEmpty, false, "\(film.title)")
            expectNil(film.posterURL, "\(film.title)")
        }
    }

    @Test("names its genres as MovieLens does, so that the two go together")
    func genres() {
        let known: Set = [
            "Action", "Adventure", "Animation", "Children", "Comedy", "Crime", "Documentary",
            "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
            "Thriller", "War", "Western",
        ]
        expect(known.isSuperset(of: document.films.flatMap(\.genres)))
    }
}
