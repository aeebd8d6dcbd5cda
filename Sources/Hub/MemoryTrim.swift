import CLinux

/// Returns memory to the system after many connections have closed.
///
/// The memory of thousands of connections' queues and handshakes is free then, but lies between
/// blocks that are still in use, and glibc by itself returns only the end of its heap. Trimming
/// takes tens of milliseconds in which other threads may wait for memory, so it happens only after
/// a large fall.
struct MemoryTrim {
    /// The minimum number of closed connections since the last trim; fewer free too little memory.
    static let fallMin = 500
    static let interval = Duration.seconds(5)

    private var peak = 0

    /// Whether memory should be returned now.
    ///
    /// - Parameter counted: the maximum number of connections since the last call, and the current
    ///   one.
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
            logger.debug(
                "memory given back",
                metadata: ["connections": .stringConvertible(census.count)]
            )
        }
    }
}
