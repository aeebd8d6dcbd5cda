import Expectations

@testable import NewsTools
@testable import Replay

@Suite("Recorded feeds: the file", .timeLimit(.minutes(10)))
struct FeedTableTests {
    private static let text = """
        {
        "begins": "2024-12-08T12:00:00Z", "ends": "2024-12-10T12:00:00Z",
        "feeds": [
          {"name": "one", "form": "rss", "title": "Sample One", "home": "https://one.example", "language": "en"},
          {"name": "two", "form": "json", "title": "Sample Two", "home": "https://two.example", "language": "en"}
        ],
        "items": [
          {"at": "2024-12-08T12:00:00Z", "feed": "one", "story": "s", "tag": "t", "slug": "a", "title": "A", "text": "B"},
          {"at": "2024-12-09T12:00:00Z", "feed": "two", "story": "s", "tag": "t", "slug": "b", "title": "A", "text": "B"}
        ]
        }
        """

    private func table(_ text: String) throws(RecordingError) -> FeedTable {
        try FeedTable(SourceFile(path: "news.json", bytes: Array(text.utf8)))
    }

    @Test func itemsBelongToTheirFeeds() throws {
        let table = try table(Self.text)
        expectEqual(table.feeds.map(\.path), ["/news/one.rss", "/news/two.json"])
        expectEqual(table.feeds.map { table.items(of: $0).map(\.slug) }, [["a"], ["b"]])
    }

    @Test(arguments: [
        ("\"feeds\"", "\"feds\"", "is not the JSON expected"),
        ("\"rss\"", "\"rdf\"", "is not the JSON expected"),
        ("\"2024-12-08T12:00:00Z\", \"feed\"", "\"noon\", \"feed\"", "has the time 'noon'"),
        ("2024-12-10T12:00:00Z", "2024-12-08T12:00:00Z", "ends at 2024-12-08T12:00:00.000Z"),
        ("\"name\": \"one\"", "\"name\": \"../one\"", "has the feed '../one', expected letters"),
        ("\"name\": \"two\"", "\"name\": \"one\"", "has two feeds 'one'"),
        ("\"feed\": \"two\"", "\"feed\": \"six\"", "has an item of the unknown feed 'six'"),
        ("\"slug\": \"b\"", "\"slug\": \"\"", "has the slug '', expected letters"),
        (
            "\"feed\": \"two\", \"story\": \"s\", \"tag\": \"t\", \"slug\": \"b\"",
            "\"feed\": \"one\", \"story\": \"s\", \"tag\": \"t\", \"slug\": \"a\"",
            "has two items 'a' of 'one'"
        ),
        (
            "2024-12-09T12:00:00Z", "2024-12-10T12:00:00Z",
            "has 'b' at 2024-12-10T12:00:00.000Z, expected 2024-12-08T12:00:00.000Z or later"
        ),
        (
            "\"at\": \"2024-12-09T12:00:00Z\"", "\"at\": \"2024-12-08T11:59:00Z\"",
            "has 'b' at 2024-12-08T11:59:00.000Z, expected 2024-12-08T12:00:00.000Z or later"
        ),
    ])
    func fileThatIsWrongIsRefused(text: String, replacement: String, problem: String) throws {
        let changed = Self.text.replacing(text, with: replacement)
        try require(changed != Self.text)
        let error = #expect(throws: RecordingError.self) { try table(changed) }
        expectEqual(error?.path, "news.json")
        expectEqual(error?.problem.hasPrefix(problem), true, "\(error?.description ?? "none")")
    }

    @Test func fileWithoutFeedsIsRefused() {
        let error = #expect(throws: RecordingError.self) {
            try table(
                """
                {"begins": "2024-12-08T12:00:00Z", "ends": "2024-12-10T12:00:00Z", "feeds": [], \
                "items": []}
                """
            )
        }
        expectEqual(error?.problem, "has 0 feeds, expected 1 to 64")
    }

    @Test func segmentOutsideOfTheRecordingIsRefused() {
        let yaml = newsYAML.replacing("from: 2024-12-09T12:00Z", with: "from: 2024-12-09T12:01Z")
        let error = #expect(throws: RecordingError.self) { try recording(yaml: yaml) }
        expectEqual(
            error?.problem,
            """
            segment at 2024-12-09T12:00:00.000Z runs outside its recording, \
            2024-12-08T12:00:00.000Z to 2024-12-10T12:00:00.000Z
            """
        )
    }

    @Test func recordingsOfOneTrackHaveTheSameFeeds() {
        let yaml = newsYAML.replacing(
            "tracks:",
            with:
                "  - {name: own, product: news, file: own.json, status: synthetic, note: x}\ntracks:"
        ).replacing(
            "night: [{at: 2024-12-09T12:00Z, recording: news",
            with: """
                night: [{at: 2024-12-09T12:00Z, recording: own
                """
        )
        let files = ["news.json": demoFile, "own.json": Array(Self.text.utf8)]
        let error = #expect(throws: RecordingError.self) {
            try recording(yaml: yaml, files: files)
        }
        expectEqual(error?.description, "own.json: has other feeds than news.json")
    }
}
