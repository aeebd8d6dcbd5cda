import Expectations

@testable import ClientWire

private let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
private let other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

@Suite("Traces of publications: requests", .timeLimit(.minutes(10)))
struct TracedRequestTests {
    private func request(_ method: ServerAPIMethod, _ body: String) throws -> ServerAPIRequest {
        try ServerAPIRequest(method, body: Array(body.utf8), limits: ServerAPILimits())
    }

    private func tags(_ request: ServerAPIRequest) -> [[String: String]?] {
        switch request {
        case .publish(let publication): [publication.tags]
        case .broadcast(let broadcast): broadcast.publications.map { try? $0.get().tags }
        case .batch(let batch): batch.commands.flatMap { tags(try! $0.get().request) }
        default: []
        }
    }

    @Test func everyPublicationOfARequestHasItsTrace() throws {
        let trace = TraceParent(header)
        let traced = ["traceparent": header]
        let one = try request(.publish, #"{"channel":"a:b","data":1}"#)
        expectEqual(tags(one.traced(by: trace)), [traced])
        expectEqual(tags(one.traced(by: nil)), [[:]])
        let many = try request(.broadcast, #"{"channels":["a:b","a b","a:c"],"data":1}"#)
        expectEqual(tags(many.traced(by: trace)), [traced, nil, traced])
        let batch = try request(
            .batch,
            #"""
            {"commands":[{"publish":{"channel":"a:b","data":1,"tags":{"k":"v"}}},{"info":{}},
            {"broadcast":{"channels":["a:c"],"data":1}}]}
            """#
        )
        let both = traced.merging(["k": "v"]) { $1 }
        expectEqual(tags(batch.traced(by: trace)), [both, traced])
    }

    @Test func tagOfAPublicationIsMoreThanTheHeaderOfItsRequest() throws {
        let body = #"{"channel":"a:b","data":1,"tags":{"traceparent":"\#(other)"}}"#
        let one = try request(.publish, body).traced(by: TraceParent(header))
        expectEqual(tags(one), [["traceparent": other]])
    }

    @Test(arguments: ["", "1", String(header.dropLast()), header + "-", header.uppercased()])
    func tagThatIsNoTraceIsRefused(text: String) throws {
        let body = #"{"channel":"a:b","data":1,"tags":{"traceparent":"\#(text)"}}"#
        #expect(throws: ServerAPIRequestError.self) { try request(.publish, body) }
    }

    /// The limit is for the tags of the request.
    @Test func headerAddsATagToAsManyAsThereMayBe() throws {
        let limit = ServerAPILimits().tagsMax
        let many = (0..<limit).map { #""t\#($0)":"v""# }.joined(separator: ",")
        let body = #"{"channel":"a:b","data":1,"tags":{\#(many)}}"#
        let one = try request(.publish, body).traced(by: TraceParent(header))
        expectEqual(tags(one).first??.count, limit + 1)
    }
}

@Suite("Traces of publications: streams", .timeLimit(.minutes(10)))
struct TracedPublicationTests {
    private func publication(
        _ payload: String,
        trace: String? = header,
        info: ClientInfo? = nil
    ) -> Publication {
        Publication(
            topic: Topic(trusted: "a:b"),
            offset: 1,
            cursor: 2,
            time: Timestamp(milliseconds: 0),
            payload: Array(payload.utf8),
            tags: trace.map { ["traceparent": $0] } ?? [:],
            info: info
        )
    }

    private func traces(inCloudEventOf publication: Publication) throws -> [String?] {
        var bytes: [UInt8] = []
        CloudEventsEncoder.appendPublication(publication, epoch: "e", to: &bytes)
        return try JSONReader.fields(of: bytes[...]).filter { $0.key == "traceparent" }
            .map { JSONReader.string($0.value) }
    }

    private func event(_ publication: Publication) -> String {
        String(decoding: EventStreamEncoder.publication(publication), as: UTF8.self)
    }

    private static let cloudEvent = #"{"specversion":"1.0","id":"1","type":"t","source":"/s"}"#
    private static let ownTrace =
        #"{"specversion":"1.0","id":"1","type":"t","source":"/s","traceparent":"\#(other)"}"#

    @Test func cloudEventHasTheTraceOfItsPublicationOnce() throws {
        for payload in ["1", #"{"traceparent":1}"#, Self.cloudEvent] {
            try expectEqual(traces(inCloudEventOf: publication(payload)), [header], "\(payload)")
            try expectEqual(traces(inCloudEventOf: publication(payload, trace: nil)), [])
            try expectEqual(traces(inCloudEventOf: publication(payload, trace: "x")), [])
        }
        try expectEqual(traces(inCloudEventOf: publication(Self.ownTrace)), [other])
        try expectEqual(traces(inCloudEventOf: publication(Self.ownTrace, trace: nil)), [other])
    }

    @Test func eventStreamHasTheTraceOfAPublishedCloudEvent() {
        let traced =
            #"{"specversion":"1.0","traceparent":"\#(header)","id":"1","type":"t","source":"/s"}"#
        expect(event(publication(Self.cloudEvent)).contains("data: \(traced)\n"))
        for (payload, trace) in [
            (Self.cloudEvent, nil), (Self.cloudEvent, "x"), (Self.ownTrace, header), ("1", header),
            (#"{"n":1}"#, header),
        ] {
            let text = event(publication(payload, trace: trace))
            expect(text.contains("data: \(payload)\n"), "\(text)")
        }
    }

    /// Clients have no tags; if they had, their payload would still be data.
    @Test func publicationOfAClientHasNoTrace() throws {
        let info = ClientInfo(user: "u", client: "c")
        try expectEqual(traces(inCloudEventOf: publication(Self.cloudEvent, info: info)), [])
        expect(
            event(publication(Self.cloudEvent, info: info)).contains("data: \(Self.cloudEvent)\n")
        )
    }
}
