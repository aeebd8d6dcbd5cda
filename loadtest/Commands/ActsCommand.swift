import ArgumentParser
import Foundation

struct ActsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acts",
        abstract:
            "People who act by HTTP requests, and friends who hear of it on topics of their own.",
        discussion: """
            --seats is a file of JSON lines, one person each: {"token":…,"channel":…,"hears":[NUMBER…]}, with \
            "weight" for those who act more often (0: never) and "listens": false for those who are not \
            connected. NUMBER is a line of the file, from 0: those whose acts come to the channel.
            """
    )

    @Option(help: "Where the server is: http://HOST:PORT or https://….")
    var url = "http://127.0.0.1:8000"

    @Flag(help: "Accept any certificate. For a server on your own machine.")
    var insecure = false

    @Option(help: "Who there is.")
    var seats: String

    @Option(help: "What an act asks for by POST; {number} runs from 1 to --targets.")
    var path = ActRequest.standardPath

    @Option(help: "The content of an act; {payload} is a JSON string, by which it is recognised.")
    var body = ActRequest.standardBody

    @Option(help: "How many targets the path has.")
    var targets = 100

    @Option(name: .customLong("pid"), help: "A process of the server (may be repeated).")
    var pids: [Int32] = []

    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many connections carry acts.")
    var connections = 16

    @Option(help: "Acts in one second, whatever becomes of them.")
    var rate = 100.0

    @Option(help: "Bytes of the payload, at least \(Stamp.payloadLengthMin).")
    var size = 64

    @Option(help: "How long acts flow before anything is counted.")
    var warmUp = Duration.seconds(2)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(20)

    func validate() throws {
        try LoadOptions.check(size: size, count: connections, burst: 1, rate: rate)
        guard targets > 0 else { throw ValidationError("--targets has to be more than 0") }
        guard MessageTemplate(body).hasPayload else {
            throw ValidationError("--body needs a {payload}, by which acts are recognised")
        }
    }

    func run() async throws {
        let destination = try Destination(url, isInsecure: insecure, example: "http://HOST:PORT")
        let seats = try readSeats()
        let request = ActRequest(
            authority: destination.url.authority,
            path: MessageTemplate(path),
            body: MessageTemplate(body),
            targetCount: targets
        )
        var settings = ActsScenario.Settings(seats: seats, request: request)
        settings.connectionCount = connections
        settings.rate = rate
        settings.payloadLength = size
        settings.warmUp = warmUp
        settings.duration = duration
        settings.pids = pids
        let connectionsMax = seats.count { $0.listens } + connections
        try DescriptorLimit.raise(for: connectionsMax)
        var fleet = FleetSettings(
            url: destination.url,
            address: destination.address,
            tls: destination.tls,
            dialect: .centrifuge,
            channel: "",
            path: "/connection/websocket",
            publisherPath: "/connection/websocket",
            sources: FleetSettings.loopbackSources(for: connectionsMax, to: destination.address),
            connectionsMax: connectionsMax
        )
        fleet.seats = seats
        try await output.run(
            ActsScenario(settings: settings, run: .random(in: 0...UInt32.max)),
            fleet
        )
    }

    private func readSeats() throws -> [Seat] {
        let seats: [Seat]
        do {
            seats = try Seat.read(Array(try Data(contentsOf: URL(filePath: self.seats))))
        } catch {
            throw ValidationError("\(self.seats): \(error)")
        }
        guard seats.contains(where: { $0.weight > 0 }) else {
            throw ValidationError("\(self.seats): nobody acts")
        }
        return seats
    }
}
