import Testing

@testable import HubServer
@testable import Store

@Suite("Metrics")
struct MetricsTextTests {
    @Test func metricHasItsHelpItsTypeAndASampleForEachLabel() {
        var text = MetricsText()
        text.metric("a_total", .counter, "What it is.", [([("b", "x"), ("c", "y")], 1), ([], 2)])
        #expect(
            text.text == """
                # HELP a_total What it is.
                # TYPE a_total counter
                a_total{b="x",c="y"} 1
                a_total 2

                """
        )
    }

    @Test func labelIsEscaped() {
        var text = MetricsText()
        text.metric("a", .gauge, "A.", [([("b", "\"\\\n")], 1)])
        #expect(text.text.contains(#"a{b="\"\\\n"} 1"#))
    }

    @Test func loopsAreAddedUp() {
        var one = ShardCounters()
        one.open.webSocket = 2
        one.bounds[.queueBytes] = 1
        one.connections.bytesSent = 10
        var other = ShardCounters()
        other.open.webSocket = 3
        other.open.http = 1
        other.bounds[.queueBytes] = 4
        other.connections.bytesSent = 5
        let text = MetricsText(shards: [one, other], store: StoreStatistics(), version: "1").text
        let lines = text.split(separator: "\n")
        #expect(lines.contains(#"varde_connections{transport="websocket"} 5"#))
        #expect(lines.contains(#"varde_connections{transport="http"} 1"#))
        #expect(lines.contains(#"varde_limits_reached_total{limit="limits.queue_bytes"} 5"#))
        #expect(lines.contains("varde_bytes_sent_total 15"))
        #expect(lines.contains(#"varde_build_info{version="1"} 1"#))
    }

    @Test func everyNameStandsOnceWithHelpAndType() {
        let text = MetricsText(shards: [], store: StoreStatistics(), version: "1").text
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
            .map { $0.split(separator: " ")[2] }
        #expect(Set(types).count == types.count)
        #expect(types.count >= 15)
    }
}
