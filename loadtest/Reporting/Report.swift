/// What a scenario has found out, before it is written anywhere.
struct Report: Equatable, Sendable {
    /// One number with its name, `server_cpu_per_delivery`, and its unit, `us`.
    struct Figure: Equatable, Sendable {
        var name: String
        var value: Double
        var unit: String
    }

    /// What was asked for, in the words of the command line.
    struct Setting: Equatable, Sendable {
        var name: String
        var value: String
    }

    struct Latency: Equatable, Sendable {
        var name: String
        var summary: LatencySummary
    }

    /// A row of what changes while a run lasts.
    struct Sample: Equatable, Sendable {
        /// Since the start of the measurement.
        var seconds: Double
        var figures: [Figure]
    }

    var scenario: String
    var settings: [Setting] = []
    var figures: [Figure] = []
    var latencies: [Latency] = []
    var samples: [Sample] = []
    /// What should not have happened. A run with any has failed.
    var problems: [String] = []

    init(scenario: String) {
        self.scenario = scenario
    }

    mutating func add(_ name: String, _ value: Double?, _ unit: String) {
        guard let value, value.isFinite else { return }
        figures.append(Figure(name: name, value: value, unit: unit))
    }

    mutating func add(_ name: String, _ value: Int, _ unit: String) {
        add(name, Double(value), unit)
    }

    mutating func add(_ name: String, _ latencies: LatencyRecorder) {
        guard !latencies.isEmpty else { return }
        self.latencies.append(Latency(name: name, summary: latencies.summary))
    }

    /// What the server used in a window, in all and for each of `count` units of work.
    mutating func add(_ window: UsageWindow, per unit: String, count: Int) {
        add("measured", window.seconds, "s")
        if let cpu = window.serverCPU {
            add("server_cpu", cpu / 1e9 / window.seconds * 100, "%")
            if count > 0 { add("server_cpu_per_\(unit)", cpu / 1e3 / Double(count), "us") }
        }
        add("server_resident", window.end.map { Double($0.resident) / 1_048_576 }, "MiB")
        add("server_resident_growth", window.residentGrowth.map { $0 / 1_048_576 }, "MiB")
        add("generator_cpu", window.generatorLoad * 100, "%")
    }
}
