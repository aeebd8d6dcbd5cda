import API
import Expectations
import HubTesting
import Service

@Suite("Routes: the feeds and their last polls", .timeLimit(.minutes(10)))
struct FeedRoutesTests {
    private static let start = Timestamp(iso8601: "2024-12-09T17:10:00Z")!
    private let board = HealthBoard()

    private func get(_ target: String, key: String? = "key") async -> ServerResponse {
        // Its clock stands still.
        let clock = HubClock(.recording(start: Self.start, speed: 0, anchor: HubClock.wall))
        var routes = Routes()
        FeedRoutes(board: board, clock: clock).add(to: &routes)
        let responder = RouteResponder(routes: routes, logger: silentLogger) {
            $0 == "key" ? APIKeyGrant(name: "tests", methods: ["apps"], isReadOnly: true) : nil
        }
        let headers: HTTPHeaders = key.map { ["X-API-Key": $0] } ?? [:]
        let head = HTTPRequestHead(method: "GET", target: target, headers: headers)
        return await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
    }

    private func text(_ response: ServerResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    private func addFeed() {
        var machine = FeedMachine(
            name: "swpc.kp",
            policy: FeedPolicy(interval: .seconds(60)),
            validators: FeedValidators(),
            now: Self.start,
            random: 0
        )
        _ = machine.start(now: Self.start)
        _ = machine.finish(FeedResponse(status: 500), now: Self.start, random: 0)
        board.update(machine)
        let duration = Duration.milliseconds(250)
        let polls = [
            FeedPoll(time: Self.start - .seconds(60), duration: duration, outcome: .changed),
            FeedPoll(time: Self.start, duration: duration, outcome: .failed("bad \"x\"")),
        ]
        for (poll, status) in zip(polls, [200, nil]) {
            var poll = poll
            poll.status = status
            board.note(poll, of: "swpc.kp")
        }
    }

    private static let older =
        #"{"time":"2024-12-09T17:09:00.000Z","duration":0.25,"outcome":"changed","status":200,"#
        + #""reason":null}"#
    private static let newer =
        #"{"time":"2024-12-09T17:10:00.000Z","duration":0.25,"outcome":"failed","status":null,"#
        + #""reason":"bad \"x\""}"#

    @Test(arguments: [
        ("", [older, newer]), ("?polls=120", [older, newer]), ("?polls=1", [newer]),
        ("?polls=0", []),
    ])
    func feedHasItsHealthItsIntervalAndItsPolls(query: String, polls: [String]) async {
        addFeed()
        let response = await get("/api/feeds" + query)
        expectEqual(response.head.status, 200)
        expectEqual(response.head.headers.first("Cache-Control"), "no-store")
        let health =
            #""name":"swpc.kp","input":"swpc.kp","status":"failing","stale":true,"#
            + #""last_success":null,"age_seconds":null,"data_time":null,"#
            + #""consecutive_failures":1,"last_failure":"status 500","#
            + #""next_attempt":"2024-12-09T17:10:00.000Z""#
        let all = polls.joined(separator: ",")
        expectEqual(text(response), #"{"feeds":[{\#(health),"interval":60,"polls":[\#(all)]}]}"#)
    }

    @Test func hubWithoutFeedsHasNone() async {
        let response = await get("/api/feeds")
        expectEqual(text(response), #"{"feeds":[]}"#)
    }

    @Test(arguments: ["-1", "121", "x", "", "1.5"])
    func otherNumbersOfPollsAreRefused(polls: String) async {
        let response = await get("/api/feeds?polls=" + polls)
        expectEqual(response.head.status, 400)
        let message = #"polls is \"\#(polls)\", expected a number from 0 to 120"#
        expectEqual(text(response), #"{"message":"\#(message)","code":"INVALID_REQUEST"}"#)
    }

    @Test func keyIsNeededAndPagesReadNothing() async {
        for key in [nil, "other"] {
            let response = await get("/api/feeds", key: key)
            expectEqual(response.head.status, 401)
            expect(!response.isForPages)
        }
        expect(!(await get("/api/feeds").isForPages))
    }
}
