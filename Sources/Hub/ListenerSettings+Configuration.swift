extension ListenerSettings {
    /// Returns all listeners of a configuration, those of `listen` first.
    ///
    /// - Parameter report: receives the key of an address that does not exist, and the error.
    static func all(
        _ configuration: Configuration,
        report: (String, String) -> Void
    ) -> [ListenerSettings] {
        func settings(
            _ addresses: [ListenAddress],
            _ path: String,
            _ kind: ListenerKind,
            usesTLS: Bool
        ) -> [ListenerSettings] {
            addresses.enumerated().compactMap { index, address in
                let place: Place?
                if let path = address.unixPath {
                    place = .unix(path: path, mode: configuration.socketMode.bits)
                } else {
                    place = SocketAddress(host: address.host, port: address.port).map {
                        .address($0)
                    }
                }
                guard let place else {
                    report("\(path)[\(index)]", "\(address) has no address")
                    return nil
                }
                return ListenerSettings(place, kind: kind, usesTLS: usesTLS)
            }
        }
        return settings(configuration.listen, "listen", .public, usesTLS: true)
            + settings(
                configuration.admin.listen,
                "admin.listen",
                .admin,
                usesTLS: configuration.admin.tls
            )
    }
}
