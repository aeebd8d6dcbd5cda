import Dispatch

/// Runs a function on a queue at an interval, from now on until `stop`.
///
/// `@unchecked Sendable`: the timer is only used by `init` and `stop`.
final class QueueTimer: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(on queue: DispatchQueue, every interval: Duration, _ body: @escaping () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval.inSeconds, repeating: interval.inSeconds)
        timer.setEventHandler(handler: body)
        timer.resume()
    }

    deinit { stop() }

    func stop() { timer.cancel() }
}
