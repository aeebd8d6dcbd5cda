import Expectations

@testable import Activity

@Suite("Pages: how a list goes on", .timeLimit(.minutes(10)))
struct PageFormTests {
    private func page(_ count: Int, of total: Int, from offset: Int) -> Page<Int> {
        let range = PageRange(limit: 20, offset: offset)
        return Page(items: Array(0..<count), totalCount: total, range: range)
    }

    @Test func pageHasMoreWhenSomethingIsBehindIt() {
        expect(page(20, of: 21, from: 0).hasMore)
        expect(!page(20, of: 20, from: 0).hasMore)
        expect(page(20, of: 41, from: 20).hasMore)
        expect(!page(1, of: 41, from: 40).hasMore)
        expect(!page(0, of: 41, from: 60).hasMore)
        expect(!page(0, of: 0, from: 0).hasMore)
    }

    @Test func pageBeyondEverythingHasNoMore() {
        expect(!page(0, of: 41, from: .max).hasMore)
    }

    @Test func mappedPageKeepsItsPlace() {
        let texts = page(2, of: 9, from: 3).map(String.init)
        expectEqual(texts.items, ["0", "1"])
        expectEqual(texts.totalCount, 9)
        expectEqual(texts.range, PageRange(limit: 20, offset: 3))
    }
}
