import Aurora
import Digests
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /api/aurora/now`, in the form and with the errors of the aurora app's contract.
struct AuroraRoutes: Sendable {
    let service: AuroraService
    let keys: AuroraKeys

    /// How long clients and proxies may keep `now`: the contract's five minutes.
    private static let nowMaxAge = 300

    func add(to router: Router<HubRequestContext>) {
        router.get("/api/aurora/now") { request, _ in now(request) }
    }

    private func now(_ request: Request) -> Response {
        if let refusal = keys.refusal(of: request) { return refusal }
        let query = request.uri.queryParameters
        let id = query["place"].map(String.init) ?? service.places.first?.id ?? ""
        guard service.places.contains(where: { $0.id == id }) else {
            return .auroraError(.notFound, "No place '\(id.prefix(64))' is configured.")
        }
        guard let derivation = service.derivation(of: id) else {
            return .auroraError(.serviceUnavailable, "Backend service temporarily unavailable")
        }
        if query["explain"] == "1" {
            return .json(derivation.explanation.json(), [.cacheControl: "no-store"])
        }
        let language = Language(acceptLanguage: request.headers[.acceptLanguage])
        return .json(
            derivation.conditions.json(language: language),
            [
                .cacheControl: "max-age=\(AuroraRoutes.nowMaxAge)",
                .contentLanguage: language.rawValue, .vary: "Accept-Language",
            ]
        )
    }
}

/// Who may read the aurora endpoints.
package struct AuroraKeys: Sendable {
    /// The key that the app's documentation shows; known to everyone, so for development alone.
    package static let example = "tro_app_aurora_watcher_v1"

    private let keys: [[UInt8]]
    /// In development a missing key stands for the example key.
    private let allowsMissing: Bool

    package init(keys: [String], allowsMissing: Bool) {
        self.keys = keys.map { Array($0.utf8) }
        self.allowsMissing = allowsMissing
    }

    fileprivate func refusal(of request: Request) -> Response? {
        guard let given = request.headers[HTTPField.Name("X-API-Key")!] else {
            return allowsMissing
                ? nil
                : .auroraError(
                    .unauthorized,
                    "API key is required. Please provide X-API-Key header."
                )
        }
        // Every key is compared, so that the time does not tell which one came close.
        let isKnown = keys.reduce(false) { isEqualInConstantTime($1, Array(given.utf8)) || $0 }
        return isKnown ? nil : .auroraError(.forbidden, "Invalid API key.")
    }
}

extension Language {
    /// English when the client prefers it to Norwegian; Norwegian otherwise (RFC 9110 §12.5.4).
    fileprivate init(acceptLanguage: String?) {
        var best = (language: Language.norwegian, weight: 0.0)
        for range in acceptLanguage?.split(separator: ",") ?? [] {
            let parts = range.split(separator: ";").map { $0.trimmingSpaces() }
            guard let tag = parts.first?.prefix(2).lowercased() else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
                .flatMap { Double($0.dropFirst(2)) }
            let language: Language? =
                switch tag {
                case "en": .english
                case "no", "nb", "nn": .norwegian
                default: nil
                }
            if let language, weight ?? 1 > best.weight { best = (language, weight ?? 1) }
        }
        self = best.language
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}
