import Testing

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
        #expect(data(text) == ["one", "two"])
    }

    @Test func oneSpaceBehindTheColonIsNotPartOfTheValue() {
        #expect(data("data:x\n\ndata: x\n\ndata:  x\n\n") == ["x", "x", " x"])
    }

    @Test func linesOfOneEventAreJoined() {
        #expect(data("data: a\ndata:\ndata\ndata: b\n\n") == ["a\n\n\nb"])
    }

    @Test func commentsAndOtherFieldsAreNoData() {
        #expect(data(": data: a\nid: 1\nretry: 5\ndatas: b\n data: c\n\ndata: d\n\n") == ["d"])
    }

    @Test func eventWithoutItsBlankLineIsDropped() {
        #expect(data("data: a\n\ndata: b\n") == ["a"])
        #expect(data("data: a\n\ndata: b") == ["a"])
        #expect(data("") == [])
    }

    @Test func blankLinesMakeNoEvents() {
        #expect(data("\n\n\nevent: ping\n\n\ndata: a\n\n\n") == ["a"])
    }

    @Test func byteOrderMarkIsSkippedOnce() {
        #expect(data("\u{FEFF}data: a\n\n") == ["a"])
        #expect(data("\u{FEFF}\u{FEFF}data: a\n\n") == [])
    }
}
