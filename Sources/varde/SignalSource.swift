import Dispatch
import Glibc

/// Replaces the default action of a signal with a handler. libdispatch receives the signal from a
/// signalfd.
final class SignalSource: Sendable {
    private let source: DispatchSource

    /// - Parameter handler: runs on `queue`.
    init(
        _ signal: Int32,
        on queue: DispatchQueue,
        handler: @escaping @Sendable () -> Void
    ) async {
        // The only class of sources; its protocols do not declare it Sendable.
        source = DispatchSource.makeSignalSource(signal: signal, queue: queue) as! DispatchSource
        source.setEventHandler(handler: handler)
        // Until the registration, a signal would have its usual effect.
        await withCheckedContinuation { registered in
            source.setRegistrationHandler { registered.resume() }
            source.resume()
        }
    }

    deinit {
        source.cancel()
    }
}

/// The hangups (SIGHUP) that the process receives. Several that arrive before the stream is read
/// are one element.
final class Hangups: Sendable {
    let stream: AsyncStream<Void>
    private let source: SignalSource

    init() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        self.stream = stream
        source = await SignalSource(SIGHUP, on: DispatchQueue(label: "varde.hangups")) {
            continuation.yield()
        }
    }
}
