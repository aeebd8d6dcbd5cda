import Expectations
import HubTesting
import LoopTesting
import Service

@testable import API

@Suite("Why: GET /debug/why", .timeLimit(.minutes(10)))
struct WhyRouteTests {
    private func ask(_ target: String, key: String? = ServerAPIFixture.key) async -> ServerResponse?
    {
        var headers: HTTPHeaders = [:]
        if let key { headers.append("X-API-Key", key) }
        return await ServerAPIFixture().respond(target, method: "GET", headers: headers)
    }

    @Test func questionIsAnsweredAsJSON() async {
        let response = await ask("/debug/why?client=c1&topic=news:a&offset=7")
        expectEqual(response?.head.status, 200)
        expectEqual(response?.head.headers.first("Content-Type"), "application/json")
        expectEqual(response?.head.headers.first("Cache-Control"), "no-store")
        expectEqual(response?.text, #"{"client":"c1","topic":"news:a","offset":7}"#)
    }

    @Test(arguments: [
        ("/debug/why", "client is missing"), ("/debug/why?client=", "client is missing"),
        ("/debug/why?client=c", "topic is missing"),
        ("/debug/why?client=c&topic=", "topic is empty"),
        ("/debug/why?client=c&topic=a", "offset is not a number"),
        ("/debug/why?client=c&topic=a&offset=0", "offset is not a number"),
        ("/debug/why?client=c&topic=a&offset=-1", "offset is not a number"),
    ])
    func questionThatIsNoneIsToldWhy(target: String, reason: String) async {
        let response = await ask(target)
        expectEqual(response?.head.status, 400)
        expectEqual(response?.text.hasPrefix(reason), true)
    }

    @Test(arguments: [nil, "", "another-key-of-some-length"])
    func nobodyIsAnsweredWithoutAKey(key: String?) async {
        let response = await ask("/debug/why?client=c&topic=a&offset=1", key: key)
        expectEqual(response?.head.status, 401)
    }

    @Test func otherMethodsAreRefused() async {
        let response = await ServerAPIFixture().respond(
            "/debug/why?client=c&topic=a&offset=1",
            method: "POST",
            headers: ServerAPIFixture.headers
        )
        expectEqual(response?.head.status, 405)
        expectEqual(response?.head.headers.first("Allow"), "GET, HEAD, OPTIONS")
    }
}
