import CommandKit
import Foundation
import Hub

struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receives webhooks, verifies their signatures, and prints one line for each.",
        discussion: "A receiver for trying out and for tests; it keeps nothing."
    )

    @Option(help: "Where to listen: HOST:PORT.")
    var listen = "127.0.0.1:8010"

    @Option(help: "The endpoint's secret, whsec_….")
    var secret: String

    @Option(help: "A field of the event's data to print, if it has it; may be repeated.")
    var field: [String] = []

    func run() async throws {
        let interruption = await Interruption()
        let secret = try parsedSecret()
        let names = field
        let logger = makeLogger(label: "varde.receive", level: .warning, format: .text)
        let server = try await RequestServer.start(listen: listen, logger: logger) { request in
            ReceiveCommand.answer(request, secret: secret, fields: names)
        }
        say("receiving webhooks at http://\(server.address)/")
        _ = await interruption.wait()
        await server.stop()
    }

    private func parsedSecret() throws -> WebhookSecret {
        do throws(WebhookSecretError) { return try WebhookSecret(secret) } catch {
            throw ValidationError("\(error)")
        }
    }

    private static func answer(
        _ request: ServerRequest,
        secret: WebhookSecret,
        fields: [String]
    ) -> ServerResponse {
        guard request.head.method == "POST" else {
            return .methodNotAllowed(allowed: ["POST"])
        }
        let headers = request.head.headers
        let id = headers.first("webhook-id") ?? ""
        do throws(WebhookVerificationError) {
            try verifyWebhook(
                id: id,
                timestamp: headers.first("webhook-timestamp") ?? "",
                signatures: headers.first("webhook-signature") ?? "",
                body: request.body,
                secrets: [secret],
                now: Timestamp(seconds: Date().timeIntervalSince1970)
            )
        } catch {
            say("refused: \(error)")
            return ServerResponse(status: 401, text: "\(error)")
        }
        say("verified: " + line(of: request.body, id: id, fields: fields))
        return ServerResponse(status: 204, text: "")
    }

    /// Formats a line such as `news.story.updated 0193… article_count=3 group_title="A title"`.
    ///
    /// - Parameters:
    ///   - body: an event in JSON.
    ///   - fields: the names of fields of its data. Objects, lists and missing fields are left out.
    static func line(of body: [UInt8], id: String, fields: [String]) -> String {
        let event = (try? JSONReader.fields(of: body[...])) ?? []
        func value(_ key: String) -> ArraySlice<UInt8>? { event.first { $0.key == key }?.value }
        let type = value("type").flatMap(JSONReader.string) ?? "unknown event"
        let data = value("data").flatMap { try? JSONReader.fields(of: $0) } ?? []
        let shown = fields.compactMap { name -> String? in
            guard let value = data.first(where: { $0.key == name })?.value,
                value.first != UInt8(ascii: "{"), value.first != UInt8(ascii: "[")
            else { return nil }
            return "\(name)=\(String(decoding: value, as: UTF8.self))"
        }
        return TerminalText.oneLine(([type, id] + shown).joined(separator: " "))
    }
}
