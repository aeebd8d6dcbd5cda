import Expectations
import Wire

@Suite("RFC 6455 §9.1, negotiating extensions", .timeLimit(.minutes(10)))
struct WebSocketExtensionTests {
    private func list(_ values: String...) -> [WebSocketExtension]? {
        var headers: HTTPHeaders = ["Host": "example.com"]
        for value in values { headers.append("Sec-WebSocket-Extensions", value) }
        return WebSocketExtension.list(in: headers)
    }

    private let deflate = WebSocketExtension(
        name: "permessage-deflate",
        parameters: [
            .init(name: "client_max_window_bits"),
            .init(name: "server_max_window_bits", value: "10"),
        ]
    )

    @Test
    func offersAreReadInTheirOrder() {
        let text = "permessage-deflate; client_max_window_bits; server_max_window_bits=10"
        expectEqual(list(text), [deflate])
        expectEqual(list(text + ", x-plain"), [deflate, .init(name: "x-plain")])
        expectEqual(list("x-plain", text), [.init(name: "x-plain"), deflate])
        expectEqual(list(), [])
    }

    @Test
    func spacesAroundSeparatorsMeanNothing() {
        expectEqual(
            list(
                "permessage-deflate\t;client_max_window_bits ;  server_max_window_bits = 10 "
            ),
            [deflate]
        )
    }

    @Test
    func quotedValueIsReadWithoutItsQuotes() {
        let text = #"permessage-deflate; client_max_window_bits; server_max_window_bits="#
        expectEqual(list(text + #""10""#), [deflate])
        expectEqual(list(text + #""1\0""#), [deflate])
    }

    @Test(arguments: [
        ";", "a;", "a;;b", ";a=1", "a b", "a; b c", "a; =1", "a; b=", "a; b=c d", "a; b=1=2",
        #"a; b=""#, #"a; b="""#, #"a; b="x"#, #"a; b="x y""#, #"a; b="x;y""#, #"a; b="x,y""#,
        #"a; b="x"y"#, #"a; b="x\""#, #"a; b="x"y""#, #""a""#, "å", "a; ø=1", "a=1",
    ])
    func malformedListIsRefused(text: String) {
        expectNil(list(text))
        expectNil(list("fine", text))
    }

    @Test
    func descriptionReadsAsTheSame() {
        expectEqual(
            deflate.description,
            "permessage-deflate; client_max_window_bits; server_max_window_bits=10"
        )
        expectEqual(list(deflate.description), [deflate])
        expectEqual(WebSocketExtension(name: "x").description, "x")
    }
}
