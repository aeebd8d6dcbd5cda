import Activity
import Expectations

@Suite("MovieLens data sets", .timeLimit(.minutes(10)))
struct MovieLensImportTests {
    private static let csv = [
        "links.csv": "movieId,imdbId,tmdbId\n1,0013442,653\n2,0000417,\n",
        "movies.csv": """
        movieId,title,genres
        1,Nosferatu (1922),Fantasy|Horror
        2,"Trip to the Moon, A (Voyage dans la lune, Le) (1902)",Adventure|Sci-Fi
        30,Untitled,(no genres listed)

        """,
        "ratings.csv": """
        userId,movieId,rating,timestamp
        7,1,4.5,964982703
        7,2,0.5,964981247
        9,1,5.0,964982224

        """,
        "tags.csv": "userId,movieId,tag,timestamp\n",
    ]

    private func read(_ files: [String: String]) throws -> ReadDataSet {
        try ReadDataSet(files.mapValues { Array($0.utf8) })
    }

    @Test("Films have their titles, years and genres taken apart, and TMDB's ids")
    func films() throws {
        let films = try read(MovieLensImportTests.csv).films
        expectEqual(films.map(\.key), ["movielens:1", "movielens:2", "movielens:30"])
        expectEqual(
            films.map(\.title),
            [
                "Nosferatu", "A Trip to the Moon (Le Voyage dans la lune)", "Untitled",
            ]
        )
        expectEqual(films.map(\.year), [1922, 1902, nil])
        expectEqual(films.map(\.genres), [["Fantasy", "Horror"], ["Adventure", "Sci-Fi"], []])
        expectEqual(films.map(\.tmdbID), [653, nil, nil])
    }

    @Test("People are made of the ratings, each once and before the first of their ratings")
    func people() throws {
        let read = try read(MovieLensImportTests.csv)
        expectEqual(read.people.map(\.subject), ["7", "9"])
        expectEqual(read.people.map(\.name), ["MovieLens 7", "MovieLens 9"])
        expect(read.people.allSatisfy { $0.createdAt == ReadDataSet.now })
    }

    @Test("Ratings come in the hub's ids, with halves and times")
    func ratings() throws {
        let ratings = try read(MovieLensImportTests.csv).ratings
        expectEqual(ratings.map(\.personID), [1, 1, 2])
        expectEqual(ratings.map(\.filmID), [1001, 1002, 1001])
        expectEqual(ratings.map(\.stars.halves), [9, 1, 10])
        expectEqual(ratings.first?.at.iso8601Seconds, "2000-07-30T18:45:03Z")
    }

    @Test("The same comes of it in pieces of any length and batches of any length")
    func pieces() throws {
        let files = MovieLensImportTests.csv.mapValues { Array($0.utf8) }
        let whole = try ReadDataSet(files)
        for pieceLength in [1, 2, 3, 7, 50] {
            for batchLengthMax in [1, 2, 3, 1000] {
                let read = try ReadDataSet(
                    files,
                    pieceLength: pieceLength,
                    batchLengthMax: batchLengthMax
                )
                expectEqual(read.films, whole.films)
                expectEqual(read.people, whole.people)
                expectEqual(read.ratings, whole.ratings)
                expect(read.batchLengths.allSatisfy { (1...batchLengthMax).contains($0) })
            }
        }
    }

    @Test("Columns are found by their names")
    func columns() throws {
        var files = MovieLensImportTests.csv
        files["ratings.csv"] = "timestamp,rating,extra,movieId,userId\n964982703,3.0,x,30,4\n"
        let ratings = try read(files).ratings
        expectEqual(ratings.map(\.filmID), [1003])
        expectEqual(ratings.map(\.stars.value), [3])
    }

    @Test("A file without one of its columns is refused with what stands there instead")
    func missingColumn() throws {
        var files = MovieLensImportTests.csv
        files["ratings.csv"] = "user,movieId,rating,timestamp\n"
        let error = #expect(throws: ImportError.self) { try read(files) }
        let expected =
            "ratings.csv:1: no column \"userId\" in \"user,movieId,rating,timestamp\""
        expectEqual(error?.description, expected)
    }

