import ArgumentParser
import CommandKit
import Foundation
import HTTPService
import HTTPWire
import HubServer
import JSONText
import LogOutput
import Logging
import Shards
import Timekeeping
import Webhooks

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

    func run() async throws {
        let interruption = await Interruption()
        let secret = try parsedSecret()
        let logger = makeLogger(label: "varde.receive", level: .warning, format: .text)
        let server = try await RequestServer.start(listen: listen, logger: logger) { request in
            ReceiveCommand.answer(request, secret: secret)
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

    private static func answer(_ request: ServerRequest, secret: WebhookSecret) -> ServerResponse {
        guard request.head.method == "POST" else {
            return .methodNotAllowed(allowed: ["POST"])
        }
        let headers = request.head.headers
        do throws(WebhookVerificationError) {
            try verifyWebhook(
                id: headers.first("webhook-id") ?? "",
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
        say("verified: \(type(of: request.body)) \(headers.first("webhook-id") ?? "")")
        return ServerResponse(status: 204, text: "")
    }

    private static func type(of body: [UInt8]) -> String {
        guard let fields = try? JSONReader.fields(of: body[...]),
            let type = fields.first(where: { $0.key == "type" })
        else { return "unknown event" }
        return JSONReader.string(type.value) ?? "unknown event"
    }
}
