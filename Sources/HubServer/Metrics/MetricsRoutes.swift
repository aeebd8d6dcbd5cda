import Hummingbird
import Locking
import NIOCore
import Store

/// The loops whose counters are told; set when they run, after the routes were made.
package final class MetricsBoard: Sendable {
    private let shards = Locked<[Shard]>([])

    package init() {}

    func set(_ shards: [Shard]) {
        self.shards.withLock { $0 = shards }
    }

    func counters() async -> [ShardCounters] {
        var counters: [ShardCounters] = []
        for shard in shards.withLock({ $0 }) { counters.append(await shard.snapshot()) }
        return counters
    }
}

/// `/metrics` for Prometheus.
struct MetricsRoutes: Sendable {
    let board: MetricsBoard
    let store: HubStore
    let version: String

    func add(to router: Router<HubRequestContext>) {
        router.get("/metrics") { _, _ in
            let text = MetricsText(
                shards: await board.counters(),
                store: store.statistics,
                version: version
            )
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/plain; version=0.0.4; charset=utf-8",
                    .cacheControl: "no-store",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text.text))
            )
        }
    }
}
