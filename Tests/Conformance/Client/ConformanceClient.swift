import ConformanceCases
import Foundation
import Wire

/// Our client role against a server that sends back every message, case by case.
///
///     conformance-client URL [--cases PREFIX,…] [--count N] [--report FILE]
///
/// `--count` is the most messages of an exchange, for a quick look.
///
/// Prints each case that is not OK and a summary. The report has one line a case: its id, a tab,
/// and `OK`, `INFORMATIONAL` or what the server did otherwise. The exit status says whether the
/// cases were run, not what came out; Tests/Conformance/compare.py judges the report.
@main
enum ConformanceClient {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            fail(
                "usage: conformance-client ws://HOST:PORT/PATH "
                    + "[--cases PREFIX,…] [--count N] [--report FILE]"
            )
        }
        let cases = ConformanceCase.all.filter { options.wants($0.id) }
        var report = ""
        var passedCount = 0
        for conformanceCase in cases {
            let stream: TCPStream
            do throws(TCPError) {
                stream = try TCPStream.connect(
                    host: options.address.host,
                    port: options.address.port
                )
            } catch {
                // A server that is gone has no results.
                fail("\(conformanceCase.id): \(error)")
            }
            let problem = result(of: conformanceCase, on: stream, options)
            let verdict = conformanceCase.isInformational ? "INFORMATIONAL" : problem ?? "OK"
            if problem == nil { passedCount += 1 }
            if let problem { print("\(conformanceCase): \(problem)") }
            report += "\(conformanceCase.id)\t\(verdict)\n"
        }
        print("\(passedCount) of \(cases.count) cases as they should be")
        if let path = options.reportPath { write(report, to: path) }
    }

    /// Runs one case on a fresh connection; nil when the server conforms.
    private static func result(
        of conformanceCase: ConformanceCase,
        on stream: consuming TCPStream,
        _ options: Options
    ) -> String? {
        do throws(TCPError) {
            let offer = conformanceCase.compressionOffers.first
            let opened = try openWebSocket(
                on: &stream,
                at: options.address,
                deflate: offer?.settings
            )
            if offer != nil, opened.deflate == nil { return "compression declined" }
            var run = CaseRun(
                conformanceCase.script(),
                delivery: conformanceCase.delivery,
                codec: ConnectionCodec(
                    role: .client,
                    limits: .conformance,
                    deflate: opened.deflate
                ),
                exchangeCountMax: options.exchangeCountMax
            )
            if !opened.rest.isEmpty { run.received(opened.rest) }
            while true {
                switch run.next() {
                case .send(let pieces):
                    for piece in pieces { try stream.send(piece) }
                case .receive, .receiveEnd:
                    if let bytes = try stream.receive() {
                        run.received(bytes)
                    } else {
                        run.streamEnded()
                    }
                case .expectSilence: continue
                case .done(let problem): return problem
                }
            }
        } catch {
            return error.description
        }
    }

    /// Carries out the opening handshake; returns the bytes that came behind it, and what was agreed
    /// on. Of a case with several offers the first is made.
    private static func openWebSocket(
        on stream: inout TCPStream,
        at address: ServerAddress,
        deflate: DeflateSettings?
    ) throws(TCPError) -> (rest: [UInt8], deflate: DeflateParameters?) {
        let handshake = ClientHandshake(
            host: "\(address.host):\(address.port)",
            resourceName: address.resourceName,
            nonce: (0..<ClientHandshake.nonceLength).map { _ in UInt8.random(in: 0...255) },
            deflate: deflate
        )
        var request: [UInt8] = []
        handshake.request.append(to: &request)
        try stream.send(request)
        var parser = HTTPResponseParser()
        parser.expectResponse(to: "GET")
        var response: HTTPResponseHead?
        while let bytes = try stream.receive() {
            var consumed = 0
            do {
                while let event = try parser.next(bytes.span, consumed: &consumed) {
                    if case .head(let head) = event { response = head }
                }
                guard let response else { continue }
                let agreement = try handshake.verify(response)
                return (Array(bytes[consumed...]), agreement.deflate)
            } catch {
                throw TCPError("opening handshake: \(error)")
            }
        }
        throw TCPError("opening handshake: the stream ended")
    }

    private static func write(_ text: String, to path: String) {
        do {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            fail("cannot write \(path): \(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(2)
    }
}

/// What the command line asks for.
private struct Options {
    var address: ServerAddress
    /// Beginnings of ids; empty for all.
    private var prefixes: [Substring] = []
    var exchangeCountMax = Int.max
    var reportPath: String?

    init?(_ arguments: ArraySlice<String>) {
        guard let url = arguments.first, let address = ServerAddress(url: url) else { return nil }
        self.address = address
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--cases": prefixes = value.split(separator: ",")
            case "--count":
                guard let count = Int(value), count > 0 else { return nil }
                exchangeCountMax = count
            case "--report": reportPath = value
            default: return nil
            }
        }
    }

    func wants(_ id: String) -> Bool {
        prefixes.isEmpty || prefixes.contains { id.hasPrefix($0) }
    }
}
