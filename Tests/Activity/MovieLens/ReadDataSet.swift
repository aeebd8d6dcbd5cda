import Activity

/// What the store is given of a MovieLens data set that is in memory. Films get ids from 1001, people
/// from 1.
struct ReadDataSet {
    static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private(set) var films: [ImportedFilm] = []
    private(set) var people: [ImportedPerson] = []
    private(set) var ratings: [ImportedRating] = []
    private(set) var batchLengths: [Int] = []
    private(set) var report = ImportReport()

    init(
        _ files: [String: [UInt8]],
        pieceLength: Int = .max,
        batchLengthMax: Int = ImportLimits.batchLengthMax,
        filmsMax: Int = ImportLimits.filmsMax,
        peopleMax: Int = ImportLimits.peopleMax
    ) throws {
        var machine = MovieLensImport(
            now: ReadDataSet.now,
            batchLengthMax: batchLengthMax,
            filmsMax: filmsMax,
            peopleMax: peopleMax
        )
        for file in try MovieLensLayout(fileNames: Array(files.keys)).files {
            machine.begin(file)
            var rest = files[file.name, default: []][...]
            while !rest.isEmpty {
                machine.receive(rest.prefix(pieceLength))
                rest = rest.dropFirst(pieceLength)
                try store(&machine)
            }
            machine.end()
            try store(&machine)
        }
        report = machine.report
    }

    private mutating func store(_ machine: inout MovieLensImport) throws {
        while let batch = try machine.next() {
            batchLengths.append(batch.count)
            let ids: [Int]
            switch batch {
            case .films(let batch):
                ids = batch.indices.map { 1001 + films.count + $0 }
                films += batch
            case .people(let batch):
                ids = batch.indices.map { 1 + people.count + $0 }
                people += batch
            case .ratings(let batch):
                ids = []
                ratings += batch
            }
            machine.stored(ImportedRows(ids: ids, newCount: batch.count))
        }
    }
}
