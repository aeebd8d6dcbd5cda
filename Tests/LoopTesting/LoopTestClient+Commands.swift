import HubTesting
import Topics

/// Commands of the client protocol in JSON, by what tests mostly want of them.
extension LoopTestClient {
    /// Sends the connect command, and returns what the hub calls the connection.
    package func connectSession(token: String) async throws -> String {
        try await upgrade()
        let reply = try await command(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
        guard let client = text("client", in: reply) else { throw Failure.unexpected(reply) }
        return client
    }

    /// - Parameter more: further fields, each with a comma before it.
    package func subscribe(_ id: Int, _ topic: String, _ more: String = "") async throws -> String {
        try await command(#"{"id":\#(id),"subscribe":{"channel":"\#(topic)"\#(more)}}"#)
    }

    /// Sends a command, and returns the code of the error that answers it; 0 for any other reply.
    package func errorCode(_ json: String) async throws -> Int {
        number("code", in: try await command(json)) ?? 0
    }
}

/// The text of a field that stands once in `json`.
package func text(_ name: String, in json: String) -> String? {
    json.split(separator: "\"\(name)\":\"", maxSplits: 1).dropFirst().first.map {
        String($0.prefix { $0 != "\"" })
    }
}

/// The number of a field that stands once in `json`.
package func number(_ name: String, in json: String) -> Int? {
    json.split(separator: "\"\(name)\":", maxSplits: 1).dropFirst().first.flatMap {
        Int($0.prefix { $0.isNumber })
    }
}

/// The offsets of all publications in `json`, without the offset of a position.
package func offsets(in json: String) -> [Int] {
    json.split(separator: #"{"data":"#).dropFirst().compactMap { number("offset", in: String($0)) }
}

package func topic(_ name: String) -> Topic { Topic(trusted: name) }
