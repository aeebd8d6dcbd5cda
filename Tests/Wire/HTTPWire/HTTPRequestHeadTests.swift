import Expectations
import Wire

@Suite("Request head", .timeLimit(.minutes(10)))
struct HTTPRequestHeadTests {
    @Test(arguments: [
        ("/a/b", "/a/b"), ("/a%20b", "/a b"), ("/%C3%a5", "/å"), ("/a%2Fb", "/a/b"),
        ("/a+b", "/a+b"),
        ("/%25", "/%"), ("/%7E?%zz", "/~"),
    ])
    func pathIsDecoded(_ target: String, _ path: String) {
        expectEqual(percentDecodedText(HTTPRequestHead(target: target).path[...]), path)
    }

    @Test(arguments: ["/%", "/%2", "/%2x", "/%x2", "/%%", "/%FF", "/%C3", "/a%00b", "/%+1"])
    func brokenPathIsNotDecoded(_ target: String) {
        expectNil(percentDecodedText(HTTPRequestHead(target: target).path[...]))
    }

    @Test(arguments: [
        ("/", ""), ("/?", ""), ("/?a=1&b=2", "a:1 b:2"), ("/?a", "a:"), ("/?a=", "a:"),
        ("/?=1", ":1"),
        ("/?&&a=1&", "a:1"), ("/?a=1=2", "a:1=2"), ("/?a+b=c+d", "a b:c d"),
        ("/?a%2Bb=%26", "a+b:&"),
        ("/?%c3%A5=%20", "å: "), ("/?a=%", "a:%"), ("/?a=%zz", "a:%zz"), ("/?a=%4", "a:%4"),
        ("/?a=%FF", "a:\u{FFFD}"), ("/?a=1&a=2", "a:1 a:2"), ("/?topics=a,b:c", "topics:a,b:c"),
        ("/?a?b=c", "a?b:c"),
    ])
    func queryItemsAreDecodedInOrder(_ target: String, _ expected: String) {
        let items = HTTPRequestHead(target: target).queryItems()
        expectEqual(items.map { "\($0.name):\($0.value)" }.joined(separator: " "), expected)
    }

    @Test(arguments: [
        ("/", nil), ("/?", nil), ("/?a", ""), ("/?a=", ""), ("/?a=1", "1"), ("/?b=1&a=2", "2"),
        ("/?a=1&a=2", "1"), ("/?a&a=2", ""), ("/?&&a=1&", "1"), ("/?a=1=2", "1=2"),
        ("/?aa=1", nil), ("/?A=1", nil), ("/?=a", nil), ("/?b=a", nil), ("/?a?=1", nil),
        ("/?a=b+c%20d%2Be", "b+c d+e"), ("/?a=%26%3d", "&="), ("/?a=%C3%a5", "å"),
        ("/?a=%FF", "\u{FFFD}"), ("/?a=%00", "\0"), ("/?%61=1", "1"), ("/?%=1&a=2", "2"),
        ("/?a=%", "%"), ("/?a=%4", "%4"), ("/?a=%zz%41", "%zz%41"), ("/?a=%%41", "%%41"),
        ("http://h?a=1", "1"), ("/a=1", nil),
    ])
    func queryValueIsThatOfTheFirstItem(_ target: String, _ expected: String?) {
        expectEqual(HTTPRequestHead(target: target).queryValue("a"), expected)
    }

    @Test func headIsWrittenAsItIsRead() {
        let head = HTTPRequestHead(
            method: "POST",
            target: "/a?b=c",
            headers: ["Host": "example.org", "X-Empty": "", "Content-Length": "0"]
        )
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            "POST /a?b=c HTTP/1.1\r\nHost: example.org\r\nX-Empty: \r\nContent-Length: 0\r\n\r\n"
        )
        expectEqual(requests(bytes).heads, [head])
    }

    @Test func writerEncodesWhatMayNotStandInTarget() {
        var bytes: [UInt8] = []
        HTTPRequestHead(target: "/å b\r\nX: y#z%20", version: .http10).append(to: &bytes)
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            "GET /%C3%A5%20b%0D%0AX:%20y%23z%20 HTTP/1.0\r\n\r\n"
        )
    }

    @Test func writerTrapsOnMethodThatIsNoToken() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            HTTPRequestHead(method: "GET /\r\n", target: "/").append(to: &bytes)
        }
    }
}
