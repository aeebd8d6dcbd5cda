import Glibc
import Metrics

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
        guard let pages = MetricsText.residentPages() else { return }
        metric(
            "process_resident_memory_bytes",
            .gauge,
            "Memory of the process that is in use.",
            pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        )
    }

    /// Returns the number of resident pages, the second number of /proc/self/statm.
    private static func residentPages() -> UInt64? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? UInt64(numbers[1]) : nil
    }
}
