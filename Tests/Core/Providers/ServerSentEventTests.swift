import Expectations

@testable import Core

@Suite("HTML Living Standard §9.2.6, event streams of providers", .timeLimit(.minutes(10)))
struct ServerSentEventTests {
    private func data(_ text: String) -> [String] {
        ServerSentEvent.events(of: Array(text.utf8)[...])
            .map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func linesEndInThreeWays(end: String) {
        let text = ["event: a", "data: one", "", "data: two", ""].map { $0 + end }.joined()
        expectEqual(data(text), ["one", "two"])
    }

    @Test func oneSpaceBehindTheColonIsNotPartOfTheValue() {
        expectEqual(data("data:x\n\ndata: x\n\ndata:  x\n\n"), ["x", "x", " x"])
    }

    @Test func linesOfOneEventAreJoined() {
        expectEqual(data("data: a\ndata:\ndata\ndata: b\n\n"), ["a\n\n\nb"])
    }

    @Test func commentsAndOtherFieldsAreNoData() {
        expectEqual(data(": data: a\nid: 1\nretry: 5\ndatas: b\n data: c\n\ndata: d\n\n"), ["d"])
    }

    @Test func eventWithoutItsBlankLineIsDropped() {
        expectEqual(data("data: a\n\ndata: b\n"), ["a"])
        expectEqual(data("data: a\n\ndata: b"), ["a"])
        expectEqual(data(""), [])
    }

    @Test func blankLinesMakeNoEvents() {
        expectEqual(data("\n\n\nevent: ping\n\n\ndata: a\n\n\n"), ["a"])
    }

    @Test func byteOrderMarkIsSkippedOnce() {
        expectEqual(data("\u{FEFF}data: a\n\n"), ["a"])
        expectEqual(data("\u{FEFF}\u{FEFF}data: a\n\n"), [])
    }
}
