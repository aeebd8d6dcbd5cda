import Aurora
import DomainKit

/// The endpoints of the aurora app's contract: protocol/aurora.md.
///
/// They answer outside of the table of routes (`RouteResponder`), without a suspension: their
/// answers are ready before a request comes.
package struct AuroraRoutes: Sendable {
    /// The challenge of a 401: a key of the app's, in the header X-API-Key.
    fileprivate static let challenge = #"apikey realm="aurora""#

    package let service: AuroraService
    package let keys: AuroraKeys
    /// Of the page that describes the routes; nil where there is none.
    private let documentationScheme: String?

    package init(
        service: AuroraService,
        keys: AuroraKeys,
        documentationScheme: String? = nil
    ) {
        self.service = service
        self.keys = keys
        self.documentationScheme = documentationScheme
    }

    private static let pathPrefix = "/api/aurora/"
    private static let path = String(pathPrefix.dropLast())
    private static let methodsAllowed = RouteMethod.allowed([.get])

    /// The content at a path, and the time for which clients and proxies may keep it.
    private enum Endpoint: String, CaseIterable {
        case now, tonight, hourly, forecast, oval

        /// Seconds, of the contract.
        var maxAge: Int {
            switch self {
            case .now, .oval: 5 * 60
            case .tonight, .hourly: 15 * 60
            case .forecast: 30 * 60
            }
        }

        var hasTexts: Bool { self == .now || self == .tonight }
    }

    package static let prefixes = RoutePrefixes(.aurora, path)

    /// The routes answered here, for a listing of all routes.
    package static let routes = Endpoint.allCases.map { Route(.get, pathPrefix + $0.rawValue) }

    /// Answers a request for one of the endpoints, or for a missing path below the same prefix; nil
    /// for any other path.
    package func respond(to request: ServerRequest) -> ServerResponse? {
        guard var response = answer(request.head) else { return nil }
        // Apps in browsers show the key that they were given.
        response.takesKeyOfPages = true
        return response
    }

    private func answer(_ head: HTTPRequestHead) -> ServerResponse? {
        guard head.path.hasPrefix(AuroraRoutes.path),
            head.path.hasPrefix(AuroraRoutes.pathPrefix) || head.path == AuroraRoutes.path
        else { return nil }
        guard
            let endpoint = Endpoint(
                rawValue: String(head.path.dropFirst(AuroraRoutes.pathPrefix.count))
            )
        else { return ErrorForm.aurora.notFound }
        // A preflight has no key.
        if head.method == "OPTIONS" { return .options(allowed: AuroraRoutes.methodsAllowed) }
        guard AuroraRoutes.methodsAllowed.contains(head.method) else {
            return ErrorForm.aurora.methodNotAllowed(allowed: AuroraRoutes.methodsAllowed)
        }
        switch keys.admit(PresentedKey(head.headers)) {
        case .missing:
            let message = "API key is required. Please provide X-API-Key header."
            return .auroraError(401, message, documentation: documentation(of: head))
        case .unknown:
            var response = ServerResponse.auroraError(
                403,
                "Invalid API key.",
                documentation: documentation(of: head)
            )
            response.refusesKey = true
            return response
        case .known(let standing):
            var response =
                standing.isAllowed
                ? answer(endpoint, head) : .auroraLimitReached(standing, keys.now)
            response.head.headers.append(standing)
            return response
        }
    }

    /// The page, at the host that the request was sent to; nil for a request that names none.
    private func documentation(of head: HTTPRequestHead) -> String? {
        guard let documentationScheme, let authority = head.authority, !authority.isEmpty,
            authority.utf8.count <= AuroraRoutes.authorityLengthMax
        else { return nil }
        return "\(documentationScheme)://\(authority)/openapi/#document-aurora"
    }

    /// A host name has at most 253 bytes (RFC 1035 §2.3.4), and a port six with its colon.
    private static let authorityLengthMax = 259

    private func answer(_ endpoint: Endpoint, _ head: HTTPRequestHead) -> ServerResponse {
        let query = head.queryItems()
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let places = service.places
        let id = value("place") ?? places.first?.id ?? ""
        guard let place = places.first(where: { $0.id == id }) else {
            return .auroraError(404, "No place '\(id.prefix(64))' is configured.")
        }
        var days = Outlook.daysDefault
        if endpoint == .forecast, let text = value("days") {
            guard let number = Int(text), (1...Outlook.daysMax).contains(number) else {
                return .auroraError(
                    400,
                    "days is '\(text.prefix(32))', expected a whole number from 1 to \(Outlook.daysMax)."
                )
            }
            days = number
        }
        if value("explain") == "1", endpoint != .oval {
            return explain(endpoint, place, days: days) ?? .auroraUnavailable
        }
        let language = Language(acceptLanguage: head.headers.first("Accept-Language"))
        let question: AuroraQuestion =
            switch endpoint {
            case .now: .now(language)
            case .tonight: .tonight(language)
            case .hourly: .hourly
            case .forecast: .forecast(days: days)
            case .oval: .oval
            }
        guard let ready = service.answer(question, of: place) else { return .auroraUnavailable }
        return AuroraRoutes.send(ready, endpoint, language, to: head)
    }

    private func explain(_ endpoint: Endpoint, _ place: Place, days: Int) -> ServerResponse? {
        let body: [UInt8]? =
            switch endpoint {
            case .now: service.derivation(of: place.id)?.explanation.json()
            case .tonight: service.outlook(of: place)?.explanation(of: .night)
            case .hourly: service.outlook(of: place)?.explanation(of: .nextHours)
            case .forecast: service.outlook(of: place)?.explanation(of: .days(days))
            case .oval: nil
            }
        return body.map { .aurora($0, ["Cache-Control": "no-store"]) }
    }

    private static func send(
        _ answer: AuroraAnswer,
        _ endpoint: Endpoint,
        _ language: Language,
        to head: HTTPRequestHead
    ) -> ServerResponse {
        var headers: HTTPHeaders = [
            "Cache-Control": "max-age=\(endpoint.maxAge)", "ETag": answer.tag.text,
        ]
        if endpoint.hasTexts {
            headers.append("Vary", "Accept-Language")
            headers.append("Content-Language", language.code)
        }
        guard answer.tag.isKnown(to: head.headers) else { return .aurora(answer.body, headers) }
        // RFC 9110 §15.4.5: a 304 has the fields that a 200 would have had.
        return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
    }
}

