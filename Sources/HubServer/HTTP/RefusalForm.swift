import Activity
import HTTPWire
import JSONText
import Routing

/// In which form clients are told that nothing is at a path, or that it has no such method.
///
/// Each app decodes errors of its own form, also where it is wrong about a path. What belongs to no app is
/// told in plain text, like all that the transport refuses.
enum RefusalForm: Sendable, Equatable {
    case plain
    /// `{"message":…,"code":…}`
    case messageAndCode
    case activity
    case aurora

    /// The first parts of paths, and the form of all that is below them.
    private static let places: [(parts: [Substring], form: RefusalForm)] = [
        (["api", "radars"], .messageAndCode), (["api", "interpret"], .messageAndCode),
        (["api", "webhooks"], .messageAndCode), (["api", "alerts"], .messageAndCode),
        (["api", "aurora"], .aurora),
        (["auth"], .activity), (["movies"], .activity), (["watchlist"], .activity),
        (["feed"], .activity), (["friends"], .activity), (["users"], .activity),
    ]

    /// The form of a path. Apps that the hub does not serve have none: nothing of theirs is here.
    init(path: String, in routes: Routes) {
        let place = RefusalForm.places.first { place in
            PathSegments(path).starts(with: place.parts) && routes.leads(below: place.parts)
        }
        self = place?.form ?? .plain
    }

    var notFound: ServerResponse {
        switch self {
        case .plain: ServerResponse(status: 404, text: "Not Found")
        case .messageAndCode: .refusal(404, "NOT_FOUND", RefusalForm.nothingHere)
        case .activity: .refusal(.nothingHere)
        case .aurora: .auroraError(404, "Nothing is at this path.")
        }
    }

    func methodNotAllowed(allowed: [String]) -> ServerResponse {
        let list = allowed.joined(separator: ", ")
        var response: ServerResponse
        switch self {
        case .plain: return .methodNotAllowed(allowed: allowed)
        case .messageAndCode:
            response = .refusal(405, "METHOD_NOT_ALLOWED", "the methods here are \(list)")
        case .activity: response = .refusal(.methodNotAllowed(allowed: list))
        case .aurora: response = .auroraError(405, "The methods here are \(list).")
        }
        response.head.headers.append("Allow", list)
        return response
    }

    private static let nothingHere = "nothing is at this path"
}

extension ServerResponse {
    fileprivate static func refusal(
        _ status: Int,
        _ code: String,
        _ message: String
    ) -> ServerResponse {
        var json = JSONWriter()
        json.object {
            $0.field("message", message)
            $0.field("code", code)
        }
        return .uncached(json.bytes, status: status)
    }

    fileprivate static func refusal(_ error: ActivityError) -> ServerResponse {
        .uncached(error.json(), status: error.status)
    }
}
