import Expectations

@testable import Wire

@Suite("Routes: what can never work", .timeLimit(.minutes(10)))
struct RegistrationTests {
    @Test(arguments: [
        "", "a", "a/b", "//", "/a/", "/a//b", "//a", "/:", "/a/:/b", "/:a/:a", "/:a/b/:a", "/a b",
        "/a%20b", "/*", "/**", "/{id}", "/a?b", "/a#b", "/:a-b", "/:a.b", "/:a:b", "/a:b", "/å",
        "/:å", "/a%2Fb", "/:a%2Fb",
    ])
    func textThatIsNoPatternTraps(pattern: String) async {
        await #expect(processExitsWith: .failure) { [pattern] in
            var table = RouteTable<String>()
            table.add(.get, pattern, "")
        }
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/a"), ("/a/:b", "/a/:b"), ("/a/:b/c", "/a/:b/c"),
        ("/a/:b", "/a/:c"), ("/a/:b", "/a/:c/d"), ("/a/:b/c", "/a/:B/d"),
    ])
    func patternsThatCollideTrap(first: String, second: String) async {
        await #expect(processExitsWith: .failure) { [first, second] in
            var table = RouteTable<String>()
            table.add(.get, first, "")
            table.add(.get, second, "")
        }
    }

    @Test func nameThatThePatternDoesNotHaveTraps() async {
        await #expect(processExitsWith: .failure) {
            let table = RouteTable(routes: [(.get, "/:a"), (.get, "/:a/:b")])
            guard case .endpoint(_, let parameters) = table.match(method: "GET", path: "/1") else {
                return
            }
            _ = parameters["b"]
        }
    }

    @Test func patternsThatDifferGoTogether() {
        let table = RouteTable(routes: [
            (.get, "/"), (.post, "/"), (.get, "/a"), (.get, "/a/:b"), (.put, "/a/:b"),
            (.get, "/a/b/:c"), (.get, "/b/:c"), (.get, "/a/:b/:c"), (.get, "/A"),
            (.get, "/.../-_~"),
        ])
        expectEqual(table.routes.count, 10)
        expectEqual(table.outcome("GET", "/.../-_~"), "GET /.../-_~")
    }

    @Test func patternIsReadSegmentBySegment() {
        expectEqual(RoutePattern("/").segments, [])
        expectEqual(
            RoutePattern("/a/:b_1/~.-_").segments,
            [
                .literal("a"), .parameter("b_1"), .literal("~.-_"),
            ]
        )
    }
}
