import Activity
import ActivityApp
import Foundation

extension CatalogueImporter {
    /// A read of this length costs little compared with the rows in it.
    private static let pieceLengthMax = 256 * 1024
    /// The number of rows that are stored between two progress lines.
    private static let rowsPerLine = 1_000_000

    /// A data set of MovieLens: films, and ratings of people without names.
    ///
    /// Each data set has numbers of its own for people, and `ml-100k` also for films, so a store
    /// has one data set.
    ///
    /// - Parameter name: of the data set; nil for that of the directory.
    func movieLens(directory: String, name: String? = nil) async throws -> ImportReport {
        let start = ContinuousClock.now
        let layout = try CatalogueImporter.layout(of: directory)
        let set = try await identified(try await dataSet(name, in: directory), layout, directory)
        var machine = MovieLensImport(now: now)
        for file in layout.files {
            let handle = try CatalogueImporter.open("\(directory)/\(file.name)")
            machine.begin(file)
            while let piece = try handle.read(upToCount: Self.pieceLengthMax), !piece.isEmpty {
                machine.receive(piece)
                try await store(&machine, set)
            }
            machine.end()
            try await store(&machine, set)
            try handle.close()
        }
        return try finished(machine.report, since: start)
    }

    /// Throws when a directory has no data set, or when one of its files cannot be read.
    static func checkMovieLens(directory: String) throws {
        for file in try layout(of: directory).files {
            try checkIsReadable("\(directory)/\(file.name)")
        }
    }

    /// Not inlined: the compiler (Swift 6.3.1) crashes when it optimises an async caller.
    @inline(never)
    private static func layout(of directory: String) throws -> MovieLensLayout {
        try MovieLensLayout(fileNames: try fileNames(in: directory))
    }

    /// Returns the name of the data set to be imported.
    ///
    /// - Parameter name: the given one, if any.
    private func dataSet(_ name: String?, in directory: String) async throws -> String {
        let found = name ?? URL(filePath: directory).standardizedFileURL.lastPathComponent
        let others = "the numbers of another one stand for other films and people"
        switch try await target.movieLensDataSet() {
        case .unnamed where name == nil:
            throw CatalogueError(
                "found the data set \(found), expected --data-set NAME, because the database has people"
                    + " of a data set without its name: \(others). If it is the same one, add"
                    + " --data-set \(found); otherwise use another database"
            )
        case .named(let stored) where stored != found:
            throw CatalogueError(
                "found the data set \(found), expected \(stored), which the database has: \(others)."
                    + " If it is the same one, add --data-set \(stored); otherwise use another database"
            )
        case .none, .unnamed, .named: return found
        }
    }

    /// Reads the data set's sample, and compares it with that of the data set that has this name in the
    /// database.
    private func identified(
        _ name: String,
        _ layout: MovieLensLayout,
        _ directory: String
    ) async throws -> MovieLensDataSet {
        let known = DataSetSample(text: try await target.movieLensSample() ?? "")
        var sampler = DataSetSampler(comparing: known)
        for file in layout.files where file.content != .links {
            let handle = try CatalogueImporter.open("\(directory)/\(file.name)")
            sampler.begin(file)
            while let piece = try handle.read(upToCount: Self.pieceLengthMax), !piece.isEmpty,
                try sampler.receive(piece)
            {}
            try sampler.end()
            try handle.close()
        }
        guard let disagreement = sampler.disagreement else {
            return MovieLensDataSet(name: name, sample: sampler.sample.text)
        }
        throw CatalogueError(
            "found another data set than the one that the database has under the name \(name):"
                + " \(disagreement). Use another database, with --database or --config"
        )
    }

    private func store(_ machine: inout MovieLensImport, _ dataSet: MovieLensDataSet) async throws {
        while let batch = try machine.next() {
            machine.stored(try await target.store(batch, ofDataSet: dataSet))
            let count = machine.report.ratings.all
            if case .ratings = batch, count % Self.rowsPerLine < batch.count {
                tell("\(count) ratings")
            }
        }
    }
}
