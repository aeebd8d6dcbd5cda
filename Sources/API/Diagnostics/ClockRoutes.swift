import Service

/// `/api/clock`: the clock of the data, and the control of a recording's clock, for holders of an
/// API key with the scope `apps`. protocol/console.md, Clock.
package struct ClockRoutes: Sendable {
    private let clock: HubClock
    private let recording: ClockDocument.Recording?
    private let store: HubStore
    private let logger: Logger

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/clock")

    private static let scope = "apps"

    /// - Parameter recording: nil for the wall clock.
    package init(
        clock: HubClock,
        recording: ClockDocument.Recording?,
        store: HubStore,
        logger: Logger
    ) {
        self.clock = clock
        self.recording = recording
        self.store = store
        self.logger = logger
    }

    package func add(to routes: inout Routes) {
        let scope = RouteScope(ClockRoutes.scope)
        routes.backends(below: "/api/clock")
        routes.get("/api/clock", scope: scope) { answer(clock.reading, $0.grant) }
        routes.post("/api/clock", scope: scope) { request in
            await .answer(part: "clock", logger) { error in
                (error as? ClockRefusal).map { RouteRefusal($0).response }
            } _: {
                try await change(request)
            }
        }
        routes.errors(ClockRoutes.prefixes)
    }

    private func answer(_ reading: HubClock.Reading, _ grant: APIKeyGrant?) -> ServerResponse {
        let use = APIKeyGrant.Use(ClockRoutes.scope, changesSomething: true, namespaces: nil)
        let isPermitted = grant.map { $0.missingScope(for: use) == nil } ?? false
        let isControllable = clock.isRecording && isPermitted
        return ClockDocument(reading, recording, isControllable: isControllable).response
    }

    private func change(_ request: RouteRequest) async throws -> ServerResponse {
        // The reason that holds for every change, before faults of this one.
        guard clock.isRecording else { throw ClockRefusal.wallClock }
        let change = try ClockDocument.change(
            request.content(upTo: ClockDocument.bodyBytesMax)
        )
        try clock.check(change)
        // First, so that a hub that is killed meanwhile does not start before a time that it has
        // shown.
        if let time = change.time { _ = try await store.commit(Change(clock: time)) }
        let reading = try clock.change(change)
        logger.notice(
            "clock changed",
            metadata: [
                "key": "\(request.grant?.name ?? "")", "time": "\(reading.time.iso8601)",
                "speed": "\(reading.speed)", "paused": "\(reading.isPaused)",
            ]
        )
        return answer(reading, request.grant)
    }
}
