import API
import Expectations
import HubTesting
import Service
import StoreTesting

@Suite("Routes: the clock of a recording", .timeLimit(.minutes(10)))
struct ClockRoutesTests {
    private static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!
    private static let end = Timestamp(iso8601: "2024-12-10T03:00:00Z")!
    private static let grants = [
        "all": APIKeyGrant(name: "all"),
        "reader": APIKeyGrant(name: "reader", isReadOnly: true),
        "apps": APIKeyGrant(name: "apps", methods: ["apps"]),
        "info": APIKeyGrant(name: "info", methods: ["info"]),
        "chat": APIKeyGrant(name: "chat", namespaces: ["chat"]),
    ]

    /// A clock at 60 times the speed of a process whose time passes only by `passed`.
    private struct Hub {
        let passed = Locked(Duration.zero)
        let clock: HubClock
        let responder: RouteResponder

        init(
            _ store: HubStore,
            isRecording: Bool = true,
            end: Timestamp? = ClockRoutesTests.end,
            logger: Logger = silentLogger
        ) {
            let anchor = Timestamp(milliseconds: 0)
            clock = HubClock(
                isRecording
                    ? .recording(start: ClockRoutesTests.start, speed: 60, anchor: anchor) : .wall,
                wall: { [passed] in anchor + passed.withLock { $0 } }
            )
            var routes = Routes()
            ClockRoutes(
                clock: clock,
                recording: isRecording ? .init(start: ClockRoutesTests.start, end: end) : nil,
                store: store,
                logger: logger
            ).add(to: &routes)
            responder = RouteResponder(routes: routes, logger: logger) {
                ClockRoutesTests.grants[$0]
            }
        }

        func ask(
            _ method: String = "GET",
            _ body: String = "",
            key: String? = "all"
        ) async -> (status: Int, text: String) {
            let headers = key.map { ["X-API-Key": $0] as HTTPHeaders } ?? [:]
            let head = HTTPRequestHead(method: method, target: "/api/clock", headers: headers)
            let request = ServerRequest(head: head, body: Array(body.utf8), peer: nil)
            let response = await responder.respond(to: request)
            return (response.head.status, String(decoding: response.body, as: UTF8.self))
        }

        func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
    }

    private func document(
        time: String,
        speed: Int = 60,
        isPaused: Bool = false,
        end: String = #""2024-12-10T03:00:00.000Z""#,
        isControllable: Bool = true
    ) -> String {
        #"{"kind":"recording","time":"\#(time)","speed":\#(speed),"paused":\#(isPaused),"#
            + #""recording":{"start":"2024-12-09T16:00:00.000Z","end":\#(end)},"#
            + #""controllable":\#(isControllable)}"#
    }

    // MARK: Reading

    @Test func clockOfARecordingHasItsTimeAndItsPeriod() async throws {
        try await withTemporaryStore { store in
            let hub = Hub(store)
            hub.pass(.seconds(1))
            let answer = await hub.ask()
            expectEqual(answer.status, 200)
            expectEqual(answer.text, document(time: "2024-12-09T16:01:00.000Z"))
        }
    }

    @Test func endThatIsUnknownIsNull() async throws {
        try await withTemporaryStore { store in
            let text = await Hub(store, end: nil).ask().text
            expectEqual(text, document(time: "2024-12-09T16:00:00.000Z", end: "null"))
        }
    }

