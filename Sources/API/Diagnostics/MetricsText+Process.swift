extension MetricsText {
    /// Writes the metrics of the process as a whole.
    package mutating func writeProcess(version: String, logLinesDropped: UInt64) {
        metric(
            "hub_build_info",
            .gauge,
            "The version that runs.",
            [([("version", version)], 1)]
        )
        metric(
            "hub_log_lines_dropped_total",
            .counter,
            "Log lines that standard error did not take.",
            logLinesDropped
        )
        guard let memory = ProcessUsage.now.memory else { return }
        metric(
            "process_resident_memory_bytes",
            .gauge,
            "Memory of the process that is in use.",
            memory
        )
    }
}
