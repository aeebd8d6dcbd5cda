import Activity
import Expectations
import SeededRandom

/// What people get when they export, download or edit a data set, each with its right value.
@Suite("MovieLens data sets: awkward tables", .timeLimit(.minutes(10)))
struct AwkwardTablesTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let name: String
        /// The whole of the file of films, and of ratings.
        var films: [UInt8]
        var ratings: [UInt8] = AwkwardTablesTests.ratings
        /// `1001 Title 1920`, with the hub's id.
        var found: [String]
        var ratingCount = 1
        var problems: [String] = []

        init(_ name: String, _ films: String, found: [String], problems: [String] = []) {
            self.name = name
            self.films = Array(films.utf8)
            self.found = found
            self.problems = problems
        }

        init(
            _ name: String,
            ratings: String,
            count: Int,
            problems: [String] = []
        ) {
            self.init(name, "movieId,title,genres\n1,A (1920),\n2,B,\n", found: ["A 1920", "B -"])
            self.ratings = Array(ratings.utf8)
            ratingCount = count
            self.problems = problems
        }

        func with(_ change: (inout Table) -> Void) -> Table {
            var table = self
            change(&table)
            return table
        }

        var testDescription: String { name }
    }

    static let ratings = Array("userId,movieId,rating,timestamp\n7,1,4.5,964982703\n".utf8)
    private static let head = "movieId,title,genres\n"
    private static let ratingHead = "userId,movieId,rating,timestamp\n"

    static let tables = [
        Table("byte order mark", "\u{FEFF}" + head + "1,A (1920),\n", found: ["A 1920"]),
        Table(
            "byte order mark before a quoted header",
            "\u{FEFF}\"movieId\",\"title\",\"genres\"\n1,A (1920),\n",
            found: ["A 1920"]
        ),
        Table("CR LF", "movieId,title,genres\r\n1,A (1920),Drama\r\n", found: ["A 1920"]),
        Table("CR LF and LF", "movieId,title,genres\r\n1,A,\n2,B,\r\n", found: ["A -", "B -"]),
        Table("empty lines", "\n" + head + "\n1,A,\n\n\n2,B,\n\n", found: ["A -", "B -"]),
        Table("no line end", head + "1,A (1920),Drama", found: ["A 1920"]),
        Table(
            "quotes, commas and line ends in a field",
            head + "1,\"A \"\"quoted\"\", and more (1920)\",\"Drama\"\n2,\"B\",\n",
            found: ["A \"quoted\", and more 1920", "B -"]
        ),
        Table(
            "a line end in a title",
            head + "1,\"A\nB\",\n2,C,\n",
            found: ["C -"],
            problems: [
                "movies.csv:2: title is not text without control characters: \"A\u{FFFD}B\"",
                "ratings.csv:2: no film has the id 1",
            ]
        ).with { $0.ratingCount = 0 },
        Table(
            "columns in another order, and more of them",
            "year,genres,title,movieId\n1920,Drama,A (1921),1\n",
            found: ["A 1921"]
        ),
        Table(
            "a column less in one line, and more in another",
            head + "1,A,\n2,B\n3,C,,\n4,D,\n",
            found: ["A -", "D -"],
            problems: [
                "movies.csv:3: 2 fields where there should be 3",
                "movies.csv:4: 4 fields where there should be 3",
            ]
        ),
        Table(
            "truncated in the last line",
            head + "1,A (1920),Drama\n2,B (19",
            found: ["A 1920"],
            problems: ["movies.csv:3: 2 fields where there should be 3"]
        ),
        Table(
            "truncated in quotes",
            head + "1,A (1920),Drama\n2,\"B, the",
            found: ["A 1920"],
            problems: ["movies.csv:3: column 3: a quotation mark that is not closed"]
        ),
        Table(
            "duplicated ids",
            head + "1,A,\n1,B,\n01,C,\n2,D,\n",
            found: ["A -", "D -"],
            problems: [
                "movies.csv:3: film 1 is there already", "movies.csv:4: film 1 is there already",
            ]
        ),
        Table(
            "years out of range are part of the title",
            head + "1,A (1869),\n2,B (2201),\n3,C (99999999999999999999),\n4,D (1870),\n5,E (),\n",
            found: ["A (1869) -", "B (2201) -", "C (99999999999999999999) -", "D 1870", "E () -"]
        ),
        Table(
            "ids out of range",
            head + "1,A,\n0,B,\n-1,C,\n1e3,D,\n99999999999999999999,E,\n 2,F,\n",
            found: ["A -"],
            problems: [
                "0", "-1", "1e3", "99999999999999999999", " 2",
            ].enumerated().map {
                "movies.csv:\($0 + 3): film is not a whole number from 1: \"\($1)\""
            }
        ),
        Table("invalid UTF-8", head + "1,A,\n", found: ["A -"]).with {
            $0.films += Array("2,".utf8) + [0xC3, 0x28] + Array(",\n3,C,\n".utf8)
            $0.found = ["A -", "C -"]
            $0.problems = ["movies.csv:3: title is not UTF-8: \"\u{FFFD}(\""]
        },
        Table("a header only", head, found: [], problems: ["ratings.csv:2: no film has the id 1"])
            .with { $0.ratingCount = 0 },
        Table(
            "the same rating twice",
            ratings: ratingHead + "7,1,4.5,964982703\n7,1,2,964982704\n",
            count: 2
        ),
        Table(
            "truncated in a number",
            ratings: ratingHead + "7,1,4.5,964982703\n8,2,4.",
            count: 1,
            problems: ["ratings.csv:3: 3 fields where there should be 4"]
        ),
        Table(
            "a decimal comma, and times of a spreadsheet",
            ratings: ratingHead + "7,1,\"4,5\",964982703\n7,1,4.5,9.64983E+08\n7,1,4.5,964982703.0",
            count: 0,
            problems: [
                "ratings.csv:2: rating is not 0.5 to 5 in halves: \"4,5\"",
                "ratings.csv:3: timestamp is not seconds since 1970: \"9.64983E+08\"",
                "ratings.csv:4: timestamp is not seconds since 1970: \"964982703.0\"",
            ]
        ),
    ]

    @Test(arguments: tables)
    func tableHasItsValues(table: Table) throws {
        for pieceLength in [Int.max, 1, 7] {
            let read = try ReadDataSet(
                ["movies.csv": table.films, "ratings.csv": table.ratings],
                pieceLength: pieceLength
            )
            let found = read.films.map { "\($0.title) \($0.year.map { "\($0)" } ?? "-")" }
            expectEqual(found, table.found)
            expectEqual(read.ratings.count, table.ratingCount)
            expectEqual(read.report.problems.map(\.description), table.problems)
        }
    }

    @Test(arguments: [
        ("", "movies.csv: no line with the columns movieId, title, genres"),
        ("\u{FEFF}", "movies.csv: no line with the columns movieId, title, genres"),
        ("\n\r\n", "movies.csv: no line with the columns movieId, title, genres"),
        ("1,A,\n", "movies.csv:1: no column \"movieId\" in \"1,A,\""),
        (
            "movieId;title;genres\n",
            "movies.csv:1: no column \"movieId\" in \"movieId;title;genres\""
        ),
        ("movieId,title\n1,A\n", "movies.csv:1: no column \"genres\" in \"movieId,title\""),
    ])
    func fileWithoutItsColumnsIsRefused(text: String, message: String) throws {
        let error = #expect(throws: ImportError.self) {
            try ReadDataSet(["movies.csv": Array(text.utf8), "ratings.csv": Self.ratings])
        }
        expectEqual(error?.description, message)
    }

    @Test func emptyFileOfRatingsIsRefused() throws {
        let films = Array("movieId,title,genres\n1,A,\n".utf8)
        let error = #expect(throws: ImportError.self) {
            try ReadDataSet(["movies.csv": films, "ratings.csv": []])
        }
        let columns = "userId, movieId, rating, timestamp"
        expectEqual(error?.description, "ratings.csv: no line with the columns \(columns)")
    }

    /// Valid data sets of each form, to be damaged.
    private static let sets: [[String: [UInt8]]] = [
        [
            "links.csv": Array("movieId,imdbId,tmdbId\r\n1,0013442,653\r\n".utf8),
            "movies.csv": Array(
                "\u{FEFF}movieId,title,genres\n1,\"A, \"\"B\"\" (1920)\",X|Y\n".utf8
            ),
            "ratings.csv": ratings,
        ],
        [
            "movies.dat": Array("1::Golem, The (1920)::Fantasy|Horror\n2::Caf".utf8) + [0xE9]
                + Array("::Drama\n".utf8),
            "ratings.dat": Array("1::2::5::978300760\r\n1::1::3::978300761".utf8),
        ],
        [
            "u.item": Array(
                ("1|General, The (1926)|05-Feb-1927||http://example.org"
                    + String(repeating: "|1", count: 19) + "\n").utf8
            ),
            "u.data": Array("196\t1\t3\t881250949\n".utf8),
        ],
    ]

    /// Changed, dropped, doubled and moved bytes: rows or errors, each row counted once, and the same in
    /// pieces.
    @Test(arguments: 1...30)
    func damagedTableGivesRowsOrErrors(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let special: [UInt8] = Array("\",\n\r:|\t0-(".utf8) + [0x00, 0xFF, 0xC3, 0xEF, 0xBB, 0xBF]
        for _ in 0..<200 {
            var files = Self.sets.randomElement(using: &random)!
            let name = files.keys.sorted().randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let bytes = files[name] ?? []
                let place = Int.random(in: 0...bytes.count, using: &random)
                let end = min(bytes.count, place + Int.random(in: 0...9, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: files[name] = Array(bytes[..<place])
                case 1: files[name]?.insert(special.randomElement(using: &random)!, at: place)
                case 2: files[name]?.removeSubrange(place..<end)
                default: files[name]? += bytes[place...]
                }
            }
            let whole = Result { try ReadDataSet(files) }
            let split = Result { try ReadDataSet(files, pieceLength: 3) }
            switch (whole, split) {
            case (.success(let one), .success(let other)):
                expectEqual(one.films, other.films, "seed \(seed): \(files)")
                expectEqual(one.ratings, other.ratings, "seed \(seed): \(files)")
                expect(one.films.allSatisfy { !$0.title.isEmpty && !$0.key.isEmpty })
                expectEqual(Set(one.films.map(\.key)).count, one.films.count)
            case (.failure(let one), .failure(let other)):
                expect(one is ImportError, "seed \(seed): \(files)")
                expectEqual("\(one)", "\(other)", "seed \(seed): \(files)")
            default:
                Issue.record("seed \(seed): pieces of \(files) differ from the whole")
            }
        }
    }
}
