import Foundation
import UnixSignals

/// Ctrl-C and a service manager's SIGTERM. From here on the first one ends nothing by itself; the second one
/// ends the process at once.
struct Interruption {
    private let first: AsyncStream<String>

    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let (first, continuation) = AsyncStream<String>.makeStream()
        self.first = first
        Task {
            var count = 0
            for await signal in signals {
                count += 1
                guard count == 1 else { Foundation.exit(130) }
                continuation.yield(signal == .sigint ? "SIGINT" : "SIGTERM")
            }
        }
    }

    /// Waits for the first signal and returns its name.
    func wait() async -> String {
        for await name in first { return name }
        return "none"
    }
}
