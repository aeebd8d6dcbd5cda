import Activity
import FuzzKit

extension FuzzTarget {
    static let catalogueTargets = [
        FuzzTarget("catalogue-csv", lengthMax: 256, dictionary: "catalogue") { try checkCSV($0) },
        FuzzTarget("catalogue-movielens", lengthMax: 512, dictionary: "catalogue") {
            try checkMovieLens($0)
        },
        FuzzTarget("catalogue-json", lengthMax: 1024, dictionary: "catalogue") {
            try checkCatalogueDocument($0)
        },
    ]
}

// MARK: Tables

/// Records and errors with places in the text, the same however it is cut; and records that are written
/// again read as themselves.
private func checkCSV(_ bytes: [UInt8]) throws {
    let fieldLengthMax = 16
    let dialects: [CSVReader.Dialect] = [.commas, .bars, .tabs, .doubleColons]
    for dialect in dialects {
        let whole = csvOutputs([bytes], dialect, fieldLengthMax: fieldLengthMax)
        for pieces in splittings(of: bytes) {
            let cut = csvOutputs(pieces, dialect, fieldLengthMax: fieldLengthMax)
            try expect(cut == whole, "\(pieces.map(\.count)) reads as \(cut), not \(whole)")
        }
        let lineCount = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        var lineBefore = 0
        for output in whole {
            let line = output.line
            try expect(line >= lineBefore && line <= lineCount, "line \(line) behind \(lineBefore)")
            lineBefore = line
            guard case .success(let record) = output.result else { continue }
            try expect((1...CSVReader.fieldsMax).contains(record.count), "\(record.count) fields")
            try expect(record.allSatisfy { $0.count <= fieldLengthMax }, "a field over its limit")
        }
    }
    let records = csvOutputs([bytes], .commas, fieldLengthMax: fieldLengthMax).compactMap {
        try? $0.result.get()
    }
    let written = records.flatMap { quoted($0) }
    let again = csvOutputs([written], .commas, fieldLengthMax: fieldLengthMax)
    try expect(again.map { try? $0.result.get() } == records, "\(written) reads as \(again)")
}

private struct CSVOutput: Equatable {
    var result: Result<[[UInt8]], CSVError>
    var line: Int
}

private func csvOutputs(
    _ pieces: [[UInt8]],
    _ dialect: CSVReader.Dialect,
    fieldLengthMax: Int
) -> [CSVOutput] {
    var reader = CSVReader(dialect, fieldLengthMax: fieldLengthMax)
    var outputs: [CSVOutput] = []
    func drain() {
        while true {
            do throws(CSVError) {
                guard let record = try reader.next() else { return }
                let fields = (0..<record.count).map { Array(record[$0]) }
                outputs.append(CSVOutput(result: .success(fields), line: record.line))
            } catch {
                outputs.append(CSVOutput(result: .failure(error), line: error.line))
            }
        }
    }
    for piece in pieces {
        reader.receive(piece)
        drain()
    }
    reader.end()
    drain()
    return outputs
}

/// A record as RFC 4180 has it, every field in quotation marks.
private func quoted(_ record: [[UInt8]]) -> [UInt8] {
    let quotationMark = UInt8(ascii: "\"")
    let fields = record.map { field in
        let escaped = field.flatMap {
            $0 == quotationMark ? [quotationMark, quotationMark] : [$0]
        }
        return [quotationMark] + escaped + [quotationMark]
    }
    return Array(fields.joined(separator: [UInt8(ascii: ",")])) + Array("\r\n".utf8)
}

// MARK: Data sets

/// Each of the files as any bytes, next to other files that are valid: an `ImportError`, or batches
/// within their limits that refer only to stored rows.
private func checkMovieLens(_ bytes: [UInt8]) throws {
    let sets: [[String: String]] = [
        [
            "links.csv": "movieId,tmdbId\n1,653\n", "movies.csv": "movieId,title,genres\n1,A,\n",
            "ratings.csv": "userId,movieId,rating,timestamp\n7,1,4.5,964982703\n",
        ],
        ["movies.dat": "1::A::\n", "ratings.dat": "7::1::5::964982703\n"],
        [
            "u.item": "1|A|01-Jan-1995" + String(repeating: "|", count: 21),
            "u.data": "7\t1\t5\t1\n",
        ],
    ]
    for set in sets {
        for name in set.keys.sorted() {
            var files = set.mapValues { Array($0.utf8) }
            files[name] = bytes
            try checkDataSet(files)
        }
    }
}

private func checkDataSet(_ files: [String: [UInt8]]) throws {
    let batchLengthMax = 3
    var machine = MovieLensImport(
        now: Timestamp(milliseconds: 0),
        batchLengthMax: batchLengthMax
    )
    var filmCount = 0
    var personCount = 0
    func store() throws {
        while let batch = try machine.next() {
            try expect((1...batchLengthMax).contains(batch.count), "\(batch.count) in a batch")
            var ids: [Int] = []
            switch batch {
            case .films(let films):
                ids = films.indices.map { filmCount + $0 + 1 }
                filmCount += films.count
                for film in films { try checkFilm(film) }
            case .people(let people):
                ids = people.indices.map { personCount + $0 + 1 }
                personCount += people.count
            case .ratings(let ratings):
                for rating in ratings {
                    try expect((1...filmCount).contains(rating.filmID), "film \(rating.filmID)")
                    let isKnown = (1...personCount).contains(rating.personID)
                    try expect(isKnown, "person \(rating.personID)")
                }
            }
            machine.stored(ImportedRows(ids: ids, newCount: batch.count))
        }
    }
    do {
        for file in try MovieLensLayout(fileNames: Array(files.keys)).files {
            machine.begin(file)
            machine.receive(files[file.name, default: []])
            try store()
            machine.end()
            try store()
        }
    } catch let error as ImportError {
        try expect(!error.description.isEmpty, "no reason")
    }
    for problem in machine.report.problems { try checkProblem(problem) }
}

// MARK: Documents

/// Films that the hub can show, and reasons that a terminal can.
private func checkCatalogueDocument(_ bytes: [UInt8]) throws {
    for document in [
        CatalogueDocument.tmdb(bytes, file: "a.json"), CatalogueDocument.own(bytes, file: "a.json"),
    ] {
        for film in document.films { try checkFilm(film) }
        for problem in document.problems { try checkProblem(problem) }
    }
}

private func checkFilm(_ film: ImportedFilm) throws {
    let title = film.title.unicodeScalars
    try expect((1...ImportLimits.titleLengthMax).contains(title.count), "title \(film.title)")
    try expect(!title.contains { $0.value < 0x20 }, "control character in \(film.title)")
    try expect(film.genres.count <= ImportLimits.genresMax, "\(film.genres.count) genres")
    if let date = film.releaseDate {
        let time = Timestamp(iso8601: "\(date)T00:00:00Z")
        try expect(time?.iso8601Date == date, "date \(date)")
    }
    if let poster = film.posterURL {
        try expect(poster.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "poster \(poster)")
    }
}

private func checkProblem(_ problem: ImportProblem) throws {
    let scalars = problem.description.unicodeScalars
    try expect(!problem.message.isEmpty, "no reason")
    let isShown = scalars.allSatisfy { $0.properties.generalCategory != .control }
    try expect(isShown, "a control character in \(problem)")
}
