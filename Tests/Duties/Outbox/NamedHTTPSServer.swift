import Foundation
import HubTesting
import Loops
import Reactor
import Service
import Wire

@testable import Duties

/// An HTTPS server on loopback with a certificate for `other.test`, its default, and one for
/// `receiver.test`, which only those get who ask for that name. Both are made by an authority of the tests,
/// and hold for a hundred years.
struct NamedHTTPSServer {
    let transport: Transport
    /// Of the authority.
    let authorityFile: String

    var port: UInt16 { transport.addresses[0].port }

    static func run(
        respond: @escaping @Sendable (ServerRequest) -> ServerResponse,
        _ body: (NamedHTTPSServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "varde-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let certificates = [
            TLSCertificateFiles(
                certificate: try file("other.pem", Self.otherCertificate),
                key: try file("other.key", Self.otherKey)
            ),
            TLSCertificateFiles(
                certificate: try file("receiver.pem", Self.receiverCertificate),
                key: try file("receiver.key", Self.receiverKey)
            ),
        ]
        let tls = try TLSServer(TLSServerSettings(certificates: certificates), now: HubClock.wall)
        let loops = try Transport.make(
            loops: 1,
            settings: LoopSettings(),
            rules: .none,
            logger: silentLogger,
            histories: .none
        )
        let transport = try await loops.start(
            on: [ListenerSettings(.address(SocketAddress("127.0.0.1:0")!))],
            tls: tls,
            respond: { respond($0) }
        )
        let server = NamedHTTPSServer(
            transport: transport,
            authorityFile: try file("authority.pem", Self.authority)
        )
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(server)) } catch { outcome = .failure(error) }
        await transport.drain(timeout: .seconds(1))
        try outcome.get()
    }

    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAT+gAwIBAgIUPL2MLMgRCBY6e6B4nF6m4GiUOPkwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIxMjEwOTI2WhgPMjEy
        NjEwMjgyMTA5MjZaMBkxFzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEUi0vK4zdPSmFVcYcgjrkujpd+bfZOVkYd/wtnHmk
        7U5qzkXfcb1FRiMbVbRz++IdV2wmN4g0xXZi9BhdPnIqp6NjMGEwHQYDVR0OBBYE
        FDhmNoM66ClaAC4MqDrZQBW+rDwLMB8GA1UdIwQYMBaAFDhmNoM66ClaAC4MqDrZ
        QBW+rDwLMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49
        BAMCA0kAMEYCIQDlRk6QXC6LZYY6GnKt1kHIC5WKO6NtUMs1+fm7w3Q8mgIhAMz6
        wj0WbzuzeFJxyOC6hZ+9+i9oQN2ASYUNHdyGGKZZ
        -----END CERTIFICATE-----
        """

    private static let receiverCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBxjCCAWygAwIBAgIURxbozambdYzbwuB2kLMn7NN7q5UwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIxMjEwOTI2WhgPMjEy
        NjEwMjgyMTA5MjZaMBgxFjAUBgNVBAMMDXJlY2VpdmVyLnRlc3QwWTATBgcqhkjO
        PQIBBggqhkjOPQMBBwNCAAT1YvazPAmi4368+TRtSRSEanjgY9eLwSfUE6naN4/X
        7b7PmzbWLVnSr79aKsU7j7A0Dn7luNThq9GW66tyRru4o4GQMIGNMBgGA1UdEQQR
        MA+CDXJlY2VpdmVyLnRlc3QwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4Aw
        EwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFKTpJuwIL9TDKS52mq89wg/v
        4PLwMB8GA1UdIwQYMBaAFDhmNoM66ClaAC4MqDrZQBW+rDwLMAoGCCqGSM49BAMC
        A0gAMEUCIFhbvF5rIgd4jYH+kjiI05jqdu0kc5CD3ncdrM6asekPAiEAo7SnAz+d
        UeQFvItwxrFYhx4FnE/9zeqtlmauHpQKvsE=
        -----END CERTIFICATE-----
        """

    private static let receiverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggNjYjJrlgWO/SuS4
        fdYk0vW0FpqkvT5B4I1Kjzvc1SihRANCAAT1YvazPAmi4368+TRtSRSEanjgY9eL
        wSfUE6naN4/X7b7PmzbWLVnSr79aKsU7j7A0Dn7luNThq9GW66tyRru4
        -----END PRIVATE KEY-----
        """

    private static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBwDCCAWagAwIBAgIURxbozambdYzbwuB2kLMn7NN7q5YwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIxMjEwOTI3WhgPMjEy
        NjEwMjgyMTA5MjdaMBUxEzARBgNVBAMMCm90aGVyLnRlc3QwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAATZmPtINqF8B41MbdTV7I68iymyG8Qn58KeRG5MxDy1OSeW
        1GPc2LOKlWc05SK4HxquNYhmzPE345L4ieGY+P8io4GNMIGKMBUGA1UdEQQOMAyC
        Cm90aGVyLnRlc3QwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0l
        BAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFH608UUdGJrf0Fnhg/VV9h4t0cyqMB8G
        A1UdIwQYMBaAFDhmNoM66ClaAC4MqDrZQBW+rDwLMAoGCCqGSM49BAMCA0gAMEUC
        IAv2FfTVT661b/rWiv3LZQtBUluesoPdoRfLh/nbxytuAiEAsZv0dlv/SMIMvFxI
        w05PzRcOFhVdj/dM1COVxFrWLV0=
        -----END CERTIFICATE-----
        """

    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgof5fOX3L+iOjXYMA
        z7drV4U3KEFFNOwBq6DMOROaO5GhRANCAATZmPtINqF8B41MbdTV7I68iymyG8Qn
        58KeRG5MxDy1OSeW1GPc2LOKlWc05SK4HxquNYhmzPE345L4ieGY+P8i
        -----END PRIVATE KEY-----
        """
}
