import Service

extension Credentials {
    /// The keys that open the server API.
    package var access: ServerAPI.Access {
        apiKeys.isEmpty ? .closed : .keys({ apiKeys.grant(of: $0) })
    }
}
