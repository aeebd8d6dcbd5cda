import AllDomains
import Foundation
import Hub
import Replay

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract:
            "Serves recorded upstream data over HTTP, as it looked at the recording's own time.",
        discussion: """
            A request with the header Replay-Clock is answered as of that time, so that a hub that was \
            started again and its upstream have the same time. Answers have the header X-Replay, \
            because they are recordings.

            GET /clock returns the clock for requests without that header. POST /clock changes it: \
            {"paused":true}, {"speed":60}, {"time":"2024-12-09T19:30:00Z"}, or several of them. To \
            control the clock of a hub, use /api/clock of the hub.
            """
    )

    @Argument(help: "The directory with the recording's replay.yaml.", completion: .directory)
    var directory: String

    @Option(help: "Where to listen: HOST:PORT.")
    var listen = "127.0.0.1:8001"

    @Option(help: "The speed of the recording's clock: 1 is that of the wall clock.")
    var speed: Double?

    @Option(
        help: "Where the recording's clock begins, in ISO 8601; default: where the recording does."
    )
    var start: String?

    func validate() throws {
        guard speed.map(RecordingClock.speeds.contains) ?? true else {
            throw ValidationError("--speed is not between 0.001 and 100000")
        }
    }

    func run() async throws {
        let interruption = await Interruption()
        let recording = try Recording(
            directory: directory,
            upstreams: domainEntries.compactMap(\.upstream)
        )
        let clock = HubClock(
            .recording(
                start: try parsedStart() ?? recording.start,
                speed: speed ?? recording.speed,
                anchor: HubClock.wall
            )
        )
        let logger = makeLogger(label: "varde.replay", level: .warning, format: .text)
        let server = try await RequestServer.start(listen: listen, logger: logger) { request in
            await ReplayCommand.answer(request, recording, clock)
        }
        say(recording.description)
        say("replaying at http://\(server.address)/ from \(clock.now.iso8601Seconds)")
        _ = await interruption.wait()
        await server.stop()
    }

    private static func answer(
        _ request: ServerRequest,
        _ recording: Recording,
        _ clock: HubClock
    ) async -> ServerResponse {
        if request.head.path == ReplayClock.path {
            return ReplayClock(clock: clock, recording: recording).respond(to: request)
        }
        let time = recording.clock(for: request.head, default: clock.now)
        let response = recording.respond(to: request.head, at: time)
        let head = HTTPResponseHead(status: response.status, headers: response.headers)
        switch response.body {
        case .bytes(let bytes): return ServerResponse(head: head, body: bytes)
        case .zeros(let count):
            return ServerResponse(head: head, body: [UInt8](repeating: 0, count: count))
        case .never:
            // The client times out first.
            try? await Task.sleep(for: .seconds(24 * 3600))
            return ServerResponse(status: 503, text: "never")
        }
    }

    private func parsedStart() throws -> Timestamp? {
        guard let start else { return nil }
        guard let instant = Timestamp(iso8601: start) else {
            throw ValidationError("'\(start)' is not a time; expected 2024-12-09T16:00:00Z")
        }
        return instant
    }
}
