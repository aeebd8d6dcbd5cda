import Foundation
import UnixSignals

/// Waits for Ctrl-C or a service manager's SIGTERM; a second signal then ends the process at once.
@discardableResult
func untilInterrupted() async -> String {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    for await signal in signals {
        Task {
            let further = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            for await _ in further { Foundation.exit(130) }
        }
        return signal == .sigint ? "SIGINT" : "SIGTERM"
    }
    return "none"
}
