import Glibc
import Reactor

/// What the processes of the server have used so far, summed.
struct ProcessUsage: Equatable, Sendable {
    /// Of all threads, those that have ended too; in nanoseconds.
    var cpu: UInt64 = 0
    /// In bytes.
    var resident: UInt64 = 0
    /// The part of it that belongs to no file, in bytes.
    var anonymous: UInt64 = 0

    static func + (left: ProcessUsage, right: ProcessUsage) -> ProcessUsage {
        ProcessUsage(
            cpu: left.cpu + right.cpu,
            resident: left.resident + right.resident,
            anonymous: left.anonymous + right.anonymous
        )
    }

    /// What the kernel says now; nil when one of the processes is gone.
    ///
    /// The processor's clock of a process counts to the nanosecond where `/proc/pid/stat` counts hundredths of a
    /// second, and `smaps_rollup` walks the pages where `statm` may be off by some hundred kilobytes a
    /// processor: much for 18,000 connections.
    static func read(_ pids: [Int32]) -> ProcessUsage? {
        var sum = ProcessUsage()
        for pid in pids {
            guard let cpu = cpu(of: pid), let memory = memory(of: pid) else { return nil }
            sum = sum + memory
            sum.cpu += cpu
        }
        return sum
    }

    /// The processor time of this process itself.
    static var own: UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) ?? 0 }

    private static func cpu(of pid: Int32) -> UInt64? {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else { return nil }
        return nanoseconds(clock)
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func memory(of pid: Int32) -> ProcessUsage? {
        if let text = contents(of: "/proc/\(pid)/smaps_rollup"),
            let resident = kilobytes("Rss", in: text),
            let anonymous = kilobytes("Anonymous", in: text)
        {
            return ProcessUsage(resident: resident << 10, anonymous: anonymous << 10)
        }
        // Another user's process shows only this.
        guard let text = contents(of: "/proc/\(pid)/status"),
            let resident = kilobytes("VmRSS", in: text),
            let anonymous = kilobytes("RssAnon", in: text)
        else { return nil }
        return ProcessUsage(resident: resident << 10, anonymous: anonymous << 10)
    }

    /// The value of a line like `Rss:      1234 kB`; nil when there is none.
    static func kilobytes(_ name: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 3, words[2] == "kB" else { return nil }
            return UInt64(words[1])
        }
        return nil
    }

    private static func contents(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

/// What a server used in a span of time.
struct UsageWindow: Equatable, Sendable {
    let pids: [Int32]
    private(set) var start: ProcessUsage?
    private(set) var end: ProcessUsage?
    private(set) var startedAt = MonotonicInstant.now
    private(set) var endedAt = MonotonicInstant.now
    private var ownStart: UInt64 = 0
    private var ownEnd: UInt64 = 0

    init(pids: [Int32]) {
        self.pids = pids
    }

    mutating func open() {
        start = pids.isEmpty ? nil : ProcessUsage.read(pids)
        ownStart = ProcessUsage.own
        startedAt = .now
    }

    mutating func close() {
        endedAt = .now
        ownEnd = ProcessUsage.own
        end = pids.isEmpty ? nil : ProcessUsage.read(pids)
    }

    var seconds: Double { Double(endedAt.nanoseconds - startedAt.nanoseconds) / 1e9 }

    /// Nanoseconds of the server's processor time in the window; nil without pids, or when one has ended.
    var serverCPU: Double? {
        guard let start, let end else { return nil }
        return Double(end.cpu) - Double(start.cpu)
    }

    /// The part of one processor that the generator itself was busy: near 1 it is the bottleneck.
    var generatorLoad: Double { seconds > 0 ? Double(ownEnd - ownStart) / 1e9 / seconds : 0 }

    /// Bytes that the server has gained.
    var residentGrowth: Double? { difference(\.resident) }
    var anonymousGrowth: Double? { difference(\.anonymous) }

    private func difference(_ value: KeyPath<ProcessUsage, UInt64>) -> Double? {
        guard let start, let end else { return nil }
        return Double(end[keyPath: value]) - Double(start[keyPath: value])
    }
}
