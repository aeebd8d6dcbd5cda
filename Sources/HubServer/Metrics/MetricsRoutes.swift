import Hummingbird
import NIOCore
import Store

/// `/metrics` for Prometheus.
struct MetricsRoutes: Sendable {
    let board: MetricsBoard
    let health: HealthBoard
    let store: HubStore
    let clock: HubClock

    func add(to router: Router<HubRequestContext>) {
        router.get("/metrics") { _, _ in
            let text = MetricsText(await board.snapshot(store, health, clock))
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
