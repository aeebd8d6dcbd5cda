import Expectations
import HubTesting
import LoopTesting

@testable import Hub

@Suite("Routes that change", .timeLimit(.minutes(10)))
struct ServedRoutesTests {
    private func responder(_ add: (inout Routes) -> Void) -> RouteResponder {
        var routes = Routes()
        add(&routes)
        return RouteResponder(routes: routes, logger: silentLogger)
    }

    private func request(_ path: String) -> ServerRequest {
        ServerRequest(head: HTTPRequestHead(target: path), body: [], peer: nil)
    }

    @Test func requestInProgressIsAwaitedAndALaterOneIsNot() async throws {
        let (came, coming) = AsyncStream<Void>.makeStream()
        let gate = ScriptedServer.Gate()
        let former = responder {
            $0.get("/slow") { _ in
                coming.yield()
                await gate.wait()
                return ServerResponse(status: 200, text: "former")
            }
        }
        let routes = ServedRoutes(former)
        let slow = Task { await routes.respond(to: request("/slow")) }
        _ = await came.next(1)
        routes.use(responder { $0.standIn(forLeader: RoutePrefixes(.plain, "/slow")) })
        // It found the former routes.
        await expectEqual(routes.respond(to: request("/slow")).head.status, 503)
        let isOver = Locked(false)
        let end = Task {
            await routes.formerRequestsEnd()
            isOver.withLock { $0 = true }
        }
        expect(!isOver.withLock { $0 })
        gate.open()
        await expectEqual(slow.value.head.status, 200)
        await end.value
        await routes.formerRequestsEnd()
    }

    @Test(arguments: [
        ("/api/radars", 503), ("/api/radars/1/nothing", 503), ("//api/radars/1", 503),
        ("/api/radarss", 404), ("/api", 404), ("/nowhere", 404), ("/livez", 200),
    ])
    func pathsOfTheLeaderAndNoOthersAreUnavailable(path: String, status: Int) async {
        let routes = responder {
            $0.get("/livez", answer: answering("alive"))
            $0.standIn(forLeader: RoutePrefixes(.messageAndCode, "/api/radars"))
        }
        let response = await routes.respond(to: request(path))
        expectEqual(response.head.status, status)
        guard status == 503 else { return }
        expectEqual(response.head.headers.first("Retry-After"), "1")
        let body = String(decoding: response.body, as: UTF8.self)
        expectEqual(
            body,
            #"{"message":"this node does not lead the cluster; try again, or ask another "#
                + #"node","code":"UNAVAILABLE"}"#
        )
    }
}
