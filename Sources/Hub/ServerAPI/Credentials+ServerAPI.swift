import Access

extension Credentials {
    /// Who may use the server API.
    package var access: ServerAPI.Access {
        apiKeys.isEmpty ? .closed : .keys({ apiKeys.grant(of: $0) })
    }
}
