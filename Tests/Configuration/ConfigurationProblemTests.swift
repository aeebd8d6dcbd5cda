import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Configuration: what is refused, and how it is said", .timeLimit(.minutes(10)))
struct ConfigurationProblemTests {
    @Test(arguments: [
        ("databse: x", #"varde.yaml:1:1: unknown key "databse", did you mean "database"?"#),
        (
            "limits:\n  idle_timout: 5s",
            #"varde.yaml:2:3: limits: unknown key "idle_timout", did you mean "idle_timeout"?"#
        ),
        (
            "alerts:\n  - {name: a, topics: b, wehn: c}",
            #"varde.yaml:2:26: alerts[0]: unknown key "wehn", did you mean "when"?"#
        ),
        (
            "ping_interval: 5s",
            #"varde.yaml:1:1: unknown key "ping_interval", did you mean "websocket.ping_interval"?"#
        ),
        (
            "websocket: {zzzzzzzzzz: 1}",
            "varde.yaml:1:13: websocket: unknown key \"zzzzzzzzzz\","
                + " expected one of ping_interval, pong_timeout, compression"
        ),
    ])
    func unknownKeyNamesTheNearest(yaml: String, message: String) {
        expectEqual(problems(yaml), [message])
    }

    @Test(arguments: [
        (
            "webhook_limits: {waiting_age: 1d}",
            "1:31: webhook_limits.waiting_age: found 1d, expected duration, 4d to 365d, such as 4d"
        ),
        ("loops: 0", "1:8: loops: found 0, expected loop count, auto or 1 to 256, such as auto"),
        (
            "loops: 257",
            "1:8: loops: found 257, expected loop count, auto or 1 to 256, such as auto"
        ),
        (
            "limits: {idle_timeout: 75}",
            "1:24: limits.idle_timeout: found 75, expected duration, 1s to 1h, such as 25s"
        ),
        (
            "limits: {idle_timeout: 3601s}",
            "1:24: limits.idle_timeout: found 3601s, expected duration, 1s to 1h, such as 25s"
        ),
        (
            "limits: {header_bytes: 16kb}",
            "1:24: limits.header_bytes: found 16kb, expected byte count, 9KiB to 1MiB,"
                + " such as 64KiB"
        ),
        (
            "development: yes",
            "1:14: development: found yes, expected flag, true or false, such as true"
        ),
        (
            "development: 'true'",
            #"1:14: development: found "true", expected flag, true or false, such as true"#
        ),
        (
            "log_level: loud",
            "1:12: log_level: found loud, expected choice, trace, debug, info, notice, warning,"
                + " error, critical, such as trace"
        ),
        (
            "database:",
            "1:10: database: found nothing, expected file, 1 to 4096 bytes, such as varde.sqlite"
        ),
        ("limits: 5", "1:9: limits: found 5, expected a mapping of keys"),
        ("[1, 2]", "1:1: found a list, expected a mapping of keys"),
        (
            "listen: 127.0.0.1:8000",
            "1:9: listen: found 127.0.0.1:8000, expected a list of 1 to 16, each address"
        ),
        ("listen: []", "1:9: listen: found a list of 0, expected a list of 1 to 16, each address"),
        (
            "listen: ['8000']",
            #"1:10: listen[0]: found "8000", expected address, HOST:PORT or unix:PATH,"#
                + " such as 127.0.0.1:8000, [::1]:8000 or unix:/run/varde/varde.sock"
        ),
        (
            "clock: {start: yesterday}",
            "1:16: clock.start: found yesterday, expected time, such as 2024-12-09T16:00:00Z"
        ),
        (
            "clock: {start: 2024-12-09T16:00:00Z, speed: 0}",
            "1:45: clock.speed: found 0, expected number, 0.001 to 100000, such as 0.001"
        ),
        (
            "database: [a]",
            "1:11: database: found a list, expected file, 1 to 4096 bytes, such as varde.sqlite"
        ),
        (
            "namespaces: [{name: Chat}]",
            "1:21: namespaces[0].name: found Chat, expected name, 1 to 64 of a-z 0-9 - _,"
                + " such as chat"
        ),
        (
            "alerts: [{name: a, topics: 'aur*', when: x}]",
            #"1:28: alerts[0].topics: found "aur*", expected topic pattern, such as chat:*"#
        ),
        (
            "tokens: {jwks_url: 'http://a:65536/'}",
            #"1:20: tokens.jwks_url: found "http://a:65536/", expected URL, http or https, no"#
                + " user info, such as https://id.example.org/jwks.json"
        ),
        (
            "http: {allowed_origins: '*'}",
            #"1:25: http.allowed_origins: found "*", expected a list of 0 to 256, each origin"#
        ),
        (
            "http: {allowed_origins: ['https://a/']}",
            #"1:26: http.allowed_origins[0]: found "https://a/", expected origin,"#
                + " SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example.org,"
                + #" "https://*.example.org", "http://localhost:*", "null" or "*""#
        ),
        (
            "http: {allowed_origins: [null]}",
            "1:26: http.allowed_origins[0]: found nothing, expected origin,"
                + " SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example.org,"
                + #" "https://*.example.org", "http://localhost:*", "null" or "*""#
        ),
    ])
    func wrongValueSaysWhatWasFoundAndExpected(yaml: String, message: String) {
        expectEqual(problems(yaml), ["varde.yaml:" + message])
    }

    @Test(arguments: [("0s", true), ("4m", false), ("299999ms", false), ("5m", true)])
    func topicsAreForgottenNoSoonerThanIdempotencyKeys(time: String, isRight: Bool) {
        let found = problems("namespaces: [{name: a, forget_after: \(time)}]")
        let expected =
            "varde.yaml:1:38: namespaces[0].forget_after: found \(time), expected 5m or more, or 0s for never"
        expectEqual(found, (isRight ? [] : [expected]))
    }

    @Test(arguments: [
        ("slow_consumer: drop_oldest", "slow_consumer"), ("recovery: cache", "recovery"),
        ("delta: true", "delta"),
    ])
    func whatNeedsAHistoryIsRefusedWithoutOne(key: String, path: String) {
        let message = problems("namespaces: [{name: a, history_size: 0, \(key)}]").first ?? ""
        expect(message.contains("namespaces[0].\(path): found"))
        expect(problems("namespaces: [{name: a, history_size: 1, \(key)}]").isEmpty)
    }

    @Test(arguments: [
        ("subscribe: members", "subscribe: found members"),
        ("subscribe: nobody, anonymous_subscribe: true", "subscribe: found nobody"),
        ("owner: 'b:{userId}'", "owner: found \"b:{userId}\""),
        ("owner: 'a:b'", "owner: found \"a:b\""),
        ("owner: 'a:{userId}:{userId}'", "owner: found"),
        ("cache_empty_hook: app", "cache_empty_hook: expected recovery: cache as well"),
    ])
    func rightsThatContradictAreRefused(keys: String, message: String) {
        let found = problems("namespaces: [{name: a, \(keys)}]").first ?? ""
        expect(found.contains("namespaces[0].\(message)"), "\(found)")
    }

    @Test func recordingEndsAfterItsStart() {
        let start = "2024-12-09T16:00:00Z"
        for end in ["2024-12-09T15:59:59Z", start] {
            let message = problems("clock: {start: \(start), end: \(end)}").first ?? ""
            expect(message.contains("clock.end: found 2024-12-09T"))
            expect(message.contains("expected a time after start, 2024-12-09T16:00:00.000Z"))
        }
        expect(problems("clock: {start: \(start), end: 2024-12-09T16:00:01Z}").isEmpty)
    }

    @Test func drainTakesLongerThanItsSpread() {
        let message = problems("drain: {spread: 10s, timeout: 10s}").first ?? ""
        expect(message.contains("drain.timeout: found 10s, expected more than spread, 10s"))
        expect(problems("drain: {spread: 10s, timeout: 11s}").isEmpty)
    }

    @Test(arguments: [
        ("tls: {key: k.pem}", "1:6: tls.certificate"), ("clock: {speed: 2}", "1:8: clock.start"),
        ("namespaces: [{durable: true}]", "1:14: namespaces[0].name"),
        ("alerts: [{name: a, topics: b}]", "1:10: alerts[0].when"),
    ])
    func missingKeyIsLocatedAtItsSection(yaml: String, start: String) {
        expectEqual(problems(yaml), ["varde.yaml:\(start): found nothing, the key is required"])
    }

    @Test func allProblemsAreToldInTheOrderOfTheFile() {
        let found = problems("loops: many\nlog_level: loud\nlistne: []\n")
        expectEqual(
            found.map { $0.prefix(13) },
            ["varde.yaml:1:", "varde.yaml:2:", "varde.yaml:3:"]
        )
    }

    // MARK: - Contradictions

    @Test func developmentIsRefusedOnAnAddressThatOthersReach() {
        let yaml = "development: true\nlisten: ['127.0.0.1:1', '0.0.0.0:8000']\n"
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(
            found.first?.hasPrefix("varde.yaml:2:9: listen: found 0.0.0.0:8000, expected loopback"),
            true
        )
    }

    @Test func developmentByFlagIsHeldAgainstTheFile() {
        var flags = ConfigurationFlags()
        flags.development = true
        let found = problems("listen: ['hub.example.org:8000']\n", flags: flags)
        expectEqual(found.count, 1)
        expectEqual(found.first?.contains("development is on"), true)
    }

    @Test(arguments: ["127.0.0.1:1", "127.8.9.1:1", "localhost:1", "[::1]:1"])
    func developmentIsAcceptedOnLoopback(address: String) {
        expectEqual(problems("development: true\nlisten: ['\(address)']\n"), [])
    }

    @Test(arguments: [
        ("listen: ['127.0.0.1:1', '127.0.0.1:1']", "1:9: listen: found 127.0.0.1:1 a second time"),
        (
            "websocket: {ping_interval: 5s, pong_timeout: 5s}",
            "1:46: websocket.pong_timeout: found 5s"
        ),
        (
            "http: {allowed_origins: ['https://a', '*']}",
            #"1:25: http.allowed_origins[1]: found "*" with others, expected only it"#
        ),
        // The pong timeout is the default here, so the section is blamed.
        ("websocket: {ping_interval: 8s}", "1:12: websocket.pong_timeout: found 8s, expected less"),
        (
            "namespaces: [{name: a}, {name: a}]",
            #"1:32: namespaces[1].name: found "a" a second time"#
        ),
        (
            "tls: {certificate: a, key: b, client_certificates: required}",
            "1:52: tls.client_certificates: found required, expected client_ca: the authorities"
        ),
        (
            "tls: {certificate: a, key: b, minimum_version: 1.1}",
            "1:48: tls.minimum_version: found 1.1, expected choice, 1.2, 1.3, such as 1.2"
        ),
        (
            "tls: {certificate: a, key: b, client_ca: c}",
            "1:42: tls.client_ca: found c, expected none: client_certificates is none"
        ),
        (
            "tls: {certificate: a, key: b, certificates: [{certificate: c}]}",
            "1:46: tls.certificates[0].key: found nothing, the key is required"
        ),
        (
            "webhooks: [{name: a, url: 'http://x'}]",
            "1:12: webhooks[0].secret: found nothing, expected secret, secret_file or secret_env"
        ),
        (
            "webhooks: [{name: a, url: 'http://x', secret_env: A, secret_file: b}]",
            "1:51: webhooks[0].secret_env: found secret_file and secret_env, expected only one"
        ),
    ])
    func contradictionIsLocatedAtTheKeyToBlame(yaml: String, start: String) {
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("varde.yaml:" + start), true, "\(found)")
    }

