import Dispatch
import Glibc

/// A signal that ends nothing by itself any more, but calls a handler. libdispatch takes it from a signalfd.
final class SignalSource: Sendable {
    private let source: DispatchSource

    /// - Parameter handler: runs on `queue`.
    init(
        _ signal: Int32,
        on queue: DispatchQueue,
        handler: @escaping @Sendable () -> Void
    ) async {
        // The one class of all sources; its protocols do not say that it is Sendable.
        source = DispatchSource.makeSignalSource(signal: signal, queue: queue) as! DispatchSource
        source.setEventHandler(handler: handler)
        // A signal that comes before that would have its usual effect.
        await withCheckedContinuation { registered in
            source.setRegistrationHandler { registered.resume() }
            source.resume()
        }
    }

    deinit {
        source.cancel()
    }
}

/// The hangups (SIGHUP) that the process gets, one element for any number that come while nobody looks.
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
