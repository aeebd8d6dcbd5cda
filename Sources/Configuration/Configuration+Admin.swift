extension Configuration {
    /// Listeners for operators.
    package struct Admin: Equatable, Sendable {
        /// If empty, the public listeners serve everything.
        package var listen: [ListenAddress] = []
        package var tls = false

        package init() {}
    }

    /// The permissions of a unix socket.
    package struct SocketMode: Equatable, Sendable {
        package var bits: UInt32 = 0o660

        package init() {}

        /// Reads `0660` or `660`.
        package init?(_ text: String) {
            guard (3...4).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
                let bits = UInt32(text, radix: 8), bits <= 0o777
            else { return nil }
            self.bits = bits
        }
    }
}

extension Configuration.Admin: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Admin>] {
        [
            .list(
                "listen",
                \.listen,
                .listenAddress,
                counts: 0...16,
                reload: .restart,
                meaning: """
                    Listeners for monitoring and operators. They serve all routes. With at least one, \
                    `/metrics`, `/api/health`, `/debug/…` and `/console/` are closed on the listeners of `listen`, \
                    and `/readyz` there does not contain the reason. `/livez` stays as it is.
                    """
            ),
            .scalar(
                "tls",
                \.tls,
                .flag,
                reload: .restart,
                meaning: "Whether these listeners use the certificates of `tls`."
            ),
        ]
    }
}

extension ScalarType where Value == Configuration.SocketMode {
    static var socketMode: ScalarType {
        ScalarType(
            name: "mode",
            range: "octal, 000 to 0777",
            example: "\"0660\"",
            read: { Configuration.SocketMode($0.text) },
            text: { "\"0\(String($0.bits, radix: 8))\"" }
        )
    }
}
