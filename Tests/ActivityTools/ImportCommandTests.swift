import Activity
import ActivityApp
import CommandKit
import Expectations
import Foundation
import Hub

@testable import ActivityTools

/// Keeps what it is given; what it has is known by its key.
private actor KeptImport: ImportTarget {
    private(set) var films: [String: ImportedFilm] = [:]
    private(set) var people: [String] = []
    private(set) var ratings: [ImportedRating] = []
    private var ids: [String: Int] = [:]

    func store(_ batch: ImportBatch) -> ImportedRows {
        let knownCount = ids.count
        switch batch {
        case .films(let films):
            for film in films { self.films[film.key] = film }
            return rows(films.map(\.key), knownCount)
        case .people(let people):
            self.people += people.map(\.name)
            return rows(people.map { "person \($0.subject)" }, knownCount)
        case .ratings(let ratings):
            self.ratings += ratings
            return ImportedRows(ids: [], newCount: ratings.count)
        }
    }

    private func rows(_ keys: [String], _ knownCount: Int) -> ImportedRows {
        let ids = keys.map { key in
            let id = self.ids[key] ?? self.ids.count + 1
            self.ids[key] = id
            return id
        }
        return ImportedRows(ids: ids, newCount: self.ids.count - knownCount)
    }
}

/// Runs `body` with a store that has the film app's tables.
private func withStore(_ body: (HubStore) async throws -> Void) async throws {
    let directory = try ImportDirectory([:])
    let options = StoreOptions(
        path: directory.path + "/varde.sqlite",
        migrations: AccountTables.migrations + ActivityTables.migrations
    )
    let store = try HubStore(options, wall: HubClock.wall, newEpoch: "epoch-1")
    try await body(store)
    try await store.close()
}

/// A directory that is removed with the test.
private final class ImportDirectory: Sendable {
    let path: String

    init(_ files: [String: String]) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "varde-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
        for (name, text) in files {
            try Data(text.utf8).write(to: url.appending(path: name))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("varde import", .timeLimit(.minutes(10)))
struct ImportCommandTests {
    private let target = KeptImport()
    private var importer: CatalogueImporter {
        let now = Timestamp(milliseconds: 1_767_225_600_000)
        return CatalogueImporter(target: target, now: now) { _ in }
    }

    private static let sample = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "demo/catalogue.json").path

    @Test("The sample catalogue is loaded whole, and the second time nothing of it is new")
    func sampleCatalogue() async throws {
        let command = try ImportCatalogueCommand.parse([ImportCommandTests.sample])
        let first = try await command.load(importer)
        expectEqual(first.films.all, 100)
        expectEqual(first.films.new, 100)
        expectEqual(first.problemCount, 0)
        try await expectEqual(command.load(importer).films.new, 0)
    }

    @Test("The command as it is typed stores what it reads in the database that is named")
    func command() async throws {
        let directory = try ImportDirectory([:])
        let database = directory.path + "/hub.sqlite"
        try await ImportCatalogueCommand.parse([
            ImportCommandTests.sample, "--database", database,
        ]).run([ActivityDomain.self])
        let loaded = try ConfigurationOptions.parse(["--database", database])
            .load(environment: [:], domains: [ActivityDomain.self])
        let count = try await HubService.withStore(
            loaded,
            environment: [:],
            domains: [ActivityDomain.self]
        ) {
            store in
            try await store.readActivity { try $0.filmCount() }
        }
        expectEqual(count, 100)
    }

    @Test("A MovieLens directory is read in the order of its needs, other files are left alone")
    func movieLens() async throws {
        let directory = try ImportDirectory([
            "README.txt": "\"",
            "links.csv": "movieId,imdbId,tmdbId\n1,1,653\n",
            "movies.csv": "movieId,title,genres\n1,Nosferatu (1922),Horror\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n7,1,4.5,964982703\n7,2,4,1\n",
            "tags.csv": "\"",
        ])
        let report = try await ImportMovieLensCommand.parse([directory.path]).load(importer)
        await expectEqual(target.films["movielens:1"]?.tmdbID, 653)
        await expectEqual(target.people, ["MovieLens 7"])
        await expectEqual(target.ratings.map(\.filmID), [1])
        await expectEqual(target.ratings.map(\.personID), [2])
        expectEqual(report.problems.map(\.description), ["ratings.csv:3: no film has the id 2"])
    }

    @Test("A second data set, whose numbers are others', is refused; the same one is taken again")
    func otherDataSet() async throws {
        let files = [
            "movies.csv": "movieId,title,genres\n1,A,\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n7,1,4.5,964982703\n",
        ]
        let (first, second) = (try ImportDirectory(files), try ImportDirectory(files))
        try await withStore { store in
            let importer = CatalogueImporter(
                target: StoreImportTarget(hubStore: store),
                now: Timestamp(milliseconds: 0)
            ) { _ in }
            for _ in 0..<2 { _ = try await importer.movieLens(directory: first.path) }
            let name = URL(filePath: first.path).lastPathComponent
            let failure = await #expect(throws: CatalogueError.self) {
                try await importer.movieLens(directory: second.path)
            }
            expectEqual(failure?.description.contains("expected \(name)"), true)
            _ = try await importer.movieLens(directory: second.path + "/", name: name)
        }
    }

