/// The certificates of a running hub: reloaded on the operator's request, with log warnings while
/// they are due for renewal.
struct Certificates: Sendable {
    let tls: TLSServer
    let logger: Logger

    private static let reminderInterval = Duration.seconds(86_400)

    /// Logs the certificates in use, and warns about those that should have been renewed.
    func report(now: Timestamp) {
        for certificate in tls.certificates {
            logger.info("certificate", metadata: certificate.metadata)
        }
        warn(now: now)
    }

    /// Reads all files again, for new connections. If one cannot be used, nothing changes, and the
    /// result is false.
    func reload(now: Timestamp) -> Bool {
        do {
            try tls.reload(now: now)
        } catch {
            logger.error("certificates not reloaded", metadata: ["err": "\(error)"])
            return false
        }
        logger.notice("certificates reloaded")
        report(now: now)
        return true
    }

    /// Repeats the warnings daily.
    func remind() async {
        while (try? await Task.sleep(for: Certificates.reminderInterval)) != nil {
            warn(now: HubClock.wall)
        }
    }

    private func warn(now: Timestamp) {
        for certificate in tls.certificates where certificate.isRenewalDue(now: now) {
            logger.warning("certificate needs renewal", metadata: certificate.metadata)
        }
    }
}

extension TLSCertificate {
    fileprivate var metadata: Logger.Metadata {
        [
            "file": "\(file)", "names": "\(names.joined(separator: " "))",
            "until": "\(validUntil.iso8601Seconds)",
        ]
    }
}