    @Test(
        "A row that is wrong is named, and those around it are taken",
        arguments: [
            ("7,1,5.5,964982703", "rating is not 0.5 to 5 in halves: \"5.5\""),
            ("7,1,0,964982703", "rating is not 0.5 to 5 in halves: \"0\""),
            ("7,1,4.25,964982703", "rating is not 0.5 to 5 in halves: \"4.25\""),
            ("7,1,4,-1", "timestamp is not seconds since 1970: \"-1\""),
            ("7,1,4,253402300800", "timestamp is not seconds since 1970: \"253402300800\""),
            ("0,1,4,964982703", "user is not a whole number from 1: \"0\""),
            ("x,1,4,964982703", "user is not a whole number from 1: \"x\""),
            ("7,3,4,964982703", "no film has the id 3"),
            ("7,1,4", "3 fields where there should be 4"),
            ("7,1,4\",1", "column 6: a quotation mark inside a field without quotation marks"),
        ]
    )
    func wrongRating(row: String, message: String) throws {
        var files = MovieLensImportTests.csv
        files["ratings.csv"] = """
            userId,movieId,rating,timestamp
            7,1,4.5,964982703
            \(row)
            9,1,5.0,964982224

            """
        let read = try read(files)
        expectEqual(read.ratings.count, 2)
        expectEqual(read.report.problems.map(\.description), ["ratings.csv:3: \(message)"])
    }

    @Test("The limits themselves are taken: half a star, five, the first second and the last")
    func ratingLimits() throws {
        var files = MovieLensImportTests.csv
        files["ratings.csv"] =
            "userId,movieId,rating,timestamp\n1,1,0.5,0\n1,2,5,253402300799\n"
        let read = try read(files)
        expectEqual(read.ratings.map(\.stars.halves), [1, 10])
        expectEqual(read.ratings.last?.at.iso8601Seconds, "9999-12-31T23:59:59Z")
        expectEqual(read.report.problemCount, 0)
    }

    @Test("Films and links that stand twice are named, and the first ones count")
    func duplicates() throws {
        var files = MovieLensImportTests.csv
        files["links.csv"] = "movieId,imdbId,tmdbId\n1,1,653\n1,1,654\n2,2,653\n30,3,x\n"
        files["movies.csv"]? += "1,Another (1923),\n31,,Drama\n"
        let read = try read(files)
        expectEqual(read.films.map(\.tmdbID), [653, nil, nil])
        expectEqual(
            read.report.problems.map(\.description),
            [
                "links.csv:3: film 1 has a link already",
                "links.csv:4: tmdbId 653 stands for another film already",
                "links.csv:5: tmdbId is not a whole number from 1: \"x\"",
                "movies.csv:5: film 1 is there already",
                "movies.csv:6: title is empty",
            ]
        )
    }

    @Test("A film that stands twice keeps its id of the hub, also when it is stored already")
    func duplicateOfStoredFilm() throws {
        let files = [
            "movies.csv": "movieId,title,genres\n1,A,\n2,B,\n1,C,\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n7,1,4.5,964982703\n",
        ]
        let read = try ReadDataSet(files.mapValues { Array($0.utf8) }, batchLengthMax: 1)
        expectEqual(read.films.map(\.title), ["A", "B"])
        expectEqual(read.ratings.map(\.filmID), [1001])
    }

    @Test("As many films and people as are allowed are taken, one more stops the import")
    func limits() throws {
        let files = MovieLensImportTests.csv.mapValues { Array($0.utf8) }
        let read = try ReadDataSet(files, filmsMax: 3, peopleMax: 2)
        expectEqual(read.ratings.count, 3)
        let films = #expect(throws: ImportError.self) { try ReadDataSet(files, filmsMax: 2) }
        expectEqual(films?.description, "movies.csv: over the limit of 2 films")
        let people = #expect(throws: ImportError.self) { try ReadDataSet(files, peopleMax: 1) }
        expectEqual(people?.description, "ratings.csv: over the limit of 1 people")
    }

