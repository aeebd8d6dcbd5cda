import Hummingbird
import Locking
import NIOCore
import Reactor

/// Collects a route's response body; the shard sends it whole.
struct CollectingWriter: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
