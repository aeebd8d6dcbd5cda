import CommandKit

struct HistoryCommand: APICommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract:
            "Prints the kept publications of a topic of a running hub, and its position."
    )

    @Argument(help: "The topic.")
    var topic: String

    @Option(help: "The largest number of publications; 0 for only the position.")
    var limit: UInt32?

    @Option(help: "Only what came after this offset, or before it with --reverse.")
    var since: UInt64?

    @Option(help: "The epoch of --since.")
    var epoch: String?

    @Flag(help: "The newest first.")
    var reverse = false

    @OptionGroup var options: APIOptions

    func validate() throws {
        guard (since == nil) == (epoch == nil) else {
            throw ValidationError(
                "--since and --epoch belong together: an offset has no meaning without its epoch"
            )
        }
    }

    func request(
        standardInput: () throws -> [UInt8]
    ) throws -> (method: String, body: [UInt8]) {
        let topic = try varde.topic(topic)
        var json = JSONWriter()
        json.object {
            $0.field("channel", topic.name)
            // −1 requests as many as the hub returns at once.
            $0.field("limit", limit.map { Int64($0) } ?? -1)
            if let since, let epoch {
                $0.object("since") {
                    $0.field("offset", since)
                    $0.field("epoch", epoch)
                }
            }
            if reverse { $0.field("reverse", true) }
        }
        return ("history", json.bytes)
    }

    func text(of result: APIFields) -> String? {
        guard let offset = result.number("offset"), let epoch = result.text("epoch") else {
            return nil
        }
        let rows = result.objects("publications").map { publication in
            [
                "\(publication.number("offset") ?? 0)",
                TerminalText.oneLine(publication.json("data") ?? []),
            ] + HistoryCommand.remarks(on: publication)
        }
        let position = "at offset \(offset), epoch \(TerminalText.oneLine(epoch))"
        return rows.isEmpty ? position : TerminalText.table(rows) + "\n" + position
    }

    private static func remarks(on publication: APIFields) -> [String] {
        let tags = publication.object("tags")?.texts ?? []
        let user = publication.object("info")?.text("user")
        let remarks =
            tags.map { "\($0.name)=\($0.text)" }
            + (user.map { ["by \($0.isEmpty ? "-" : $0)"] } ?? [])
        return remarks.isEmpty ? [] : [TerminalText.oneLine(remarks.joined(separator: " "))]
    }
}
