import Expectations
import News
import SeededRandom

@Suite("Frozen results of /v2", .timeLimit(.minutes(10)))
struct PageSnapshotsTests {
    private let now = NewsExamples.time

    /// What a route does for a request.
    private func page(
        _ page: Int,
        size: Int = 10,
        of query: String = "us",
        for client: String = "a",
        in snapshots: inout PageSnapshots<String, String>,
        store: [Int],
        now: Timestamp? = nil
    ) -> SnapshotPage {
        let now = now ?? self.now
        let results =
            snapshots.results(of: query, for: client, page: page, now: now)
            ?? snapshots.freeze(store, of: query, for: client, now: now)
        return SnapshotPage(of: results, NewsAPIPaging(page: page, size: size))
    }

    /// The app's loop: it ends when it has as many articles as there are results.
    @Test(arguments: 0..<20)
    func pagesWhileArticlesArriveAddUpToTheTotal(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var snapshots = PageSnapshots<String, String>()
        var store = Array((0..<Int.random(in: 0...95, using: &random)).reversed())
        let size = Int.random(in: 1...100, using: &random)
        let expected = store
        var read: [Int] = []
        var number = 1
        var total = Int.max
        while read.count < total {
            let page = page(number, size: size, in: &snapshots, store: store)
            expect(total == .max || page.totalResults == total, "seed \(seed)")
            total = page.totalResults
            guard !page.ids.isEmpty || total == 0 else {
                Issue.record("seed \(seed): page \(number) is empty before the end")
                break
            }
            read += page.ids
            number += 1
            store = [store.count, store.count + 1] + store
        }
        expectEqual(read, expected, "seed \(seed)")
    }

    @Test func firstPageShowsWhatIsNew() {
        var snapshots = PageSnapshots<String, String>()
        expectEqual(page(1, in: &snapshots, store: [1]).ids, [1])
        expectEqual(page(1, in: &snapshots, store: [2, 1]).ids, [2, 1])
        expectEqual(page(2, size: 1, in: &snapshots, store: [3, 2, 1]).ids, [1])
    }

    @Test func pagePastTheEndIsEmptyWithTheTotal() {
        var snapshots = PageSnapshots<String, String>()
        _ = page(1, in: &snapshots, store: [1, 2, 3])
        for number in [2, 3, 1_000_000, .max] {
            expectEqual(
                page(number, in: &snapshots, store: []),
                SnapshotPage(
                    of: [1, 2, 3],
                    NewsAPIPaging(page: number, size: 10)
                )
            )
            expect(page(number, in: &snapshots, store: []).ids.isEmpty)
            expectEqual(page(number, in: &snapshots, store: []).totalResults, 3)
        }
    }

    @Test func resultsAreFrozenForTenMinutes() {
        var snapshots = PageSnapshots<String, String>()
        _ = page(1, in: &snapshots, store: [1, 2, 3])
        let last = now + .milliseconds(599_999)
        expectEqual(page(2, size: 2, in: &snapshots, store: [], now: last).ids, [3])
        let end = now + .seconds(600)
        expectEqual(page(2, size: 2, in: &snapshots, store: [7, 8, 9, 6], now: end).ids, [9, 6])
        let before = now - .seconds(1)
        expectEqual(page(2, size: 2, in: &snapshots, store: [5, 4], now: before).totalResults, 2)
    }

    @Test func clientsAndQueriesHaveListsOfTheirOwn() {
        var snapshots = PageSnapshots<String, String>()
        _ = page(1, in: &snapshots, store: [1, 2])
        _ = page(1, for: "b", in: &snapshots, store: [3, 4])
        _ = page(1, of: "no", in: &snapshots, store: [5, 6])
        expectEqual(page(2, size: 1, in: &snapshots, store: []).ids, [2])
        expectEqual(page(2, size: 1, for: "b", in: &snapshots, store: []).ids, [4])
        expectEqual(page(2, size: 1, of: "no", in: &snapshots, store: []).ids, [6])
    }

    @Test func queryHasAtMost1000Results() {
        var snapshots = PageSnapshots<String, String>()
        let page = page(10, size: 100, in: &snapshots, store: Array(0..<1001))
        expectEqual(page.totalResults, 1000)
        expectEqual(page.ids.last, 999)
    }

    @Test func oldestSnapshotOfAClientMakesRoom() {
        var snapshots = PageSnapshots<String, String>(snapshotsMax: 3, clientMax: 2)
        for query in ["1", "2", "3"] { _ = page(1, of: query, in: &snapshots, store: [1, 2]) }
        expectEqual(snapshots.count, 2)
        expectNil(snapshots.results(of: "1", for: "a", page: 2, now: now))
        expectEqual(snapshots.results(of: "2", for: "a", page: 2, now: now), [1, 2])
        // One that is frozen again is the newest, and takes no place of another.
        _ = page(1, of: "2", in: &snapshots, store: [3, 4])
        _ = page(1, of: "4", in: &snapshots, store: [1, 2])
        expectEqual(snapshots.results(of: "2", for: "a", page: 2, now: now), [3, 4])
        expectNil(snapshots.results(of: "3", for: "a", page: 2, now: now))
    }

    @Test func oldestSnapshotOfAllMakesRoom() {
        var snapshots = PageSnapshots<String, String>(snapshotsMax: 3, clientMax: 2)
        for client in ["a", "b", "c", "d"] {
            _ = page(1, for: client, in: &snapshots, store: [1, 2])
        }
        expectEqual(snapshots.count, 3)
        expectNil(snapshots.results(of: "us", for: "a", page: 2, now: now))
        expectEqual(snapshots.results(of: "us", for: "b", page: 2, now: now), [1, 2])
    }

    @Test func expiredSnapshotsAreRemoved() {
        var snapshots = PageSnapshots<String, String>()
        for query in 0..<10 { _ = page(1, of: "\(query)", in: &snapshots, store: []) }
        _ = page(1, in: &snapshots, store: [], now: now + .seconds(600))
        expectEqual(snapshots.count, 1)
    }
}
