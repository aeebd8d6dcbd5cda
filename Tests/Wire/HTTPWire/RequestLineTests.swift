import Expectations
import Wire

@Suite("RFC 9112 §3 request line", .timeLimit(.minutes(10)))
struct RequestLineTests {
    private func read(line: String) -> RequestReading {
        requests(line + "\r\nHost: a\r\n\r\n")
    }

    @Test(arguments: [
        "GET", "HEAD", "POST", "get", "M-SEARCH", "!#$%&'*+-.^_`|~09azAZ",
    ])
    func serverTakesAnyTokenForMethod(_ method: String) {
        expectEqual(read(line: "\(method) / HTTP/1.1").heads.map(\.method), [method])
    }

    @Test(arguments: ["G@T", "GET:", "(GET)", "GÉT", "\"GET\"", "GE\tT", "[]", "a,b", "a;b", "a=b"])
    func serverRefusesMethodThatIsNoToken(_ method: String) {
        expectEqual(read(line: "\(method) / HTTP/1.1").error, .methodInvalid(method))
    }

    @Test(arguments: [
        "GET", "GET /", "GET / ", "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1",
        "GET / HTTP/1.1 ", "GET / HTTP/1.1 x", "GET HTTP/1.1", "/ HTTP/1.1", "GET\t/\tHTTP/1.1",
        "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/1.", "GET / HTTP/11", "GET / HTTP/1.10",
        "GET / HTTP/01.1", "GET / HTTP/1,1", "GET / HTTP/+1.1", "GET / HTTP/x.y", "GET / HTTPS/1.1",
        "GET / HTTP 1.1", "GET /a b HTTP/1.1", " ", "  ",
    ])
    func serverRefusesLineThatIsNotThreeWords(_ line: String) {
        let reading = read(line: line)
        expectEqual(reading.error, .requestLineMalformed)
        expectEqual(reading.error?.status, 400)
    }

    @Test func serverReadsBothVersions() {
        expectEqual(read(line: "GET / HTTP/1.0").heads.map(\.version), [.http10])
        expectEqual(read(line: "GET / HTTP/1.1").heads.map(\.version), [.http11])
    }

    @Test(arguments: 2...9) func serverReadsHigherMinorVersionAsOneDotOne(_ minor: Int) {
        expectEqual(read(line: "GET / HTTP/1.\(minor)").heads.map(\.version), [.http11])
    }

    @Test(arguments: [0, 2, 3, 9] as [UInt8]) func serverRefusesOtherMajorVersion(_ major: UInt8) {
        let reading = read(line: "GET / HTTP/\(major).0")
        expectEqual(reading.error, .versionUnsupported(major: major, minor: 0))
        expectEqual(reading.error?.status, 505)
    }

    @Test func serverAnswersTheHTTP2PrefaceAsAnotherVersion() {
        let reading = requests("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        expectEqual(reading.error, .versionUnsupported(major: 2, minor: 0))
    }
}