    @Test func wallClockHasNoPeriodAndCannotBeControlled() async throws {
        try await withTemporaryStore { store in
            let answer = await Hub(store, isRecording: false).ask()
            expectEqual(answer.status, 200)
            expect(answer.text.hasPrefix(#"{"kind":"wall","time":"2"#))
            let rest = #","speed":1,"paused":false,"recording":null,"controllable":false}"#
            expect(answer.text.hasSuffix(rest))
        }
    }

    @Test(arguments: [
        ("all", 200, 200), ("apps", 200, 200), ("reader", 200, 403), ("info", 403, 403),
        ("chat", 403, 403), ("unknown", 401, 401), (nil, 401, 401),
    ])
    func keyNeedsTheScopeAndMayNotBeReadOnly(key: String?, get: Int, post: Int) async throws {
        try await withTemporaryStore { store in
            let hub = Hub(store)
            let answer = await hub.ask(key: key)
            expectEqual(answer.status, get)
            if get == 200 {
                let isControllable = post == 200
                expect(answer.text.contains(#""controllable":\#(isControllable)"#))
            }
            await expectEqual(hub.ask("POST", #"{"paused":true}"#, key: key).status, post)
            expectEqual(hub.clock.reading.isPaused, (post == 200))
        }
    }

    // MARK: Changing

    @Test func clockPausesChangesItsSpeedAndContinues() async throws {
        try await withTemporaryStore { store in
            let hub = Hub(store)
            hub.pass(.seconds(1))
            let paused = await hub.ask("POST", #"{"paused":true}"#)
            expectEqual(paused.status, 200)
            expectEqual(paused.text, document(time: "2024-12-09T16:01:00.000Z", isPaused: true))
            hub.pass(.seconds(1))
            let faster = await hub.ask("POST", #"{"speed":360}"#)
            expectEqual(
                faster.text,
                document(time: "2024-12-09T16:01:00.000Z", speed: 360, isPaused: true)
            )
            _ = await hub.ask("POST", #"{"paused":false}"#)
            hub.pass(.seconds(1))
            await expectEqual(
                hub.ask().text,
                document(time: "2024-12-09T16:07:00.000Z", speed: 360)
            )
        }
    }

    @Test func jumpIsStored() async throws {
        try await withTemporaryStore { store in
            let hub = Hub(store)
            let answer = await hub.ask("POST", #"{"time":"2024-12-09T19:30:00+01:00"}"#)
            expectEqual(answer.text, document(time: "2024-12-09T18:30:00.000Z"))
            let stored = try await store.lastClock()
            expectEqual(stored, Timestamp(iso8601: "2024-12-09T18:30:00Z"))
        }
    }

    @Test func changeIsLoggedWithTheNameOfTheKey() async throws {
        let (logger, lines) = StreamedLog.make()
        try await withTemporaryStore { store in
            let hub = Hub(store, logger: logger)
            _ = await hub.ask("POST", #"{"paused":true,"speed":10}"#, key: "apps")
        }
        let line = await lines.next(2).last
        expectEqual(line?.message, "clock changed")
        expectEqual(line?.level, .notice)
        let expected = [
            "key": "apps", "time": "2024-12-09T16:00:00.000Z", "speed": "10.0", "paused": "true",
        ]
        expectEqual(line?.metadata, expected)
    }

    @Test func storeThatFailsLeavesTheClockAsItWas() async throws {
        let commits = FailingCommits()
        try await withTemporaryStore(commits: commits) { store in
            let hub = Hub(store)
            commits.fail(.code(.diskFull))
            let answer = await hub.ask("POST", #"{"time":"2024-12-09T17:00:00Z"}"#)
            expectEqual(answer.status, 503)
            expectEqual(hub.clock.now, Self.start)
        }
    }

    // MARK: Refusals

    private static let number = "a number from 0.001 to 100000"

    @Test(arguments: [
        ("", 400, "INVALID_REQUEST", "body is not JSON: "),
        ("[]", 400, "INVALID_REQUEST", "body is [], expected an object"),
        ("{}", 400, "INVALID_REQUEST", "nothing to change, expected paused, speed or time"),
        (#"{"paused":null}"#, 400, "INVALID_REQUEST", "nothing to change"),
        (#"{"paused":1}"#, 400, "INVALID_REQUEST", "paused is 1, expected true or false"),
        (#"{"speed":0}"#, 400, "INVALID_REQUEST", "speed is 0, expected \(number)"),
        (#"{"speed":100001}"#, 400, "INVALID_REQUEST", "speed is 100001, expected \(number)"),
        (#"{"speed":"10"}"#, 400, "INVALID_REQUEST", #"speed is \"10\", expected \#(number)"#),
        (#"{"time":1}"#, 400, "INVALID_REQUEST", "time is 1, expected a string"),
        (#"{"time":"noon"}"#, 400, "INVALID_REQUEST", #"time is \"noon\", expected a time such"#),
        (#"{"time":"2024-12-09T15:59:59.999Z"}"#, 409, "TIME_PASSED", "time is 2024-12-09T15:59"),
        (#"{"time":"2025-01-09T16:00:00.001Z"}"#, 400, "INVALID_REQUEST", "time is 2025-01-09"),
        (#"{"time":"2024-12-09T17:00:00Z","speed":0}"#, 400, "INVALID_REQUEST", "speed is 0"),
    ])
    func changeIsRefusedAsAWhole(
        body: String,
        status: Int,
        code: String,
        message: String
    ) async throws {
        try await withTemporaryStore { store in
            let hub = Hub(store)
            let before = hub.clock.reading
            let answer = await hub.ask("POST", body)
            expectEqual(answer.status, status)
            expect(answer.text.hasPrefix(#"{"message":"\#(message)"#))
            expect(answer.text.hasSuffix(#","code":"\#(code)"}"#))
            expectEqual(hub.clock.reading, before)
            let stored = try await store.lastClock()
            expectNil(stored)
        }
    }

    @Test func longBodyIsRefused() async throws {
        try await withTemporaryStore { store in
            let body = #"{"paused":true}"# + String(repeating: " ", count: 4096)
            await expectEqual(Hub(store).ask("POST", body).status, 413)
        }
    }

    @Test(arguments: [#"{"paused":true}"#, "{}", "x"])
    func wallClockIsNotChanged(body: String) async throws {
        try await withTemporaryStore { store in
            let answer = await Hub(store, isRecording: false).ask("POST", body)
            expectEqual(answer.status, 409)
            let message =
                "the hub uses the wall clock; only the clock of a recording can be changed"
            expectEqual(answer.text, #"{"message":"\#(message)","code":"WALL_CLOCK"}"#)
        }
    }
}
