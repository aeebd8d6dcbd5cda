import Service

/// `/metrics` for Prometheus.
package struct MetricsRoutes: Sendable {
    private let registry: MetricsRegistry
    /// Shared by concurrent requests, since the page is open to all clients, and each loop visits
    /// all of its connections for it.
    private let shared = SharedAnswer<String>()

    package init(_ registry: MetricsRegistry) {
        self.registry = registry
    }

    package func add(to routes: inout Routes) {
        routes.get("/metrics") { _ in
            let text = await shared.value { await registry.text() }
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
