import Expectations
import Wire

@Suite("RFC 9112 §9.3 persistence", .timeLimit(.minutes(10)))
struct PersistenceTests {
    @Test(arguments: [
        (HTTPVersion.http11, [], true), (.http11, ["close"], false), (.http11, ["Close"], false),
        (.http11, ["keep-alive"], true), (.http11, ["keep-alive, close"], false),
        (.http11, ["upgrade", "close"], false), (.http11, ["closed"], true), (.http10, [], false),
        (.http10, ["Keep-Alive"], true), (.http10, ["keep-alive", "close"], false),
        (.http10, ["close"], false),
    ])
    func connectionFieldDecides(_ version: HTTPVersion, _ lines: [String], _ keepsAlive: Bool) {
        var headers = HTTPHeaders()
        for line in lines { headers.append("Connection", line) }
        let request = HTTPRequestHead(target: "/", version: version, headers: headers)
        expectEqual(request.keepsAlive, keepsAlive)
        let response = HTTPResponseHead(status: 200, version: version, headers: headers)
        expectEqual(response.keepsAlive, keepsAlive)
    }
}

@Suite("RFC 9110 §7.8 Upgrade", .timeLimit(.minutes(10)))
struct UpgradeTests {
    @Test func requestNamesProtocolInAnyCaseAndPlace() {
        let request = HTTPRequestHead(
            target: "/",
            headers: ["Connection": "keep-alive, Upgrade", "Upgrade": "h2c, WebSocket"]
        )
        expect(request.isUpgrade)
        expect(request.isUpgrade(to: "websocket"))
        expect(request.isUpgrade(to: "h2c"))
        expect(!request.isUpgrade(to: "web"))
    }

    @Test func upgradeIsNoneWithoutConnectionOption() {
        let request = HTTPRequestHead(target: "/", headers: ["Upgrade": "websocket"])
        expect(!request.isUpgrade)
        expect(!request.isUpgrade(to: "websocket"))
    }

    @Test func upgradeIsNoneWithoutUpgradeField() {
        let request = HTTPRequestHead(target: "/", headers: ["Connection": "Upgrade"])
        expect(!request.isUpgrade)
    }

    @Test func upgradeInOneDotZeroIsIgnored() {
        let request = HTTPRequestHead(
            target: "/",
            version: .http10,
            headers: ["Connection": "Upgrade", "Upgrade": "websocket"]
        )
        expect(!request.isUpgrade)
        expect(!request.isUpgrade(to: "websocket"))
    }
}

@Suite("RFC 9110 §10.1.1 Expect", .timeLimit(.minutes(10)))
struct ExpectTests {
    private func request(
        _ expectations: [String],
        version: HTTPVersion = .http11,
        framing: (String, String) = ("Content-Length", "3")
    ) -> HTTPRequestHead {
        var headers: HTTPHeaders = [framing.0: framing.1]
        for value in expectations { headers.append("Expect", value) }
        return HTTPRequestHead(method: "PUT", target: "/", version: version, headers: headers)
    }

    @Test(arguments: [
        (HTTPVersion.http11, ["100-continue"], true), (.http11, ["100-Continue"], true),
        (.http11, ["x, 100-continue"], true), (.http11, ["100"], false), (.http11, [], false),
        (.http11, ["x", "100-continue"], true), (.http10, ["100-continue"], false),
    ])
    func clientOfOneDotOneWaitsForContinue(
        _ version: HTTPVersion,
        _ values: [String],
        _ expects: Bool
    ) {
        expectEqual(request(values, version: version).expectsContinue, expects)
    }

    @Test(arguments: [
        ("Content-Length", "1", true), ("Content-Length", "10", true),
        ("Content-Length", "0", false), ("Content-Length", "00", false),
        ("Transfer-Encoding", "chunked", true), ("X-Length", "1", false),
    ])
    func clientWithoutContentDoesNotWait(_ name: String, _ value: String, _ expects: Bool) {
        let head = request(["100-continue"], framing: (name, value))
        expectEqual(head.expectsContinue, expects)
    }

    @Test(
        arguments: [
            (HTTPVersion.http11, [], nil), (.http11, ["100-continue"], nil),
            (.http11, ["100-CONTINUE"], nil), (.http11, [""], nil), (.http11, ["x"], "x"),
            (.http11, ["100-continue, x=y;z"], "x=y;z"),
            (.http11, ["100-continue", "200-ok"], "200-ok"),
            (.http10, ["x"], nil),
        ] as [(HTTPVersion, [String], String?)]
    )
    func expectationThatNobodyKnowsIsTold(
        _ version: HTTPVersion,
        _ values: [String],
        _ unknown: String?
    ) {
        expectEqual(request(values, version: version).unknownExpectation, unknown)
    }

    @Test func serverTellsHeadBeforeContentArrives() {
        let reading = requests(
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        )
        expectEqual(reading.heads.map(\.expectsContinue), [true])
        expect(!reading.areWhole)
    }
}
