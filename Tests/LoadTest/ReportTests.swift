import Base
import Expectations

@testable import varde_load

@Suite("Report: tables, JSON, samples", .timeLimit(.minutes(10)))
struct ReportTests {
    private func report() -> Report {
        var report = Report(scenario: "fanout")
        report.settings = [.init(name: "command", value: "varde-load \"fanout\"")]
        report.add("delivered", 2000, "messages")
        report.add("left_out", nil, "s")
        report.add("not_a_number", Double.nan, "s")
        report.latencies = [
            .init(
                name: "latency",
                summary: LatencySummary(
                    count: 3,
                    mean: 2_000_000,
                    max: 3_000_000,
                    curve: [
                        .init(percentile: 50, nanoseconds: 2_000_000),
                        .init(percentile: 100, nanoseconds: 3_000_000),
                    ]
                )
            )
        ]
        report.samples = [
            .init(seconds: 1, figures: [.init(name: "p50", value: 0.25, unit: "ms")])
        ]
        return report
    }

    @Test func figuresThatAreNotKnownAreLeftOut() {
        expectEqual(report().figures.map(\.name), ["delivered"])
    }

    @Test func tableHasItsColumnsBelowEachOther() {
        expectEqual(
            report().text,
            """
            fanout
              command  varde-load "fanout"
              delivered  2000  messages
                       count   p50   p90   p99  p99.9  p99.99   max  mean
              latency      3  2 ms  3 ms  3 ms   3 ms    3 ms  3 ms  2 ms
              seconds  p50 ms
                    1   0.250

            """
        )
    }

    @Test func problemsAreToldAtTheTopAndAtTheEnd() {
        var report = report()
        report.problems = ["1 deliveries lost"]
        expect(report.text.hasPrefix("fanout: FAILED\n"))
        expect(report.text.hasSuffix("\nproblem: 1 deliveries lost\n"))
    }

    @Test func jsonHasEverything() throws {
        let fields = try JSONReader.fields(of: report().json[...])
        expectEqual(
            fields.map(\.key),
            [
                "scenario", "settings", "figures", "latencies", "samples", "problems",
            ]
        )
        let text = String(decoding: report().json, as: UTF8.self)
        expect(text.contains(#""delivered":{"value":2000"#))
        expect(text.contains(#""p99_ns":3000000"#))
        expect(text.contains(#""problems":[]"#))
    }

    @Test func curveComesBackFromJSON() {
        expectEqual(Report.firstCurve(json: report().json), report().latencies[0].summary.curve)
        expectNil(Report.firstCurve(json: Array("{}".utf8)))
        expectNil(Report.firstCurve(json: Array(#"{"latencies":{}}"#.utf8)))
        expectNil(Report.firstCurve(json: []))
    }

    @Test(arguments: [
        (0, "0"), (12, "12"), (-3, "-3"), (1234.5, "1235"), (123.4, "123"), (12.34, "12.3"),
        (1.234, "1.23"), (0.1234, "0.123"), (0.0004, "0.000"), (-0.5, "-0.500"),
    ])
    func numbersHaveThreeDigits(value: Double, text: String) {
        expectEqual(Report.number(value), text)
    }

    @Test(arguments: [
        (500, "0.500 us"), (12_340, "12.3 us"), (1_500_000, "1.50 ms"), (2_000_000_000, "2 s"),
    ])
    func timesHaveTheUnitThatReadsBest(nanoseconds: Double, text: String) {
        expectEqual(Report.time(nanoseconds), text)
    }
}

@Suite("Sample series: a long run in bounded memory", .timeLimit(.minutes(10)))
struct SampleSeriesTests {
    private func row(_ second: Double, _ memory: Double) -> Report.Sample {
        Report.Sample(
            seconds: second,
            figures: [.init(name: "server_resident", value: memory, unit: "MiB")]
        )
    }

    @Test func rowsPastTheLimitHalveTheSeries() {
        var series = SampleSeries(countMax: 4)
        for second in 1...4 { series.append(row(Double(second), 1)) }
        expectEqual(series.rows.map(\.seconds), [1, 2, 3, 4])
        expectEqual(series.stride, 1)
        series.append(row(5, 1))
        expectEqual(series.rows.map(\.seconds), [2, 4])
        expectEqual(series.stride, 2)
    }

    @Test func growthComparesTheHighestOfTheFirstAndTheLastQuarter() throws {
        var series = SampleSeries(countMax: 100)
        for (index, memory) in [90, 100, 300, 80, 80, 80, 105, 110].enumerated() {
            series.append(row(Double(index), Double(memory)))
        }
        let growth = try require(series.growth(of: "server_resident"))
        expect(abs(growth - 0.10) < 1e-9, "\(growth)")
        expectNil(series.growth(of: "other"))
    }

    @Test func fewRowsSayNothingOfGrowth() {
        var series = SampleSeries(countMax: 100)
        for index in 0..<7 { series.append(row(Double(index), Double(index + 1))) }
        expectNil(series.growth(of: "server_resident"))
    }
}
