import Expectations

@testable import Wire

@Suite("RFC 9110 §9.3.2 HEAD, §9.3.7 OPTIONS, §10.2.1 Allow", .timeLimit(.minutes(10)))
struct AllowedMethodsTests {
    private static let table = RouteTable(routes: [
        (.get, "/"), (.get, "/topics"), (.post, "/topics"), (.put, "/topics/:name"),
        (.delete, "/topics/:name"), (.get, "/topics/:name/history"), (.get, "/topics/all"),
        (.get, "/topics/all/new/now"),
    ])

    @Test(arguments: [
        ("/", "GET, HEAD, OPTIONS"), ("/topics", "GET, HEAD, POST, OPTIONS"),
        ("/topics/", "GET, HEAD, POST, OPTIONS"), ("/topics/a:b", "PUT, DELETE, OPTIONS"),
        ("/topics/a/history", "GET, HEAD, OPTIONS"), ("", "GET, HEAD, OPTIONS"),
        ("/topics/all", "GET, HEAD, OPTIONS"), ("/topics/all/new/now", "GET, HEAD, OPTIONS"),
    ])
    func methodsAreThoseOfThePath(path: String, allowed: String) {
        expectEqual(Self.table.outcome("OPTIONS", path), "204 " + allowed)
        let methods = allowed.split(separator: ", ").map(String.init)
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "", "FIND"]
        {
            let outcome = Self.table.outcome(method, path)
            if methods.contains(method) {
                let own = method == "HEAD" ? "GET" : method
                expect(outcome.hasPrefix(own + " /"), "\(method)")
            } else {
                expectEqual(outcome, "405 " + allowed, "\(method)")
            }
        }
    }

    @Test func serverAsAWholeHasTheMethodsOfAllPaths() {
        let all = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
        expectEqual(Self.table.allowed, all)
        expectEqual(Self.table.outcome("OPTIONS", "*"), "204 " + all.joined(separator: ", "))
        for method in ["GET", "HEAD", "POST", "TRACE"] {
            expectEqual(Self.table.outcome(method, "*"), "404")
        }
    }

    /// Not even of a pattern that would take any segment.
    @Test func asteriskIsTheSegmentOfNoParameter() {
        let table = RouteTable(routes: [(.get, "/:any")])
        expectEqual(table.outcome("GET", "*"), "404")
        expectEqual(table.outcome("GET", "/*"), "GET /:any any=*")
    }

    @Test func emptyTableHasNothing() {
        expectEqual(RouteTable<String>().allowed, [])
        for path in ["*", "/", ""] {
            expectEqual(RouteTable<String>().outcome("OPTIONS", path), "404")
        }
    }

    @Test func orderIsThatOfTheListHoweverRoutesAreAdded() {
        let table = RouteTable(routes: RouteMethod.allCases.reversed().map { ($0, "/a") })
        let all = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
        expectEqual(table.outcome("OPTIONS", "/a"), "204 " + all)
        expectEqual(RouteMethod.allowed([.patch, .patch]), ["PATCH", "OPTIONS"])
        expectEqual(RouteMethod.allowed([]), [])
    }
}
