import ClientWire
import Expectations

@Suite("Client protocol without a WebSocket", .timeLimit(.minutes(10)))
struct ClientStreamTests {
    private func framed(_ framing: ClientStreamFraming, _ messages: String...) -> String {
        var body: [UInt8] = []
        for message in messages { framing.append(Array(message.utf8), to: &body) }
        return String(decoding: body, as: UTF8.self)
    }

    @Test func messagesOfAStreamAreLines() {
        expectEqual(framed(.lines, "{}", #"{"id":1}"#), "{}\n{\"id\":1}\n")
    }

    @Test func messagesOfAnEventStreamAreEvents() {
        expectEqual(framed(.events, "{}", #"{"id":1}"#), "data: {}\n\ndata: {\"id\":1}\n\n")
    }

    @Test func carriageReturnBetweenTokensDoesNotEndAnEvent() {
        expectEqual(framed(.events, "{\"a\":\r1}"), "data: {\"a\": 1}\n\n")
    }

    private func request(_ text: String) -> EmulationRequest? {
        EmulationRequest(Array(text.utf8))
    }

    @Test func requestCarriesCommandsAsText() {
        let read = request(#"{"session":"s","node":"n","data":"{\"id\":1}\n{\"id\":2}","x":[]}"#)
        expectEqual(read?.session, "s")
        expectEqual(read?.node, "n")
        expectEqual(read?.data, Array("{\"id\":1}\n{\"id\":2}".utf8))
        expectEqual(request(#"{"session":"s","data":"x"}"#)?.node, "")
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"session":"s"}"#, #"{"data":"x"}"#, #"{"session":"","data":"x"}"#,
        #"{"session":"s","data":""}"#, #"{"session":1,"data":"x"}"#,
        #"{"session":"s","data":{"id":1}}"#, #"{"session":"s","data":"x""#,
    ])
    func requestWithoutSessionOrCommandsIsRefused(text: String) {
        expectNil(request(text))
    }

    @Test func requestThatIsNotUTF8IsRefused() {
        let bytes = Array(#"{"session":"s","data":"x"#.utf8) + [0xFF] + Array(#""}"#.utf8)
        expectNil(EmulationRequest(bytes))
    }
}
