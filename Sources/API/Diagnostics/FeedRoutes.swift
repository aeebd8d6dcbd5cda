import Service

/// `GET /api/feeds`: the feeds of the hub that leads, with their last polls. protocol/console.md.
package struct FeedRoutes: Sendable {
    private let board: HealthBoard
    private let clock: HubClock

    package init(board: HealthBoard, clock: HubClock) {
        self.board = board
        self.clock = clock
    }

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/feeds")

    package func add(to routes: inout Routes) {
        routes.backends(below: "/api/feeds")
        routes.get("/api/feeds", scope: "apps") { request in
            do throws(RouteRefusal) {
                return feeds(polls: try count(request))
            } catch {
                return error.response
            }
        }
        routes.errors(FeedRoutes.prefixes)
    }

    /// Returns the number of polls of each feed that the request asks for.
    private func count(_ request: RouteRequest) throws(RouteRefusal) -> Int {
        let max = FeedPoll.keptMax
        guard let text = request.query("polls") else { return max }
        guard let count = Int(text), (0...max).contains(count) else {
            let message = "polls is \"\(text.prefix(32))\", expected a number from 0 to \(max)"
            throw RouteRefusal(400, "INVALID_REQUEST", message)
        }
        return count
    }

    private func feeds(polls count: Int) -> ServerResponse {
        let (now, lines, polls) = (clock.now, board.all, board.recentPolls)
        var json = JSONWriter()
        json.object { json in
            json.array("feeds") { array in
                for line in lines {
                    array.object {
                        line.write(to: &$0, now: now)
                        $0.field("interval", line.interval.inSeconds)
                        $0.array("polls") { array in
                            for poll in polls[line.name, default: []].suffix(count) {
                                array.object { poll.write(to: &$0) }
                            }
                        }
                    }
                }
            }
        }
        return .uncached(json.bytes)
    }
}

extension FeedPoll {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("time", time.iso8601)
        json.field("duration", duration.inSeconds)
        let (word, reason): (String, String?) =
            switch outcome {
            case .changed: ("changed", nil)
            case .unchanged: ("unchanged", nil)
            case .failed(let reason): ("failed", reason)
            }
        json.field("outcome", word)
        json.field("status", status.map(Double.init))
        json.field("reason", reason)
    }
}
