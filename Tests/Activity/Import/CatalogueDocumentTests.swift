import Activity
import Expectations

@Suite("TMDB's answers", .timeLimit(.minutes(10)))
struct TMDBDocumentTests {
    private func read(_ text: String) -> CatalogueDocument {
        .tmdb(Array(text.utf8), file: "a.json")
    }

    @Test("A film's document is taken whole, its poster as a full URL")
    func document() throws {
        let document = read(
            """
            {"adult":false,"id":900001,"title":"The Long Winter","overview":" Snow falls. ",
             "genres":[{"id":18,"name":"Drama"},{"id":10752,"name":"War"}],
             "poster_path":"/aB1.jpg","release_date":"1926-02-13","runtime":94,
             "vote_average":7.4,"vote_count":12,"credits":{
              "cast":[{"name":"B","order":1},{"name":"A|Z","order":0},{"name":"B","order":2}],
              "crew":[{"name":"C","job":"Producer"},{"name":"D","job":"Director"}]}}
            """
        )
        expectEqual(document.problems, [])
        let film = try require(document.films.first).film(id: 5)
        expectEqual(
            film,
            Film(
                id: 5,
                title: "The Long Winter",
                year: 1926,
                genres: ["Drama", "War"],
                posterURL: "https://image.tmdb.org/t/p/w500/aB1.jpg",
                overview: "Snow falls.",
                releaseDate: "1926-02-13",
                tmdbID: 900_001,
                runtimeMinutes: 94,
                directors: ["D"],
                actors: ["A/Z", "B"]
            )
        )
    }

