import HTTPService
import HTTPWire
import Metrics
import Polling
import Store
import Tasks

/// `/metrics` for Prometheus.
struct MetricsRoutes: Sendable {
    let board: MetricsBoard
    let health: HealthBoard
    let store: HubStore
    let clock: HubClock
    /// The page is open to every client, and each loop looks at all of its connections for it.
    private let shared = SharedAnswer<String>()

    init(board: MetricsBoard, health: HealthBoard, store: HubStore, clock: HubClock) {
        self.board = board
        self.health = health
        self.store = store
        self.clock = clock
    }

    func add(to routes: inout Routes) {
        routes.get("/metrics") { _ in
            let text = await shared.value {
                MetricsText(await board.snapshot(store, health, clock)).text
            }
            let headers: HTTPHeaders = [
                "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
                "Cache-Control": "no-store",
            ]
            return ServerResponse(
                head: HTTPResponseHead(status: 200, headers: headers),
                body: Array(text.utf8)
            )
        }
    }
}