    @Test("Another data set in a directory with the same name is refused and changes nothing")
    func otherDataSetOfTheSameName() async throws {
        let movies = "movieId,title,genres\n1,A (1999),\n2,B (1998),\n"
        let ratings = "userId,movieId,rating,timestamp\n7,1,4.5,964982703\n7,2,1,964982704\n"
        let set = try ImportDirectory(["movies.csv": movies, "ratings.csv": ratings])
        let newer = try ImportDirectory([
            "movies.csv": movies + "3,C (2001),\n", "ratings.csv": ratings + "8,3,2.5,964982903\n",
        ])
        let others = try [
            ImportDirectory([
                "movies.csv": movies.replacing("A (", with: "D (").replacing("B", with: "E")
            ]),
            ImportDirectory([
                "movies.csv": movies, "ratings.csv": ratings.replacing("9649", with: "8649"),
            ]),
        ]
        try await withStore { store in
            let importer = CatalogueImporter(
                target: StoreImportTarget(hubStore: store),
                now: Timestamp(milliseconds: 0)
            ) { _ in }
            _ = try await importer.movieLens(directory: set.path, name: "ml")
            for other in others {
                let failure = await #expect(throws: CatalogueError.self) {
                    try await importer.movieLens(directory: other.path, name: "ml")
                }
                expectEqual(failure?.description.contains("under the name ml: 0 of"), true)
                expectEqual(failure?.description.contains("Use another database"), true)
            }
            try await expectEqual(store.readActivity { try $0.filmCount() }, 2)
            let report = try await importer.movieLens(directory: newer.path, name: "ml")
            expectEqual(report.films.new, 1)
            expectEqual(report.people.new, 1)
            try await expectEqual(importer.movieLens(directory: set.path, name: "ml").films.new, 0)
        }
    }

    @Test("A directory of which nothing is stored does not name the data set")
    func nameOfNothing() async throws {
        let garbage = try ImportDirectory(["movies.csv": "movieId,title,genres\n,,\n"])
        let films = try ImportDirectory(["movies.csv": "movieId,title,genres\n1,A,\n"])
        try await withStore { store in
            let target = StoreImportTarget(hubStore: store)
            let importer = CatalogueImporter(target: target, now: Timestamp(milliseconds: 0)) { _ in
            }
            await #expect(throws: CatalogueError.self) {
                try await importer.movieLens(directory: garbage.path)
            }
            try await expectEqual(target.movieLensDataSet(), StoredDataSet.none)
            _ = try await importer.movieLens(directory: films.path)
            let name = URL(filePath: films.path).lastPathComponent
            try await expectEqual(target.movieLensDataSet(), .named(name))
        }
    }

    @Test("People of a release that stored no name need a name that is given")
    func unnamedDataSet() async throws {
        let directory = try ImportDirectory(["movies.csv": "movieId,title,genres\n1,A,\n"])
        try await withStore { store in
            let target = StoreImportTarget(hubStore: store)
            let person = ImportedPerson(
                subject: "7",
                name: "MovieLens 7",
                createdAt: Timestamp(milliseconds: 0)
            )
            _ = try await target.store(.people([person]))
            let importer = CatalogueImporter(target: target, now: Timestamp(milliseconds: 0)) { _ in
            }
            let failure = await #expect(throws: CatalogueError.self) {
                try await importer.movieLens(directory: directory.path)
            }
            expectEqual(failure?.description.contains("expected --data-set NAME"), true)
            try await expectEqual(target.movieLensDataSet(), .unnamed)
            _ = try await importer.movieLens(directory: directory.path, name: "ml-1m")
            try await expectEqual(target.movieLensDataSet(), .named("ml-1m"))
        }
    }

    @Test("More rows than a batch has, and than one read brings, are all stored")
    func manyRows() async throws {
        let count = 3 * ImportLimits.batchLengthMax + 1
        let rows = (1...count).map { "\($0),1,4.0,964982703\n" }.joined()
        let directory = try ImportDirectory([
            "movies.csv": "movieId,title,genres\n1,A,\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n" + rows,
        ])
        let report = try await importer.movieLens(directory: directory.path)
        expectEqual(report.ratings.all, count)
        expectEqual(report.people.new, count)
        expectEqual(Set(await target.ratings.map(\.personID)).count, count)
    }

    @Test("Every JSON file of a TMDB directory is read, and one that is wrong is named")
    func tmdb() async throws {
        let directory = try ImportDirectory([
            "1.json": #"{"id":1,"title":"A"}"#,
            "2.json": "{",
            "list.json": #"{"results":[{"id":1,"title":"A"},{"id":2,"title":"B"}]}"#,
            "notes.txt": "{",
        ])
        let report = try await ImportTMDBCommand.parse([directory.path]).load(importer)
        expectEqual(report.films.all, 3)
        expectEqual(report.films.new, 2)
        expectEqual(report.problems.map(\.file), ["2.json"])
    }

    @Test("A directory that is not there, or has nothing, is a failure that says so")
    func nothing() async throws {
        let missing = await #expect(throws: CatalogueError.self) {
            try await importer.tmdb(directory: "/no/such/directory")
        }
        let reason = "cannot be read: No such file or directory"
        expectEqual(missing?.description, "/no/such/directory: \(reason)")
        let empty = try ImportDirectory([:])
        await #expect(throws: ImportError.self) {
            try await importer.movieLens(directory: empty.path)
        }
        let failure = await #expect(throws: CatalogueError.self) {
            try await importer.tmdb(directory: empty.path)
        }
        expectEqual(failure?.description, "\(empty.path): found no file that ends with .json")
    }

    @Test("What is only collected keeps films and ratings by the ids that it gave")
    func collected() async throws {
        let directory = try ImportDirectory([
            "movies.csv": "movieId,title,genres\n1,Nosferatu (1922),Horror\n2,Faust (1926),Drama\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n7,2,4.5,964982703\n8,1,3,964982704\n",
        ])
        let target = CollectedImport()
        let importer = CatalogueImporter(
            target: target,
            now: Timestamp(milliseconds: 0)
        ) { _ in }
        _ = try await importer.movieLens(directory: directory.path)
        let titles = Dictionary(
            uniqueKeysWithValues: await target.films.map { ($0.id, $0.title) }
        )
        let ratings = await target.ratings
        expectEqual(ratings.map { titles[$0.filmID] }, ["Faust", "Nosferatu"])
        expectEqual(ratings.map(\.stars.halves), [9, 6])
        expectEqual(Set(ratings.map(\.personID)).count, 2)
    }
}
