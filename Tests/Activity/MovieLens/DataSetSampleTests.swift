import Expectations

@testable import Activity

@Suite("MovieLens: recognising a data set", .timeLimit(.minutes(10)))
struct DataSetSampleTests {
    /// The files of a data set with films 1 to `films` and three ratings of each of its people.
    private func files(
        _ prefix: String,
        films: Int,
        people: Int = 3,
        seconds: Int = 1_000
    ) -> [String: String] {
        let rows = (1...films).map { "\($0),\(prefix) \($0) (1999),Drama\n" }.joined()
        let ratings = (0..<people).flatMap { person in
            (1...3).map { "\(person + 1),\($0),4.0,\(seconds + 10 * person + $0)\n" }
        }.joined()
        return [
            "movies.csv": "movieId,title,genres\n" + rows,
            "ratings.csv": "userId,movieId,rating,timestamp\n" + ratings,
        ]
    }

    private func sampler(
        _ files: [String: String],
        comparing known: DataSetSample = DataSetSample(),
        pieceLength: Int = .max
    ) throws -> DataSetSampler {
        var sampler = DataSetSampler(comparing: known)
        for file in try MovieLensLayout(fileNames: Array(files.keys)).files
        where file.content != .links {
            sampler.begin(file)
            var rest = Array(files[file.name, default: ""].utf8)[...]
            while !rest.isEmpty {
                guard try sampler.receive(rest.prefix(pieceLength)) else { break }
                rest = rest.dropFirst(pieceLength)
            }
            try sampler.end()
        }
        return sampler
    }

    private func disagreement(_ one: [String: String], _ other: [String: String]) throws -> String?
    {
        let known = DataSetSample(text: try sampler(one).sample.text)
        return try sampler(other, comparing: known).disagreement
    }

    @Test func sampleIsTheSameInPiecesAndAsText() throws {
        let files = files("A", films: 1_000, people: 100)
        let sample = try sampler(files).sample
        expectEqual(sample.films.count, DataSetSample.filmsMax)
        expectEqual(sample.films[DataSetSample.filmsMax], "A \(DataSetSample.filmsMax) (1999)")
        expectEqual(sample.ratings.count, DataSetSample.ratingsMax)
        try expectEqual(sampler(files, pieceLength: 7).sample, sample)
        expectEqual(DataSetSample(text: sample.text), sample)
        expectEqual(DataSetSample(text: ""), DataSetSample())
        expectEqual(DataSetSample(text: "film\tx\ta\nrating\t1\t2\nother\t\t\t").text, "")
    }

    @Test func sameDataSetAndANewerVersionOfItAreRecognised() throws {
        let old = files("A", films: 300, people: 30)
        try expectNil(disagreement(old, old))
        var new = files("A", films: 500, people: 90)
        new["movies.csv"] = new["movies.csv"]?.replacing("A 7 (1999)", with: "A seven (1999)")
        try expectNil(disagreement(old, new))
        try expectNil(sampler(new).disagreement, "nothing is known")
    }

    @Test func otherFilmsUnderTheSameIdsAreAnotherDataSet() throws {
        let text = try disagreement(files("A", films: 30), files("B", films: 30))
        expectEqual(
            text,
            "0 of 30 films are the same: film 1 is B 1 (1999), and A 1 (1999) in the database"
        )
        let half = try disagreement(
            files("A", films: 4),
            [
                "movies.csv": """
                movieId,title,genres
                1,A 1 (1999),
                2,A 2 (1999),
                3,C,
                4,D,
                """
            ]
        )
        expectNil(half, "a half is enough")
    }

    @Test func sameFilmsWithOtherPeopleAreAnotherDataSet() throws {
        let text = try disagreement(
            files("A", films: 30),
            files("A", films: 30, seconds: 500_000)
        )
        expectEqual(text, "0 of the first 9 ratings are the same, so the people are others")
    }

    @Test func filesWithoutRatingsAreComparedByFilms() throws {
        let whole = files("A", films: 30)
        let films = whole.filter { $0.key == "movies.csv" }
        try expectNil(disagreement(whole, films))
        try expectNil(disagreement(films, whole))
        try expect(disagreement(films, files("B", films: 30)) != nil)
    }
}
