import CZlib
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository
import Service

@testable import API

@Suite("Console: its files", .timeLimit(.minutes(10)))
struct ConsoleTests {
    private let folder = URL(filePath: repositoryRoot).appending(path: "console")

    private func respond(
        _ target: String,
        _ headers: HTTPHeaders = [:],
        files: ConsoleFiles = ConsoleFiles()
    ) async -> ServerResponse {
        var routes = Routes()
        ConsoleRoutes(files: files).add(to: &routes)
        return await RouteResponder(routes: routes, logger: silentLogger)
            .respond(
                to: ServerRequest(
                    head: HTTPRequestHead(target: target, headers: headers),
                    body: [],
                    peer: nil
                )
            )
    }

    private func inflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: 1 << 20)
        let ended = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard ended == Z_STREAM_END else { return [] }
        return Array(output.prefix(Int(stream.total_out)))
    }

    @Test(arguments: [0, 1, 100, 70_000])
    func gzipGivesTheSameBytesBack(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        expectEqual(inflated(gzip(bytes)), bytes)
        expectEqual(gzip(bytes), gzip(bytes))
    }

    /// `make console-files` writes the list.
    @Test func everyFileIsEmbedded() throws {
        let all = try require(FileManager.default.enumerator(atPath: folder.path()))
        let paths = all.compactMap { $0 as? String }
            .filter {
                [".html", ".js", ".css", ".json"].contains("." + ($0 as NSString).pathExtension)
            }
        expectEqual(ConsoleFiles.embedded, paths.sorted())
        for path in paths {
            let bytes = try Data(contentsOf: folder.appending(path: path))
            expectEqual(ConsoleFiles().bytes(of: path), Array(bytes), "\(path)")
        }
    }

    /// The budget of docs/DECISIONS/037.
    @Test func allFilesCompressedAreAtMost150Kilobytes() {
        let sizes = ConsoleFiles.embedded.map { gzip(ConsoleFiles().bytes(of: $0) ?? []).count }
        expect(sizes.reduce(0, +) <= 150_000)
    }

    @Test func vendoredFilesHaveTheirDigests() throws {
        let text = try String(
            contentsOf: folder.appending(path: "vendor/README.md"),
            encoding: .utf8
        )
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        let vendored = ConsoleFiles.embedded.filter { $0.hasPrefix("vendor/") }
        let named = Set(rows.map { "vendor/" + $0[0].trimmingCharacters(in: ["`"]) })
        expectEqual(named, Set(vendored))
        for row in rows {
            let name = row[0].trimmingCharacters(in: ["`"])
            let bytes = try Data(contentsOf: folder.appending(path: "vendor/\(name)"))
            let digest = sha256(Array(bytes)).map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            expectEqual("`\(digest.joined())`", row[5], "\(name)")
        }
    }

    // MARK: Responses

    @Test(arguments: ["/console/", "/console/now", "/console/try", "/console/index.html"])
    func pageIsServedForEveryView(target: String) async throws {
        let response = await respond(target)
        expectEqual(response.head.status, 200)
        expectEqual(response.head.headers.first("Content-Type"), "text/html; charset=utf-8")
        expectEqual(response.body, ConsoleFiles().bytes(of: "index.html"))
        let policy = try require(response.head.headers.first("Content-Security-Policy"))
        expect(policy.contains("default-src 'self'"))
        expect(policy.contains("frame-ancestors 'none'"))
        expect(!policy.contains("unsafe"))
        expectEqual(response.head.headers.first("X-Frame-Options"), "DENY")
    }

    @Test func pathWithoutSlashIsRedirected() async {
        let response = await respond("/console")
        expectEqual(response.head.status, 308)
        expectEqual(response.head.headers.first("Location"), "console/")
    }

    @Test(arguments: [
        "/console/nothing.js", "/console/lib/nothing.js", "/console/other/app.js",
        "/console/vendor/README.md", "/console/..%2f..%2fPackage.swift", "/console/.js",
        "/console/a.b.js", "/console/lib/..%2fapp.js", "/console/lib/%2e%2e%2fapp.js",
        "/console/embed.sh",
        "/console/lib", "/console/lib/",
    ])
    func otherNamesAreNotFound(target: String) async {
        for files in [ConsoleFiles(), ConsoleFiles(directory: folder.path())] {
            let response = await respond(target, files: files)
            expectEqual(response.head.status, 404)
        }
    }

    @Test func compressedFormIsSentOnlyToThoseThatAcceptIt() async throws {
        let plain = await respond("/console/app.js")
        let bytes = try require(ConsoleFiles().bytes(of: "app.js"))
        expectEqual(plain.body, bytes)
        expect(!plain.head.headers.contains("Content-Encoding"))
        expectEqual(plain.head.headers.first("Vary"), "Accept-Encoding")
        let compressed = await respond("/console/app.js", ["Accept-Encoding": "br, gzip"])
        expectEqual(compressed.head.headers.first("Content-Encoding"), "gzip")
        expectEqual(inflated(compressed.body), bytes)
        // RFC 9110 §8.8.3.3: the two forms differ, so their strong validators do.
        let tags = [plain, compressed].compactMap { $0.head.headers.first("ETag") }
        expectEqual(Set(tags).count, 2)
        for (tag, coding) in zip(tags, ["identity", "gzip"]) {
            let again = await respond(
                "/console/app.js",
                ["Accept-Encoding": coding, "If-None-Match": tag]
            )
            expectEqual(again.head.status, 304)
            expect(again.body.isEmpty)
        }
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP;q=0.5", true), ("*", true), ("br, gzip ; q=1", true), ("", false),
        ("gzip;q=0", false), ("gzip; q=0.000", false), ("br", false), ("gzipped", false),
    ])
    func acceptedCodings(value: String, accepts: Bool) {
        expectEqual(ConsoleRoutes.takesGzip(["Accept-Encoding": value]), accepts)
    }

    @Test func folderIsReadForEachRequest() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "console-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let files = ConsoleFiles(directory: directory.path())
        for text in ["one", "two"] {
            try Data(text.utf8).write(to: directory.appending(path: "app.js"))
            let response = await respond("/console/app.js", files: files)
            expectEqual(response.body, Array(text.utf8))
        }
        // The embedded files are not mixed in.
        await expectEqual(respond("/console/style.css", files: files).head.status, 404)
    }
}