extension ErrorForm {
    fileprivate static let aurora = ErrorForm { problem in
        switch problem {
        case .notFound: .auroraError(404, "Nothing is at this path.")
        case .keyRefused(let message): .auroraError(401, message)
        case .methodNotAllowed(let allowed):
            .auroraError(405, "The methods here are \(allowed).")
        case .notLeading(let message): .auroraError(503, message)
        }
    }
}

extension ServerResponse {
    fileprivate static let auroraUnavailable = auroraError(
        503,
        "Backend service temporarily unavailable"
    )

    fileprivate static func aurora(
        _ body: [UInt8],
        status: Int = 200,
        _ headers: HTTPHeaders
    ) -> ServerResponse {
        var headers = headers
        headers.append("Content-Type", "application/json; charset=utf-8")
        return ServerResponse(head: HTTPResponseHead(status: status, headers: headers), body: body)
    }

    /// An error in the form that the aurora app decodes.
    fileprivate static func auroraError(
        _ status: Int,
        _ message: String,
        documentation: String? = nil,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> ServerResponse {
        let head = HTTPResponseHead(status: status)
        var json = JSONWriter()
        json.object {
            $0.field("error", head.reason)
            $0.field("message", message)
            if let documentation { $0.field("documentation", documentation) }
            more(&$0)
        }
        var headers: HTTPHeaders = ["Cache-Control": "no-store"]
        if status == 401 { headers.append("WWW-Authenticate", AuroraRoutes.challenge) }
        return .aurora(json.bytes, status: status, headers)
    }

    fileprivate static func auroraLimitReached(
        _ standing: RateStanding,
        _ now: Timestamp
    ) -> ServerResponse {
        var response = auroraError(429, "Rate limit exceeded. Please try again later.") {
            $0.field("limit", standing.limit)
            $0.field("reset", standing.reset.iso8601)
        }
        let wait = max(1, Int64((standing.reset - now).inSeconds.rounded(.up)))
        response.head.headers.append("Retry-After", String(wait))
        return response
    }
}

extension HTTPHeaders {
    /// The contract counts the reset in milliseconds since 1970.
    fileprivate mutating func append(_ standing: RateStanding) {
        append("X-RateLimit-Limit", String(standing.limit))
        append("X-RateLimit-Remaining", String(standing.remaining))
        append("X-RateLimit-Reset", String(standing.reset.milliseconds))
    }
}
