import CommandKit
import Foundation

struct TokenInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Prints the claims of a token, and with keys whether it is valid.",
        discussion: """
            Prints one line of JSON: header and claims, and with a secret or keys "verified" and, if that \
            is false, "error" and "reason"; the exit status is then 1. Do not give a valid token as an \
            argument: every user of the machine can see it.
            """
    )

    @Argument(help: "The token; left out, a line of standard input.")
    var token: String?

    @OptionGroup var secret: TokenSecretOptions

    @Option(
        name: .customLong("public-key"),
        help: "A public key in PEM; may be repeated.",
        completion: .file()
    )
    var publicKeys: [String] = []

    @Option(help: "A file with a set of public keys (JWKS).", completion: .file())
    var jwks: String?

    @Option(help: "The audience that the hub asks for.")
    var audience: String?

    @Option(help: "The issuer that the hub asks for.")
    var issuer: String?

    func run() async throws {
        guard let text = token ?? readLine() else { throw ValidationError("no token") }
        let (report, isRefused) = try await report(
            on: text,
            now: Timestamp(seconds: Date().timeIntervalSince1970),
            environment: ProcessInfo.processInfo.environment
        )
        say(report)
        if isRefused { throw ExitCode.failure }
    }

    func report(
        on text: String,
        now: Timestamp,
        environment: [String: String]
    ) async throws -> (report: String, isRefused: Bool) {
        let inspection: TokenInspection
        do throws(TokenError) {
            inspection = try TokenInspection(text.trimmingCharacters(in: .whitespaces))
        } catch {
            throw Failure("\(error)")
        }
        let keys = try await keys(environment: environment)
        let verifier =
            keys.isEmpty
            ? nil : TokenVerifier(keys: keys, audience: audience, issuer: issuer)
        let isRefused = verifier.map { inspection.refusal(by: $0, now: now) != nil } ?? false
        return (inspection.report(verifier: verifier, now: now), isRefused)
    }

    private func keys(environment: [String: String]) async throws -> TokenKeySet {
        var configured: [TokenKey] = []
        if let bytes = try secret.read(environment: environment) {
            configured.append(try .secret(bytes))
        }
        for file in publicKeys {
            configured.append(try .publicKey(pem: try text(ofFile: file)))
        }
        guard let jwks else { return TokenKeySet(configured: configured) }
        let document = Array(try text(ofFile: jwks).utf8)
        let set: JSONWebKeySet
        do throws(JSONWebKeySetError) { set = try JSONWebKeySet(document: document) } catch {
            throw Failure("\(jwks): \(error)")
        }
        return TokenKeySet(configured: configured, published: TokenKey.published(set.keys))
    }
}
