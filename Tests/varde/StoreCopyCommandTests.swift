import Activity
import ActivityApp
import ArgumentParser
import Expectations
import Foundation
import News
import NewsApp
import PostgresTesting
import Store

@testable import varde

@Suite("varde store copy", .timeLimit(.minutes(10)))
struct StoreCopyCommandTests {
    @Test func bothPlacesAreNeeded() throws {
        let command = try Varde.parseAsRoot(["store", "copy", "--from", "a", "--to", "b"])
        let copy = try require(command as? StoreCopyCommand)
        expect(copy.from == "a" && copy.to == "b")
        #expect(throws: (any Error).self) {
            try Varde.parseAsRoot(["store", "copy", "--from", "a"])
        }
    }

    /// Every table of every domain has a key and types that both engines have. The file is one of an
    /// earlier release, with rows of the film app.
    @Test func tablesOfAllDomainsAreCopiedThereAndBack() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "hub.sqlite").path
        let schema = "v" + UUID().uuidString.replacing("-", with: "").lowercased()
        let url = try testServer() + "&schema=" + schema
        let former = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Store/Fixtures/version6.sqlite")
        try FileManager.default.copyItem(at: former, to: URL(filePath: file))
        let store = try await opened(file)
        let films = try await store.readActivity { try $0.films(after: 0, limit: 10).map(\.film) }
        let title = try require(films.first?.title)
        try await store.commitActivity { tables in
            for film in films { try tables.put(film) }
            return (Change(), ())
        }
        let article = article("Café opens")
        try await store.commitNews { (Change(), try $0.put(article)) }
        try await store.close()
        let copy = StoreCopy(migrations: allMigrations, bootIdentifier: nil)
        let there = try tables(copy, from: file, to: url)
        expect(there.isSuperset(of: ["hub", "publication", "radar", "account", "aurora_forecast"]))
        let back = try tables(copy, from: url, to: directory.appending(path: "back.sqlite").path)
        expectEqual(back, there)
        for place in [url, directory.appending(path: "back.sqlite").path] {
            let copied = try await opened(place)
            let page = PageRange(limit: 10, offset: 0)
            let found = try await copied.readActivity {
                try $0.searchFilms(title, range: page, for: 0).items.map(\.film.title)
            }
            expect(found.contains(title))
            let articles = try await copied.readNews { tables in
                var filter = ArticleFilter()
                filter.words = ["cafe"]
                return try tables.articleIDs(filter, limit: 2)
            }
            expectEqual(articles, [1])
            try await copied.close()
        }
    }

    private func opened(_ place: String) async throws -> HubStore {
        try await HubStore.opened(
            StoreOptions(path: place, migrations: allMigrations),
            wall: Timestamp(milliseconds: 1_767_225_600_000),
            newEpoch: "epoch-1"
        )
    }

    private func article(_ title: String) -> Article {
        Article(
            id: 0,
            url: "https://news.example.org/1",
            source: ArticleSource(name: "one", title: "One", owner: "one", weight: 1),
            title: title,
            summary: "",
            category: .general,
            publishedAt: Timestamp(milliseconds: 0),
            firstSeenAt: Timestamp(milliseconds: 0)
        )
    }

    private func tables(
        _ copy: StoreCopy,
        from source: String,
        to target: String
    ) throws -> Set<String> {
        var names: Set<String> = []
        try copy.copy(from: source, to: target) { names.insert($0.name) }
        return names
    }
}
