/// The requests that a backend can send to the hub: the last part of `/api/<method>`, and the key
/// of a command in a batch. Source: protocol/server-api.md.
package enum ServerAPIMethod: String, CaseIterable, Sendable {
    case publish
    case broadcast
    case subscribe
    case unsubscribe
    case disconnect
    case refresh
    case presence
    case presenceStats = "presence_stats"
    case history
    case historyRemove = "history_remove"
    case channels
    case connections
    case info
    case getUserStatus = "get_user_status"
    case revokeToken = "revoke_token"
    case invalidateUserTokens = "invalidate_user_tokens"
    case blockUser = "block_user"
    case unblockUser = "unblock_user"
    case batch

    /// The name of the scope of API keys that allows the method. The group `connections` has other
    /// methods.
    package var scope: String { self == .connections ? "connections_list" : rawValue }

    /// Methods that clients of this API have and the hub does not offer. They are answered with
    /// error 108, so that a client reports the actual cause; any other name is error 104.
    package static let notOffered: Set<String> = [
        "rpc",
        "update_user_status", "delete_user_status",
        "device_register", "device_update", "device_remove", "device_list",
        "device_topic_list", "device_topic_update", "user_topic_list", "user_topic_update",
        "send_push_notification", "update_push_status", "cancel_push",
        "map_publish", "map_remove", "map_read_state", "map_read_stream", "map_stats",
        "map_clear", "shared_poll_publish",
    ]
}
