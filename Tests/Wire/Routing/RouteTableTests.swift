import Expectations

@testable import Wire

@Suite("Routes: methods and paths", .timeLimit(.minutes(10)))
struct RouteTableTests {
    /// Each endpoint is its method and pattern.
    private static let table = RouteTable(routes: [
        (.get, "/"), (.get, "/topics"), (.post, "/topics"), (.put, "/topics/:name"),
        (.delete, "/topics/:name"), (.get, "/topics/:name/history"), (.get, "/topics/all"),
        (.get, "/topics/all/new/now"), (.patch, "/a.b-c_d~1/:x_1/:Y/z"), (.post, "/Topics"),
    ])

    @Test(arguments: [
        ("GET", "/", "GET /"), ("GET", "", "GET /"), ("GET", "/topics", "GET /topics"),
        ("POST", "/topics", "POST /topics"), ("PUT", "/topics/a", "PUT /topics/:name name=a"),
        ("DELETE", "/topics/a", "DELETE /topics/:name name=a"),
        ("GET", "/topics/a:b/history", "GET /topics/:name/history name=a:b"),
        ("GET", "/topics/all", "GET /topics/all"), ("POST", "/Topics", "POST /Topics"),
        ("PATCH", "/a.b-c_d~1/1/2/z", "PATCH /a.b-c_d~1/:x_1/:Y/z x_1=1 Y=2"),
    ])
    func requestLeadsToItsEndpoint(method: String, path: String, endpoint: String) {
        expectEqual(Self.table.outcome(method, path), endpoint)
    }

    @Test(arguments: RouteMethod.allCases)
    func everyMethodHasAnEndpointOfItsOwn(method: RouteMethod) {
        let table = RouteTable(routes: RouteMethod.allCases.map { ($0, "/a/:b") })
        expectEqual(table.outcome(method.rawValue, "/a/1"), "\(method.rawValue) /a/:b b=1")
        expect(table.outcome(method.rawValue.lowercased(), "/a/1").hasPrefix("405"))
        let alone = RouteTable(routes: [(method, "/a")])
        for other in RouteMethod.allCases where other != method {
            expect(alone.outcome(other.rawValue, "/a").hasPrefix("405"))
        }
    }

    @Test(arguments: [
        "/topicss", "/topic", "/TOPICS", "/topics/a/other", "/topics/a/history/1", "/nowhere", "/a",
        "/topics/all/new", "/%74opics", "/top%69cs", "/topics%2Fall", "/*", "/:name", "/.",
        "/a.b-c_d~1/1/2", "/topics/a\u{0301}/histor\u{79}\u{0301}", "topic",
    ])
    func nothingIsAtOtherPaths(path: String) {
        for method in RouteMethod.allCases.map(\.rawValue) + ["HEAD", "OPTIONS", "TRACE"] {
            expectEqual(Self.table.outcome(method, path), "404")
        }
    }

    @Test(arguments: [
        "//topics", "/topics/", "/topics//", "///topics///", "topics", "topics/",
    ])
    func emptySegmentsMeanNothing(path: String) {
        expectEqual(Self.table.outcome("GET", path), "GET /topics")
        expectEqual(
            Self.table.outcome("GET", path + "/a//history/"),
            "GET /topics/:name/history name=a"
        )
        expectEqual(Self.table.outcome("GET", "//"), "GET /")
    }

    // MARK: Literals and parameters

    /// In whichever order they are added.
    @Test(arguments: [false, true])
    func literalGoesBeforeAParameterAndNothingIsTriedAgain(isReversed: Bool) {
        let routes: [(RouteMethod, String)] = [
            (.get, "/users/me"), (.get, "/users/:id"), (.delete, "/users/:id"),
            (.get, "/users/:id/films"), (.get, "/users/me/lists/new"),
        ]
        let table = RouteTable(routes: isReversed ? routes.reversed() : routes)
        expectEqual(table.outcome("GET", "/users/me"), "GET /users/me")
        expectEqual(table.outcome("GET", "/users/mE"), "GET /users/:id id=mE")
        expectEqual(table.outcome("GET", "/users/m%65"), "GET /users/:id id=me")
        expectEqual(table.outcome("DELETE", "/users/me"), "405 GET, HEAD, OPTIONS")
        expectEqual(table.outcome("GET", "/users/1/films"), "GET /users/:id/films id=1")
        expectEqual(table.outcome("GET", "/users/me/films"), "404")
        expectEqual(table.outcome("GET", "/users/me/lists"), "404")
        expectEqual(table.outcome("GET", "/users/1/lists/new"), "404")
    }

    // MARK: Decoding

