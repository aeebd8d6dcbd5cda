import CommandKit

struct TopicsCommand: APICommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists the topics of a running hub that someone is subscribed to."
    )

    @Argument(help: "A pattern: 'chat:*' for all topics of chat; left out: all topics.")
    var pattern: String?

    @OptionGroup var options: APIOptions

    func request(
        standardInput: () throws -> [UInt8]
    ) throws -> (method: String, body: [UInt8]) {
        var json = JSONWriter()
        json.object { if let pattern { $0.field("pattern", pattern) } }
        return ("channels", json.bytes)
    }

    func text(of result: APIFields) -> String? {
        guard let topics = result.object("channels")?.named else { return nil }
        guard !topics.isEmpty else { return "no topic has subscribers" }
        let rows = topics.map {
            [TerminalText.oneLine($0.name), "\($0.object.number("num_clients") ?? 0)"]
        }
        return TerminalText.table([["TOPIC", "SUBSCRIBERS"]] + rows)
    }
}
