import Activity
import DomainKit
import Foundation

/// Reads the files of a catalogue and stores them batch by batch. The logic is in `Activity`.
///
/// To resume an import that stopped, start it again: rows already stored are not added twice.
package struct CatalogueImporter {
    package let target: any ImportTarget
    /// Since when imported people are there.
    package let now: Timestamp
    /// Takes a line about how far it is.
    package let tell: (String) -> Void

    package init(target: any ImportTarget, now: Timestamp, tell: @escaping (String) -> Void) {
        self.target = target
        self.now = now
        self.tell = tell
    }

    /// Every file of a directory whose name ends with `.json`, in the order of their names.
    package func tmdb(directory: String) async throws -> ImportReport {
        let paths = try CatalogueImporter.tmdbFiles(in: directory)
        return try await documents(paths) { .tmdb($0, file: $1) }
    }

    /// The paths of the files that `tmdb(directory:)` reads, at least one.
    package static func tmdbFiles(in directory: String) throws -> [String] {
        let names = try fileNames(in: directory).filter { $0.hasSuffix(".json") }.sorted()
        guard !names.isEmpty else {
            throw CatalogueError("\(directory): found no file that ends with .json")
        }
        return names.map { "\(directory)/\($0)" }
    }

    /// A file in the hub's own form.
    package func catalogue(file: String) async throws -> ImportReport {
        try await documents([file]) { .own($0, file: $1) }
    }

    private func documents(
        _ paths: [String],
        read: ([UInt8], String) -> CatalogueDocument
    ) async throws -> ImportReport {
        let start = ContinuousClock.now
        var report = ImportReport()
        var films: [ImportedFilm] = []
        for path in paths {
            let name = URL(filePath: path).lastPathComponent
            let handle = try CatalogueImporter.open(path)
            let data = try handle.read(upToCount: ImportLimits.documentBytesMax + 1) ?? Data()
            try handle.close()
            guard data.count <= ImportLimits.documentBytesMax else {
                report.add(ImportProblem(file: name, message: "it is over the limit of 16 MiB"))
                continue
            }
            let document = read(Array(data), name)
            for problem in document.problems { report.add(problem) }
            films += document.films
            if films.count >= ImportLimits.batchLengthMax {
                try await store(&films, &report)
            }
        }
        try await store(&films, &report)
        return try finished(report, since: start)
    }

    private func store(_ films: inout [ImportedFilm], _ report: inout ImportReport) async throws {
        var rest = films[...]
        films = []
        while !rest.isEmpty {
            let batch = ImportBatch.films(Array(rest.prefix(ImportLimits.batchLengthMax)))
            rest = rest.dropFirst(batch.count)
            report.add(batch, stored: try await target.store(batch))
        }
    }

    /// A report of nothing is a failure: the wrong directory, or files of another kind.
    package func finished(
        _ report: ImportReport,
        since start: ContinuousClock.Instant
    ) throws -> ImportReport {
        var report = report
        report.duration = ContinuousClock.now - start
        guard report.films.all > 0 else { throw CatalogueError("nothing was imported:\n\(report)") }
        return report
    }

    package static func fileNames(in directory: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
            throw CatalogueError("\(directory): cannot be read: \(error.reason)")
        }
    }

    package static func open(_ path: String) throws -> FileHandle {
        try checkIsReadable(path)
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CatalogueError("\(path): cannot be read")
        }
        return handle
    }
}

/// Why nothing was imported.
package struct CatalogueError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
