import ClientWire
import Service

/// The rules for publications from SQL: those of `POST /api/publish`.
///
/// A row is read as the content of such a request. So topics, payloads, tags, keys and limits are
/// checked by the same code, and the reasons of refusals are its errors.
struct InboxRules: Sendable {
    var namespaces: NamespaceRules
    var limits = ServerAPILimits()
    /// `limits.body_bytes`, the limit of the length of a request.
    var requestBytesMax: Int
    /// The time of the publications.
    var time: Timestamp
    /// Returns the change that publishes the events, with the webhooks that they cause.
    var change: @Sendable ([TopicEvent]) -> Change

    func verdict(on row: InboxRow) -> InboxVerdict {
        guard row.request.count <= requestBytesMax else {
            return .refuse(
                reason: "publication: \(row.request.count) bytes over limit \(requestBytesMax)"
            )
        }
        do throws(ServerAPIRequestError) {
            let request = try ServerAPIRequest(.publish, body: row.request, limits: limits)
            guard case .publish(let publication) = request else {
                preconditionFailure("a request to publish is a publication")
            }
            guard let features = namespaces.features(of: publication.topic) else {
                let error = ServerAPIError(unknown: publication.topic, namespaces)
                return .refuse(reason: error.message)
            }
            return .publish(change([TopicEvent(publication, features, time: time)]))
        } catch {
            return .refuse(reason: error.reason)
        }
    }
}

extension ServerAPIRequestError {
    fileprivate var reason: String {
        switch self {
        case .notJSON(let reason): "the content is not JSON: \(reason)"
        case .refused(let error): error.message
        }
    }
}
