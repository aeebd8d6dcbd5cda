import Foundation

/// Tests the client for outgoing requests against an independent server: each answer has to be the
/// one to its request.
///
///     upstream-check contents DIRECTORY
///     upstream-check URL REQUESTS CONCURRENCY [OPTION…]
///
/// The first form writes the files that the server has to serve below `/contents/`. The second form
/// makes REQUESTS requests to the server, CONCURRENCY at a time. The path of the URL is ignored.
/// Its host has to be a name, and always resolves to 127.0.0.1.
///
/// Each request has a number. The server has to return it in the field `Answer-To`, with one of
/// these contents:
///
/// - `GET /contents/FILE.txt?id=NUMBER`: the file.
/// - `POST /echo?id=NUMBER`: the content of the request.
///
/// Options:
///
/// - `--authority FILE`: certificates to trust, in PEM form.
/// - `--proxy URL`: a forward proxy, for https with CONNECT.
/// - `--post`: POST with contents up to 1 MiB instead of GET.
/// - `--expect`: sends the content only after the server's 100 (Continue).
/// - `--gzip`: asks for compression. Fails if no answer was compressed.
/// - `--repeatable`: allows the client to repeat a request when a kept connection ends.
/// - `--close-every N`: the server closes connections after N requests. Fails if it did not.
/// - `--apart`: uses CONCURRENCY clients with a pool each, so that a request never waits for
///   another's connection.
/// - `--pause-min MILLISECONDS`, `--pause-max MILLISECONDS`: a pause of random length before each
///   request.
/// - `--seed N`: another series of contents and pauses.
///
/// Prints one line of JSON. `loop_delay_p99_ms` is how long the client's loop keeps others waiting. The exit status is 1 if an answer is lost or wrong, and 2 for invalid
/// arguments.
@main
enum UpstreamCheckCommand {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == "contents", let directory = arguments.last {
            if let problem = Contents().write(to: directory) { fail(problem) }
            return
        }
        let options: CheckOptions
        do throws(CheckOptionsError) {
            options = try CheckOptions(arguments)
        } catch {
            fail("\(error)")
        }
        do {
            let report = try await CheckRun(options).report()
            print(report.json)
            exit(report.isGood ? 0 : 1)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("upstream-check: \(message)\n".utf8))
        exit(2)
    }
}
