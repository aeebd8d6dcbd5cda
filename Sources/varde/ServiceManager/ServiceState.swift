import Base

/// A state of the process that is reported to a service manager, in the format of sd_notify(3).
enum ServiceState: Equatable {
    case ready(status: String)
    case reloading(monotonicMicroseconds: UInt64)
    /// All event loops respond.
    case alive
    case stopping

    private static let statusBytesMax = 512

    /// The datagram.
    var text: String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(Self.line(status))\n"
        case .reloading(let time):
            "RELOADING=1\nMONOTONIC_USEC=\(time)\nSTATUS=reading the configuration\n"
        case .alive: "WATCHDOG=1\n"
        case .stopping: "STOPPING=1\nSTATUS=closing connections\n"
        }
    }

    /// Returns a text without line breaks, so that it adds no line to the datagram.
    private static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < statusBytesMax else { break }
            line.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar)
        }
        return line
    }
}

/// The interval at which a service manager expects reports that the process is alive
/// (sd_watchdog_enabled(3)).
struct WatchdogInterval: Equatable {
    /// Half of the manager's timeout, as systemd recommends.
    let pause: Duration

    /// Nil if the environment requests no reports, or requests them from another process.
    init?(_ environment: [String: String], process: Int32) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
            microseconds > 1
        else { return nil }
        if let target = environment["WATCHDOG_PID"], Int32(target) != process { return nil }
        pause = .microseconds(microseconds / 2)
    }
}
