import CommandKit
import Foundation

/// A command that is one request to a running hub.
protocol APICommand: AsyncParsableCommand {
    var options: APIOptions { get }

    /// - Parameter standardInput: returns all of the standard input; called if the arguments
    ///   require it.
    func request(
        standardInput: () throws -> [UInt8]
    ) throws -> (method: String, body: [UInt8])

    /// Returns the result in readable form; nil if it is not the expected result.
    func text(of result: APIFields) -> String?
}

extension APICommand {
    func run() async throws {
        let client = try options.client(environment: ProcessInfo.processInfo.environment)
        let (method, body) = try request {
            Array(try FileHandle.standardInput.readToEnd() ?? Data())
        }
        say(try await output(of: client, method, body))
    }

    func output(of client: APIClient, _ method: String, _ body: [UInt8]) async throws -> String {
        let result = try await client.ask(method, body)
        guard !options.json else { return String(decoding: result, as: UTF8.self) }
        guard let text = APIFields(result[...]).flatMap({ text(of: $0) }) else {
            throw Failure("the hub's answer is not understood; --json shows it")
        }
        return text
    }
}

/// - Throws: `ValidationError` if the name is not a topic.
func topic(_ name: String) throws -> Topic {
    do throws(TopicError) { return try Topic(name) } catch {
        throw ValidationError("topic '\(name)': \(error)")
    }
}
