import CommandKit

struct ClientsCommand: APICommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "Says how many clients a running hub has, or who is in one of its topics."
    )

    @Argument(help: "A topic of a namespace with presence; left out, the hub as a whole.")
    var topic: String?

    @OptionGroup var options: APIOptions

    func request(
        standardInput: () throws -> [UInt8]
    ) throws -> (method: String, body: [UInt8]) {
        var json = JSONWriter()
        guard let topic else {
            json.object { _ in }
            return ("info", json.bytes)
        }
        let name = try varde.topic(topic).name
        json.object { $0.field("channel", name) }
        return ("presence", json.bytes)
    }

    func text(of result: APIFields) -> String? {
        if topic != nil { return result.object("presence").map(ClientsCommand.presence) }
        let nodes = result.objects("nodes")
        return nodes.isEmpty ? nil : ClientsCommand.info(nodes)
    }

    private static func presence(_ clients: APIFields) -> String {
        guard !clients.named.isEmpty else { return "no client is in the topic" }
        let rows = clients.named.map { client, info in
            let user = info.text("user") ?? ""
            return [
                TerminalText.oneLine(user.isEmpty ? "-" : user), TerminalText.oneLine(client),
                TerminalText.oneLine(info.json("conn_info") ?? []),
                TerminalText.oneLine(info.json("chan_info") ?? []),
            ]
        }
        let sorted = rows.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
        return TerminalText.table(
            [["USER", "CLIENT", "OF THE CONNECTION", "OF THE TOPIC"]] + sorted
        )
    }

    private static func info(_ nodes: [APIFields]) -> String {
        let rows = nodes.map { node in
            let counts = ["num_clients", "num_users", "num_subs", "num_channels"].map {
                "\(node.number($0) ?? 0)"
            }
            return ["name", "version"].map { TerminalText.oneLine(node.text($0) ?? "-") } + counts
                + [duration(seconds: node.number("uptime") ?? 0)]
        }
        let head = ["NODE", "VERSION", "CLIENTS", "USERS", "SUBSCRIPTIONS", "TOPICS", "UP"]
        return TerminalText.table([head] + rows)
    }

    /// Formats a duration with its two largest units: `3d 4h`, `5m 6s`, `7s`.
    static func duration(seconds: UInt64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ].drop { $0.0 == 0 }.prefix(2)
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
