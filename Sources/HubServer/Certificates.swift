import Logging
import Reactor
import Tasks
import Timekeeping

/// The certificates of a running hub: loaded anew when the operator says so, and complained about
/// while they wait for renewal.
struct Certificates: Sendable {
    let tls: TLSServer
    let logger: Logger

    private static let reminderInterval = Duration.seconds(86_400)

    /// Says which are in use, and warns of those that should have been renewed.
    func report(now: Timestamp) {
        for certificate in tls.certificates {
            logger.info("certificate", metadata: certificate.metadata)
        }
        warn(now: now)
    }

    /// Reads all files again, for the connections to come. With one that cannot be used, everything
    /// stays as it was, and the answer is false.
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

    /// Repeats the warnings every day.
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