    @Test(arguments: [
        ("%61", "a"), ("a%2Fb", "a/b"), ("%2F", "/"), ("%252F", "%2F"), ("a+b", "a+b"),
        ("%C3%A5", "å"), ("å", "å"), ("%20", " "), ("..", ".."), ("%2e", "."), ("%0A", "\n"),
        ("%3Fa%23", "?a#"), ("%7f", "\u{7F}"),
    ])
    func parameterIsDecodedOnce(segment: String, value: String) {
        expectEqual(
            Self.table.outcome("PUT", "/topics/" + segment),
            "PUT /topics/:name name=" + value
        )
    }

    /// Also C1 as the first byte of an overlong slash, a surrogate, and what is beyond Unicode.
    @Test(arguments: [
        "%", "%4", "%4g", "%g4", "a%", "%%41", "%00", "a%00b", "%FF", "%C3", "%A5", "%C0%AF",
        "%C1%81", "%E0%80%AF", "%F0%80%80%AF", "%ED%A0%80", "%F4%90%80%80", "%+1", "%-1",
    ])
    func brokenSegmentIsTheValueOfNoParameter(segment: String) {
        for method in ["PUT", "GET", "OPTIONS"] {
            expectEqual(Self.table.outcome(method, "/topics/" + segment), "404")
            expectEqual(Self.table.outcome(method, "/topics/\(segment)/history"), "404")
        }
    }

    @Test func parametersOfAnEarlierSegmentStayTheirs() {
        let table = RouteTable(routes: [(.get, "/:a/x/:b"), (.get, "/:a/:c/y")])
        expectEqual(table.outcome("GET", "/1/x/2"), "GET /:a/x/:b a=1 b=2")
        expectEqual(table.outcome("GET", "/1/2/y"), "GET /:a/:c/y a=1 c=2")
        expectEqual(table.outcome("GET", "/x/x/y"), "GET /:a/x/:b a=x b=y")
    }

    // MARK: Hostile paths

    @Test func longPathsAreAnsweredAtOnce() {
        let segments = String(repeating: "/a", count: 10_000)
        expectEqual(Self.table.outcome("GET", segments), "404")
        expectEqual(Self.table.outcome("GET", "/topics" + segments), "404")
        let empty = String(repeating: "/", count: 64 << 10)
        expectEqual(Self.table.outcome("GET", empty), "GET /")
        expectEqual(Self.table.outcome("GET", empty + "topics" + empty), "GET /topics")
        let long = String(repeating: "x", count: 64 << 10)
        expectEqual(Self.table.outcome("PUT", "/topics/" + long), "PUT /topics/:name name=" + long)
        expectEqual(Self.table.outcome("PUT", "/" + long), "404")
        let escaped = String(repeating: "%2F", count: 20_000)
        let slashes = String(repeating: "/", count: 20_000)
        expectEqual(
            Self.table.outcome("PUT", "/topics/" + escaped),
            "PUT /topics/:name name=" + slashes
        )
    }

    /// Ends in time only because what was decided is not tried again.
    @Test func patternsWithManyTurnsAreNoTrap() {
        var table = RouteTable<String>()
        for depth in 1...40 {
            let literals = String(repeating: "/a", count: depth)
            table.add(.get, literals + "/:p\(depth)", "")
        }
        table.add(.get, "/:p0" + String(repeating: "/a", count: 40), "")
        expectEqual(table.outcome("GET", String(repeating: "/a", count: 41) + "/b"), "404")
    }

    // MARK: The listing

    @Test func listingHasWhatWasAddedInOrder() {
        expect(RouteTable<String>().routes.isEmpty)
        let routes = Self.table.routes.map { "\($0.method.rawValue) \($0.pattern)" }
        expectEqual(
            routes,
            [
                "GET /", "GET /topics", "POST /topics", "PUT /topics/:name", "DELETE /topics/:name",
                "GET /topics/:name/history", "GET /topics/all", "GET /topics/all/new/now",
                "PATCH /a.b-c_d~1/:x_1/:Y/z", "POST /Topics",
            ]
        )
    }

    @Test func placesWithPatternsBelowThemAreKnown() {
        for literals in [[], ["topics"], ["topics", "all"], ["topics", "all", "new"]] {
            expect(Self.table.leads(below: literals.map { $0[...] }))
        }
        for literals in [["nowhere"], ["topics", "a"], ["topics", ":name"], ["all"], [""]] {
            expect(!Self.table.leads(below: literals.map { $0[...] }))
        }
    }

    @Test(arguments: [
        ("", []), ("/", []), ("///", []), ("/a", ["a"]), ("a", ["a"]), ("//a//b/", ["a", "b"]),
        ("/a%2Fb/å", ["a%2Fb", "å"]), ("*", ["*"]), ("/a b/\r\n", ["a b", "\r\n"]),
    ])
    func segmentsAreWhatIsBetweenSlashes(path: String, segments: [String]) {
        expectEqual(PathSegments(path).map(String.init), segments)
    }
}
