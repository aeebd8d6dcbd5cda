import COpenSSL

@testable import Reactor

/// A session with a loop's buffers of its own, and arrays on the outside.
final class TLSTestPeer {
    var session: TLSSession
    let buffers: TLSBuffers
    /// All plaintext so far.
    private(set) var received: [UInt8] = []

    init(
        _ context: TLSContext,
        _ role: TLSSession.Role,
        buffers: TLSBuffers = TLSBuffers()
    ) throws {
        self.buffers = buffers
        session = try TLSSession(context: context, role: role, buffers: buffers)
    }

    /// What the session has written since the last call.
    func takeOutput() -> [UInt8] {
        defer { buffers.clearOutput() }
        return Array(buffers.output)
    }

    func receive(_ ciphertext: some Collection<UInt8>) {
        let bytes = Array(ciphertext)
        let plaintext = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.count + TLSSession.plaintextSlack,
            alignment: 1
        )
        defer { plaintext.deallocate() }
        let result = bytes.withUnsafeBytes { session.receive($0, plaintext: plaintext) }
        received += plaintext[..<result.plaintextCount]
    }

    func receive(_ ciphertext: [UInt8], _ slicing: Slicing) {
        for piece in slicing.pieces(of: ciphertext) { receive(piece) }
    }

    func send(_ plaintext: [UInt8]) -> TLSError? {
        plaintext.withUnsafeBytes { session.send($0) }
    }

    func takeReceived() -> [UInt8] {
        defer { received = [] }
        return received
    }

    // Forwarded, because `#expect` takes no expression through a noncopyable value.

    var state: TLSSession.State { session.state }
    var isHandshakeComplete: Bool { session.isHandshakeComplete }
    var protocolVersion: String { session.protocolVersion }
    var applicationProtocol: String? { session.applicationProtocol }
    var isResumed: Bool { session.isResumed }
    func endOfStream() -> TLSError? { session.endOfStream() }

    var failure: TLSError? {
        if case .failed(let error) = session.state { return error }
        return nil
    }
}

/// How a stream of bytes arrives.
enum Slicing {
    case whole
    case byteByByte
    /// In two pieces; a position past the end is the end.
    case split(at: Int)

    func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        switch self {
        case .whole: [bytes[...]]
        case .byteByByte: bytes.indices.map { bytes[$0...$0] }
        case .split(let position):
            [bytes.prefix(position), bytes.dropFirst(position)]
        }
    }
}

/// Carries what each side has to say to the other until both are silent.
func exchange(_ client: TLSTestPeer, _ server: TLSTestPeer, _ slicing: Slicing = .whole) {
    while true {
        let toServer = client.takeOutput()
        if !toServer.isEmpty { server.receive(toServer, slicing) }
        let toClient = server.takeOutput()
        if !toClient.isEmpty { client.receive(toClient, slicing) }
        if toServer.isEmpty, toClient.isEmpty { return }
    }
}

/// Two sides of one connection, past the handshake unless it was refused.
func connectedPair(
    server serverContext: TLSContext,
    client clientContext: TLSContext,
    hostName: String = "localhost",
    _ slicing: Slicing = .whole,
    prepare: (_ client: OpaquePointer) -> Void = { _ in }
) throws -> (client: TLSTestPeer, server: TLSTestPeer) {
    let client = try TLSTestPeer(clientContext, .client(hostName: hostName))
    let server = try TLSTestPeer(serverContext, .server)
    prepare(client.session.ssl)
    client.session.startHandshake()
    exchange(client, server, slicing)
    return (client, server)
}

func connectedPair(
    versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
) throws -> (client: TLSTestPeer, server: TLSTestPeer) {
    let identity = try TLSTestIdentity()
    return try connectedPair(
        server: identity.serverContext(),
        client: identity.clientContext(versions: versions)
    )
}

/// The name of the cipher that was agreed to.
func cipher(of peer: TLSTestPeer) -> String? {
    SSL_CIPHER_get_name(SSL_get_current_cipher(peer.session.ssl)).map { String(cString: $0) }
}

/// Gives a client a certificate to show.
func use(_ files: TLSCertificateFiles, in ssl: OpaquePointer) {
    precondition(SSL_use_certificate_file(ssl, files.certificate, SSL_FILETYPE_PEM) == 1)
    precondition(SSL_use_PrivateKey_file(ssl, files.key, SSL_FILETYPE_PEM) == 1)
}

/// One record as RFC 8446 §5.1 frames it.
struct TLSRecord: Equatable {
    var type: UInt8
    var body: [UInt8]

    static let alert: UInt8 = 21
    static let applicationData: UInt8 = 23

    /// The records in `bytes`; nil when it does not consist of whole ones.
    static func all(in bytes: [UInt8]) -> [TLSRecord]? {
        var rest = bytes[...]
        var records: [TLSRecord] = []
        while !rest.isEmpty {
            guard rest.count >= 5 else { return nil }
            let header = Array(rest.prefix(5))
            let length = Int(header[3]) << 8 | Int(header[4])
            guard rest.count >= 5 + length else { return nil }
            records.append(
                TLSRecord(type: header[0], body: Array(rest.dropFirst(5).prefix(length)))
            )
            rest = rest.dropFirst(5 + length)
        }
        return records
    }
}

/// Bytes that differ from their neighbours, so that a lost or swapped piece shows.
func patternedBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