    @Test("A batch is asked for only after the one before is stored, and bytes only go to a file")
    func misuse() async throws {
        await #expect(processExitsWith: .failure) {
            var machine = MovieLensImport(now: Timestamp(milliseconds: 0))
            machine.begin(try MovieLensLayout(fileNames: ["movies.dat"]).files[0])
            machine.receive(Array("1::A::\n".utf8))
            machine.end()
            _ = try machine.next()
            _ = try machine.next()
        }
        await #expect(processExitsWith: .failure) {
            var machine = MovieLensImport(now: Timestamp(milliseconds: 0))
            machine.receive([1])
        }
        await #expect(processExitsWith: .failure) {
            var machine = MovieLensImport(now: Timestamp(milliseconds: 0))
            machine.stored(ImportedRows(ids: [], newCount: 0))
        }
        await #expect(processExitsWith: .failure) {
            var machine = MovieLensImport(now: Timestamp(milliseconds: 0))
            let file = try MovieLensLayout(fileNames: ["movies.dat"]).files[0]
            machine.begin(file)
            machine.begin(file)
        }
    }

    @Test("Texts that are not UTF-8 are named; control characters are not shown")
    func encodings() throws {
        var files = MovieLensImportTests.csv.mapValues { Array($0.utf8) }
        files["movies.csv"]? += Array("40,Caf".utf8) + [0xE9] + Array(",Drama\n".utf8)
        files["movies.csv"]? += Array("41,a\u{1B}[2J,Drama\n".utf8)
        try expectEqual(
            ReadDataSet(files).report.problems.map(\.description),
            [
                "movies.csv:5: title is not UTF-8: \"Caf\u{FFFD}\"",
                "movies.csv:6: title is not text without control characters: \"a\u{FFFD}[2J\"",
            ]
        )
    }

    @Test("Of many problems of a file the first ones are named and all are counted")
    func manyProblems() throws {
        var files = MovieLensImportTests.csv
        let wrong = String(repeating: "7,1,6,964982703\n", count: 30)
        files["ratings.csv"] = "userId,movieId,rating,timestamp\n" + wrong
        let report = try read(files).report
        expectEqual(report.problemCount, 30)
        expectEqual(report.problems.count, ImportLimits.problemsNamedMax)
        expect(report.description.hasSuffix("and 10 more"))
    }

    @Test("Lines with double colons are read, in Latin-1 too")
    func doubleColons() throws {
        let latin1: [UInt8] =
            Array("2::Caf".utf8) + [0xE9] + Array(" Noir: a tale (1921)::Drama\n".utf8)
        let read = try ReadDataSet([
            "movies.dat": Array("1::Golem, The (1920)::Fantasy|Horror\n".utf8) + latin1
                + Array("3::Été (1919)::Drama\n".utf8),
            "ratings.dat": Array("1::2::5::978300760\n".utf8),
            "users.dat": [],
        ])
        expectEqual(read.films.map(\.title), ["The Golem", "Café Noir: a tale", "Été"])
        expectEqual(read.ratings.map(\.stars.value), [5])
        expectEqual(read.report.problemCount, 0)
    }

    @Test("Bars and tabs are read, with flags for genres and dates of release")
    func barsAndTabs() throws {
        func item(_ head: String, flags: Set<Int>) -> String {
            head + (0..<19).map { flags.contains($0) ? "|1" : "|0" }.joined() + "\n"
        }
        let read = try read([
            "u.item": item("1|General, The (1926)|05-Feb-1927||http://example.org", flags: [1, 5])
                + item("2|unknown|||", flags: [0])
                + item("3|Late (1928)|31-Feb-1928||", flags: [18]),
            "u.data": "196\t1\t3\t881250949\n",
        ])
        expectEqual(read.films.map(\.title), ["The General", "unknown"])
        expectEqual(read.films.map(\.genres), [["Action", "Comedy"], []])
        expectEqual(read.films.map(\.releaseDate), ["1927-02-05", nil])
        expectEqual(read.ratings.map(\.stars.value), [3])
        expectEqual(
            read.report.problems.map(\.description),
            [
                "u.item:3: release date is not a date as 01-Jan-1995: \"31-Feb-1928\""
            ]
        )
    }

    @Test("A data set may be films alone; without films it is none")
    func layouts() throws {
        try expectEqual(read(["movies.csv": "movieId,title,genres\n1,A,\n"]).films.count, 1)
        let error = #expect(throws: ImportError.self) {
            try MovieLensLayout(fileNames: ["ratings.csv"])
        }
        expectEqual(
            error?.description,
            "none of movies.csv, movies.dat, u.item: not a MovieLens data set"
        )
    }
}
