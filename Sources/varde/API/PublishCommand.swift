import CommandKit

struct PublishCommand: APICommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publishes JSON to a topic of a running hub."
    )

    @Argument(help: "The topic.")
    var topic: String

    @Argument(help: "The data, JSON: '{\"text\":\"hello\"}', '\"hello\"'; or - for standard input.")
    var data: String

    @Option(name: .customLong("tag"), help: "A tag to filter by, KEY=VALUE; may be repeated.")
    var tags: [TagArgument] = []

    @Option(help: "A second publication with this key is not published.")
    var idempotencyKey: String?

    @Flag(help: "Reach those who are subscribed, and leave no trace in the history.")
    var skipHistory = false

    @Flag(help: "Subscribers that agreed to deltas may get the difference from the one before.")
    var delta = false

    @OptionGroup var options: APIOptions

    func validate() throws {
        let keys = tags.map(\.key)
        if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
            throw ValidationError("tag '\(twice)' is given twice")
        }
    }

    func request(
        standardInput: () throws -> [UInt8]
    ) throws -> (method: String, body: [UInt8]) {
        let topic = try varde.topic(topic)
        let data = try json(standardInput: standardInput)
        var json = JSONWriter()
        json.object {
            $0.field("channel", topic.name)
            $0.raw("data", data)
            if !tags.isEmpty {
                $0.object("tags") { for tag in tags { $0.field(tag.key, tag.value) } }
            }
            if let idempotencyKey { $0.field("idempotency_key", idempotencyKey) }
            if skipHistory { $0.field("skip_history", true) }
            if delta { $0.field("delta", true) }
        }
        return ("publish", json.bytes)
    }

    private func json(standardInput: () throws -> [UInt8]) throws -> ArraySlice<UInt8> {
        let text = data == "-" ? try standardInput() : Array(data.utf8)
        guard String(validating: text, as: UTF8.self) != nil else {
            throw ValidationError("the data is not UTF-8")
        }
        do throws(JSONError) { return try JSONReader.value(of: text[...]) } catch {
            throw ValidationError(
                "the data is not JSON: \(error); a text needs its quotes, '\"hello\"'"
            )
        }
    }

    func text(of result: APIFields) -> String? {
        guard let offset = result.number("offset"), let epoch = result.text("epoch") else {
            return nil
        }
        guard offset > 0 else { return "published, and kept in no history" }
        return "published at offset \(offset), epoch \(TerminalText.oneLine(epoch))"
    }
}

/// `KEY=VALUE`; the value may be empty or contain more equals signs.
struct TagArgument: ExpressibleByArgument, Equatable {
    let key: String
    let value: String

    init?(argument: String) {
        guard let separator = argument.firstIndex(of: "="), separator != argument.startIndex else {
            return nil
        }
        key = String(argument[..<separator])
        value = String(argument[argument.index(after: separator)...])
    }
}
