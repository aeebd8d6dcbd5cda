/// The routes that requests receive at present. They change when a hub begins or ends to lead.
///
/// A request is answered by the routes that it found when it came. `formerRequestsEnd` waits for
/// the requests that found former routes.
final class ServedRoutes: Sendable {
    private struct State {
        var responder: RouteResponder
        var generation = 0
        /// The number of requests in progress with the current routes, and with all former ones.
        var current = 0
        var former = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ responder: RouteResponder) { state = Locked(State(responder: responder)) }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let (responder, generation) = state.withLock { state in
            state.current += 1
            return (state.responder, state.generation)
        }
        let response = await responder.respond(to: request)
        end(generation)
        return response
    }

    /// Answers requests with other routes from now on.
    func use(_ responder: RouteResponder) {
        state.withLock { state in
            state.responder = responder
            state.generation += 1
            state.former += state.current
            state.current = 0
        }
    }

    /// Returns when no request with former routes is in progress.
    func formerRequestsEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.former > 0 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func end(_ generation: Int) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard generation != state.generation else {
                state.current -= 1
                return []
            }
            state.former -= 1
            guard state.former == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