    @Test("Of a long cast the first ones are taken")
    func cast() throws {
        let cast = (1...30).reversed().map { #"{"name":"P\#($0)","order":\#($0)}"# }
        let text = #"{"id":1,"title":"A","credits":{"cast":[\#(cast.joined(separator: ","))]}}"#
        let film = try require(read(text).films.first)
        expectEqual(film.actors, (1...ImportLimits.actorsMax).map { "P\($0)" })
        expectEqual(film.directors, [])
    }

    @Test("A page of a list has films with numbers for genres")
    func list() {
        let document = read(
            """
            {"page":1,"results":[{"id":1,"title":"A","genre_ids":[28,878]},
             {"id":2,"title":"B","genre_ids":[]}],"total_pages":500,"total_results":10000}
            """
        )
        expectEqual(document.films.map(\.key), ["tmdb:1", "tmdb:2"])
        expectEqual(document.films.map(\.genres), [["Action", "Science Fiction"], []])
    }

    @Test("Empty strings, 0 and null mean that it is not known")
    func unknown() {
        let document = read(
            """
            {"id":1,"title":"A","overview":"","poster_path":null,"release_date":"","runtime":0}
            """
        )
        let expected = Film(id: 1, title: "A", tmdbID: 1)
        expectEqual(document.films.map { $0.film(id: 1) }, [expected])
    }

    @Test("An entry that is wrong is named by its place, and those around it are taken")
    func wrongEntry() {
        let document = read(
            """
            {"results":[{"id":1,"title":"A"},{"id":2},{"id":3,"title":"C","genre_ids":[1]},
             {"id":4,"title":"D","adult":true},5,{"id":6,"title":"F"}]}
            """
        )
        expectEqual(document.films.map(\.title), ["A", "C", "F"])
        expectEqual(
            document.problems.map(\.description),
            [
                "a.json: results[1]: title is missing or empty",
                "a.json: results[2]: genre_ids is not a genre of films: \"1\"; the film is without it",
                "a.json: results[3]: film 4 is for adults only",
                "a.json: results[4]: not an object: \"5\"",
            ]
        )
    }

    @Test(
        "A document that is no film is refused with the reason",
        arguments: [
            ("", "it is not JSON: byte 0: "),
            ("[]", "not an object: \"[]\""),
            (#"{"success":false,"status_code":34}"#, "no film and no list"),
            (#"{"results":{}}"#, "results is not an array"),
            (#"{"id":0,"title":"A"}"#, "id is not a whole number from 1 to 2147483647: \"0\""),
            (#"{"id":2147483648,"title":"A"}"#, "id is not a whole number from 1"),
            (#"{"id":1,"title":"A\u0007"}"#, "title is not text without control characters"),
        ]
    )
    func refused(text: String, reason: String) throws {
        let document = read(text)
        expectEqual(document.films, [])
        let problem = try require(document.problems.first)
        expect(problem.description.hasPrefix("a.json: \(reason)"), "\(problem)")
    }

    @Test(
        "An optional field that is wrong is left out, and the film is taken",
        arguments: [
            (#"{"id":1,"title":"A","release_date":"1999-02-29"}"#, "release_date is not a date"),
            (#"{"id":1,"title":"A","release_date":"1999"}"#, "release_date is not a date"),
            (#"{"id":1,"title":"A","poster_path":"a.jpg"}"#, "poster_path is not a path"),
            (#"{"id":1,"title":"A","runtime":-1}"#, "runtime is not a whole number"),
            (#"{"id":1,"title":"A","runtime":"94"}"#, "runtime is not a whole number"),
            (#"{"id":1,"title":"A","genres":[{"id":18}]}"#, "name is missing or empty"),
            (
                #"{"id":1,"title":"A","release_date":"2024-01-10T00:00:00.000Z"}"#,
                "release_date is not a date"
            ),
            (#"{"id":1,"title":"A","overview":5}"#, "overview is not a string"),
            (#"{"id":1,"title":"A","credits":5}"#, "not an object"),
            (#"{"id":1,"title":"A","credits":{"cast":5}}"#, "cast is not an array"),
        ]
    )
    func takenWithoutField(text: String, reason: String) throws {
        let document = read(text)
        expectEqual(document.films.map { $0.film(id: 1) }, [Film(id: 1, title: "A", tmdbID: 1)])
        let problem = try require(document.problems.first).description
        expect(problem.hasPrefix("a.json: \(reason)"))
        expect(problem.hasSuffix("; the film is without it"))
        expectEqual(document.problems.count, 1)
    }

    @Test("An unknown genre among known ones is left out")
    func unknownGenre() {
        let document = read(#"{"id":1,"title":"A","genre_ids":[18,424242,35]}"#)
        expectEqual(document.films.map(\.genres), [["Drama", "Comedy"]])
        expectEqual(document.problems.count, 1)
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() {
        let document = CatalogueDocument.tmdb([0x22, 0xFF, 0x22], file: "a.json")
        expectEqual(document.problems.map(\.description), ["a.json: it is not UTF-8"])
    }

    @Test("An overview at the limit is taken, one character more is not")
    func overviewLength() {
        for (length, count) in [(8000, 1), (8001, 0)] {
            let overview = String(repeating: "é", count: length)
            let document = read(#"{"id":1,"title":"A","overview":"\#(overview)"}"#)
            expectEqual(document.films.map { $0.film(id: 1).overview != nil }, [count == 1])
        }
    }
}

@Suite("Catalogues in the hub's own form", .timeLimit(.minutes(10)))
struct OwnDocumentTests {
    private func read(_ text: String) -> CatalogueDocument {
        .own(Array(text.utf8), file: "a.json")
    }

    @Test("A film is taken with every field")
    func everyField() {
        let document = read(
            """
            {"films":[{"id":"winter","title":"The Long Winter","year":1926,"genres":["Drama"],
             "release_date":"1926-02-13","runtime_minutes":94,"overview":"Snow falls.",
             "poster_url":"https://example.org/winter.jpg","tmdb_id":900001,
             "directors":["D"],"actors":["A"," B "]}]}
            """
        )
        expectEqual(document.problems, [])
        expectEqual(document.films.map(\.key), ["own:winter"])
        let expected = Film(
            id: 5,
            title: "The Long Winter",
            year: 1926,
            genres: ["Drama"],
            posterURL: "https://example.org/winter.jpg",
            overview: "Snow falls.",
            releaseDate: "1926-02-13",
            tmdbID: 900_001,
            runtimeMinutes: 94,
            directors: ["D"],
            actors: ["A", "B"]
        )
        expectEqual(document.films.map { $0.film(id: 5) }, [expected])
    }

    @Test("Id and title suffice; a date has the year in it")
    func fewFields() {
        let document = read(
            """
            {"films":[{"id":"a","title":"A"},{"id":"b","title":"B","release_date":"1926-02-13"}]}
            """
        )
        expectEqual(document.problems, [])
        expectEqual(document.films.map(\.year), [nil, 1926])
    }

    @Test(
        "A film that is wrong is refused with the reason",
        arguments: [
            (#"{"title":"A"}"#, "id is missing or empty"),
            (#"{"id":"a"}"#, "title is missing or empty"),
        ]
    )
    func refused(film: String, reason: String) throws {
        let document = read(#"{"films":[\#(film)]}"#)
        expectEqual(document.films, [])
        let problem = try require(document.problems.first)
        expect(problem.description.hasPrefix("a.json: films[0]: \(reason)"), "\(problem)")
    }

    @Test(
        "An optional field that is wrong is left out, and the film is taken",
        arguments: [
            (#"{"id":"a","title":"A","year":1869}"#, "year is not a whole number"),
            (#"{"id":"a","title":"A","genres":"Drama"}"#, "genres is not an array"),
            (#"{"id":"a","title":"A","genres":[1]}"#, "genres is not a list of strings"),
            (#"{"id":"a","title":"A","genres":[""]}"#, "genre is empty"),
            (#"{"id":"a","title":"A","actors":"B"}"#, "actors is not an array"),
            (#"{"id":"a","title":"A","actors":[1]}"#, "actors is not a list of strings"),
            (#"{"id":"a","title":"A","directors":[""]}"#, "directors is empty"),
            (
                #"{"id":"a","title":"A","directors":\#((1...11).map { "d\($0)" })}"#,
                "11 directors over the limit of 10"
            ),
            (#"{"id":"a","title":"A","poster_url":"/a.jpg"}"#, "poster_url is not a full URL"),
            (#"{"id":"a","title":"A","runtime_minutes":0}"#, "runtime_minutes is not a whole"),
        ]
    )
    func takenWithoutField(film: String, reason: String) throws {
        let document = read(#"{"films":[\#(film)]}"#)
        expectEqual(document.films.map { $0.film(id: 1) }, [Film(id: 1, title: "A")])
        let problem = try require(document.problems.first).description
        expect(problem.hasPrefix("a.json: films[0]: \(reason)"))
        expect(problem.hasSuffix("; the film is without it"))
    }

    @Test("An id at the limit is taken, one character more is not")
    func idLength() {
        for (length, count) in [(100, 1), (101, 0)] {
            let id = String(repeating: "a", count: length)
            expectEqual(read(#"{"films":[{"id":"\#(id)","title":"A"}]}"#).films.count, count)
        }
    }

    @Test("An id that stands twice is refused the second time")
    func sameID() {
        let document = read(#"{"films":[{"id":"a","title":"A"},{"id":"a","title":"B"}]}"#)
        expectEqual(document.films.map(\.title), ["A"])
        expectEqual(document.problems.count, 1)
    }

    @Test("What a later catalogue does not say stays as it was")
    func mergedFilm() {
        let existing = Film(
            id: 5,
            title: "Winter",
            year: 1925,
            genres: ["Drama"],
            posterURL: "https://example.org/old.jpg",
            overview: "Old.",
            releaseDate: "1925-01-01",
            tmdbID: 7,
            runtimeMinutes: 90
        )
        let film = ImportedFilm(key: "own:winter", title: "The Long Winter", year: nil)
        var expected = existing
        expected.title = "The Long Winter"
        expectEqual(film.film(id: 5, over: existing), expected)
    }
}
