import Base

/// A report as JSON; loadtest/README.md says what stands in it.
extension Report {
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("scenario", scenario)
            writer.object("settings") { writer in
                for setting in settings { writer.field(setting.name, setting.value) }
            }
            Report.write("figures", figures, &writer)
            writer.object("latencies") { writer in
                for latency in latencies {
                    writer.object(latency.name) { Report.write(latency.summary, &$0) }
                }
            }
            writer.array("samples") { writer in
                for sample in samples {
                    writer.object { writer in
                        writer.field("seconds", sample.seconds)
                        Report.write("figures", sample.figures, &writer)
                    }
                }
            }
            writer.array("problems") { writer in
                for problem in problems { writer.value(problem) }
            }
        }
        return writer.bytes
    }

    private static func write(
        _ key: String,
        _ figures: [Figure],
        _ writer: inout JSONWriter
    ) {
        writer.object(key) { writer in
            for figure in figures {
                writer.object(figure.name) {
                    $0.field("value", figure.value)
                    $0.field("unit", figure.unit)
                }
            }
        }
    }

    private static func write(_ summary: LatencySummary, _ writer: inout JSONWriter) {
        writer.field("count", summary.count)
        writer.field("mean_ns", summary.mean)
        writer.field("max_ns", summary.max)
        for percentile in percentiles {
            writer.field("\(percentile.name)_ns", summary.nanoseconds(at: percentile.value))
        }
        writer.array("curve") { writer in
            for point in summary.curve {
                writer.array {
                    $0.value(point.percentile)
                    $0.value(point.nanoseconds)
                }
            }
        }
    }
}
