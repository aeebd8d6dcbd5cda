import Core
import Expectations

private let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

@Suite("Traces of webhook messages", .timeLimit(.minutes(10)))
struct WebhookTraceTests {
    private func trace(_ body: String) -> String? {
        webhookTrace(of: Array(body.utf8))?.description
    }

    private func added(_ payload: String) -> String {
        let trace = TraceParent(header)!
        return String(decoding: trace.added(toCloudEvent: Array(payload.utf8)), as: UTF8.self)
    }

    @Test func traceIsAnAttributeOfTheBody() {
        expectEqual(trace(#"{"specversion":"1.0","traceparent":"\#(header)","data":1}"#), header)
        for body in [
            "", "1", "{}", #"{"data":{"traceparent":"\#(header)"}}"#, #"{"traceparent":1}"#,
            #"{"traceparent":"x"}"#, #"{"traceparent":"\#(header)""#,
        ] {
            expectNil(trace(body), "\(body)")
        }
    }

    @Test func traceIsAddedBehindTheFirstAttribute() {
        expectEqual(
            added(#" { "specversion" : "1.0" , "id":"1"}"#),
            #" { "specversion" : "1.0","traceparent":"\#(header)" , "id":"1"}"#
        )
        expectEqual(added(#"{"a":[1]}"#), #"{"a":[1],"traceparent":"\#(header)"}"#)
    }

    @Test(arguments: ["", "1", "{}", "{", #"{"specversion":"1.0","traceparent":"x"}"#])
    func payloadWithoutAPlaceForItStaysAsItIs(payload: String) {
        expectEqual(added(payload), payload)
    }

    @Test func headerIsSentOnlyWithATrace() {
        func headers(_ trace: TraceParent?) -> [String] {
            deliveryHeaders(
                id: "m",
                body: [],
                secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
                now: evening,
                userAgent: "varde",
                trace: trace
            ).filter { $0.name == "traceparent" }.map(\.value)
        }
        expectEqual(headers(nil), [])
        expectEqual(headers(TraceParent(header)), [header])
    }
}
