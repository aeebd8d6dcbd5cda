import Glibc
import TLSTesting

@testable import Reactor

typealias TLSTestIdentity = TLSTesting.TLSTestIdentity
typealias SystemTestError = TLSTesting.SystemTestError

extension TLSTesting.TLSTestIdentity {
    var files: TLSCertificateFiles {
        TLSCertificateFiles(certificate: certificateFile, key: keyFile)
    }

    func server() throws -> TLSServer {
        try TLSServer(TLSServerSettings(certificates: [files]), now: presentTime())
    }

    func serverContext(
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws -> TLSContext {
        var settings = TLSServerSettings(certificates: [files])
        settings.applicationProtocols = alpn
        settings.versions = versions
        return try TLSContext(server: settings, tickets: TLSTickets(), now: presentTime())
    }

    func clientContext(
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws -> TLSContext {
        try TLSContext(clientTrusting: .file(certificateFile), alpn: alpn, versions: versions)
    }
}

/// The certificates of tests are made for it, since clients ask the system's clock.
func presentTime() -> Timestamp { Timestamp(seconds: Double(time(nil))) }