    // MARK: - Other layers

    @Test func wrongVariableIsNamed() {
        expectEqual(
            problems("", environment: ["VARDE_LOOPS": "many"]),
            [
                "environment VARDE_LOOPS: loops: found many, expected loop count, auto or 1 to 256,"
                    + " such as auto"
            ]
        )
    }

    @Test func wrongFlagIsNamed() {
        var flags = ConfigurationFlags()
        flags.listen = ["127.0.0.1"]
        let found = problems("", flags: flags)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("flag --listen: listen[0]: found 127.0.0.1, "), true)
    }

    @Test func keyWithoutCertificateIsNamed() {
        var flags = ConfigurationFlags()
        flags.tlsKey = "k.pem"
        expectEqual(
            problems("", flags: flags),
            [
                "flag --tls-key: tls.certificate: found nothing, the key is required"
            ]
        )
    }

    @Test func problemOfALaterUserIsLocated() throws {
        let loaded = try load("alerts:\n  - {name: a, topics: b, when: 'score >'}\n")
        let problem = loaded.problem(at: "alerts[0].when", "column 8: expected a number")
        expectEqual(
            problem.description,
            "varde.yaml:2:32: alerts[0].when: column 8: expected a number"
        )
        let whole = loaded.problem(at: "alerts[0].until", "is missing")
        expectEqual(whole.description, "varde.yaml:2:5: alerts[0].until: is missing")
    }

    // MARK: - YAML

    @Test(arguments: [
        ("a: [1, 2", "varde.yaml:2:1: not YAML: "), ("a: b: c", "varde.yaml:1:5: not YAML: "),
        ("loops: 1\n---\nloops: 2\n", "varde.yaml:2:1: not YAML: "),
        ("a: *nobody", "varde.yaml:1:4: not YAML: "),
        ("loops: 1\nloops: 2\n", "varde.yaml:1:1: found \"loops\" more than once"),
        ("a: \u{0}", "varde.yaml: not YAML: "), ("\t: 1", "varde.yaml:1:1: not YAML: "),
    ])
    func whatIsNotYAMLIsLocated(yaml: String, start: String) {
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix(start), true, "\(found)")
    }

    @Test func everyBeginningOfAFileIsReadOrRefused() {
        // Nothing but the documented outcomes: no trap, and each problem has a place.
        for length in 0...everyKey.utf8.count {
            let yaml = String(decoding: everyKey.utf8.prefix(length), as: UTF8.self)
            for message in problems(yaml) {
                expect(message.hasPrefix("varde.yaml:"))
            }
        }
    }
}
