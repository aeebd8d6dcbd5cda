import Expectations

@testable import varde

@Suite("varde receive", .timeLimit(.minutes(10)))
struct ReceiveCommandTests {
    private func line(_ body: String, _ fields: [String] = ["count", "title"]) -> String {
        ReceiveCommand.line(of: Array(body.utf8), id: "1", fields: fields)
    }

    @Test func eventIsItsTypeItsIDAndTheFieldsThatWereAskedFor() {
        let body = #"{"type":"a.b","data":{"title":"x \"y\"","count":3,"other":1}}"#
        expectEqual(line(body), #"a.b 1 count=3 title="x \"y\"""#)
        expectEqual(line(body, []), "a.b 1")
    }

    @Test(arguments: [
        #"{"type":"a.b"}"#, #"{"type":"a.b","data":null}"#, #"{"type":"a.b","data":{"titles":1}}"#,
        #"{"type":"a.b","data":{"title":{"a":1},"count":[1]}}"#,
    ])
    func fieldsThatTheDataDoNotHaveAreLeftOut(body: String) {
        expectEqual(line(body), "a.b 1")
    }

    @Test func eventStaysOnItsLineAndSteersNoTerminal() {
        let body = #"{"type":"a\nverified: b\u009b","data":{"title":"\#u{202E}x"}}"#
        expectEqual(line(body), #"a verified: b\u009b 1 title="\u202ex""#)
    }

    @Test(arguments: ["", "[]", "{}", #"{"type":1}"#])
    func bodyWithoutATypeIsAnUnknownEvent(body: String) {
        expectEqual(line(body), "unknown event 1")
    }

    @Test func fieldsAreReadFromTheCommandLine() throws {
        let command = try ReceiveCommand.parse([
            "--secret", "s", "--field", "count", "--field", "title",
        ])
        expectEqual(command.field, ["count", "title"])
    }
}
