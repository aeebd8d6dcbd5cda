import Glibc

/// The memory and the processor time that the process uses.
package struct ProcessUsage: Sendable {
    /// In user space and in the kernel, since the start of the process.
    package var processorTime: Duration
    /// Resident bytes; nil if the system does not report them.
    package var memory: UInt64?

    package static var now: ProcessUsage {
        ProcessUsage(
            processorTime: processorTime,
            memory: residentPages().map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) }
        )
    }

    private static var processorTime: Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Duration(usage.ru_utime) + Duration(usage.ru_stime)
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

extension Duration {
    fileprivate init(_ time: timeval) {
        self = .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
