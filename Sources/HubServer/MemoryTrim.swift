import CLinux
import Logging
import Reactor

/// Gives memory back to the system when a crowd has left.
///
/// What the queues and handshakes of thousands of connections held is free then, but lies between what is
/// still in use, and glibc gives back only the end of its heap by itself. To trim takes tens of
/// milliseconds in which other threads may wait for memory; so only after a large fall.
struct MemoryTrim {
    /// Connections that have gone since the last trim; fewer leave too little to be worth it.
    static let fallMin = 500
    static let interval = Duration.seconds(5)

    private var peak = 0

    /// Whether memory is to be given back now.
    ///
    /// - Parameter counted: the most connections since the last call, and those there are.
    mutating func isDue(_ counted: (peak: Int, count: Int)) -> Bool {
        peak = max(peak, counted.peak)
        guard peak - counted.count >= MemoryTrim.fallMin, counted.count <= peak / 2 else {
            return false
        }
        peak = counted.count
        return true
    }

    static func run(_ census: ConnectionCensus, _ logger: Logger) async {
        var trim = MemoryTrim()
        while (try? await Task.sleep(for: interval)) != nil {
            guard trim.isDue(census.takePeak()) else { continue }
            malloc_trim(0)
            logger.debug("memory given back", metadata: ["connections": "\(census.count)"])
        }
    }
}
