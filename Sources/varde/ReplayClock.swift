import API
import Loops
import Replay
import Service

/// `/clock` of `varde replay`: the clock for requests without the header Replay-Clock.
///
/// Its requests and answers have the form of a hub's `/api/clock`, without a key. Here a jump may
/// be one into the past, because a replay stores nothing.
struct ReplayClock {
    static let path = "/clock"

    let clock: HubClock
    let recording: Recording

    func respond(to request: ServerRequest) -> ServerResponse {
        do throws(RouteRefusal) {
            switch request.head.method {
            case "GET", "HEAD": return answer(clock.reading)
            case "POST": return answer(try change(request))
            default: throw RouteRefusal(405, "METHOD_NOT_ALLOWED", "only GET, HEAD and POST")
            }
        } catch {
            return error.response
        }
    }

    private func answer(_ reading: HubClock.Reading) -> ServerResponse {
        let period = ClockDocument.Recording(start: recording.start, end: recording.end)
        return ClockDocument(reading, period, isControllable: true).response
    }

    private func change(_ request: ServerRequest) throws(RouteRefusal) -> HubClock.Reading {
        // A page of another site can send a POST without asking first, but not with this type.
        let type = request.head.headers.first("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("application/json") else {
            throw RouteRefusal(
                415,
                "INVALID_REQUEST",
                "expected the header Content-Type: application/json"
            )
        }
        let change = try ClockDocument.change(request.body)
        do throws(ClockRefusal) { return try clock.change(change, allowsBack: true) } catch {
            throw RouteRefusal(error)
        }
    }
}
