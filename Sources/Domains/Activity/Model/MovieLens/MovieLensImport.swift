// Reads MovieLens data sets and evaluates recommendations on them. The hub does not use it.

/// Turns the files of a MovieLens data set into batches for the store, in bounded memory.
///
/// For each file of the layout, in its order: `begin`, then for each piece of it `receive` and,
/// until it is nil, `next`; after the last piece `end` and again `next`. Store each batch and call
/// `stored` with the result before you request the next one: ratings are batched by the hub's ids,
/// so a person is stored before the first of their ratings.
///
/// Its state is the hub's id of every film and person, bounded by `ImportLimits`, and one batch.
/// Invalid rows, and ratings of films that the data set does not have, are problems of the report
/// and do not stop it.
package struct MovieLensImport: Sendable {
    private struct OpenFile {
        let file: MovieLensLayout.File
        var reader: TableReader
        var isEnded = false
    }

    /// The batch that is being stored, with the data set's ids of its rows.
    private enum Storing {
        case nothing
        case films(ImportBatch, sourceIDs: [Int])
        case people(ImportBatch, sourceIDs: [Int])
        case ratings(ImportBatch)
    }

    package private(set) var report = ImportReport()

    private let now: Timestamp
    private let batchLengthMax: Int
    private let filmsMax: Int
    private let peopleMax: Int
    /// Nil between two files.
    private var open: OpenFile?
    private var storing = Storing.nothing

    /// From the data set's ids of films to those of TMDB, until the film has come.
    private var tmdbIDs: [Int: Int] = [:]
    private var linkedTMDBIDs: Set<Int> = []
    /// From the data set's ids to the hub's. A film or person that waits to be stored is in it as 0.
    private var filmIDs: [Int: Int] = [:]
    private var personIDs: [Int: Int] = [:]

    private var films: [(id: Int, film: ImportedFilm)] = []
    private var people: [Int] = []
    private var ratings: [MovieLensRow.Rating] = []

    /// - Parameter now: since when imported people are there.
    package init(
        now: Timestamp,
        batchLengthMax: Int = ImportLimits.batchLengthMax,
        filmsMax: Int = ImportLimits.filmsMax,
        peopleMax: Int = ImportLimits.peopleMax
    ) {
        precondition(batchLengthMax > 0)
        self.now = now
        self.batchLengthMax = batchLengthMax
        self.filmsMax = filmsMax
        self.peopleMax = peopleMax
    }

    package mutating func begin(_ file: MovieLensLayout.File) {
        precondition(open == nil, "a file inside a file")
        open = OpenFile(file: file, reader: file.reader())
    }

    package mutating func receive(_ bytes: some Collection<UInt8>) {
        precondition(open != nil, "no file is being read")
        open?.reader.receive(bytes)
    }

    package mutating func end() {
        precondition(open != nil, "no file is being read")
        open?.reader.end()
        open?.isEnded = true
    }

    /// Returns the next batch to store; nil if more bytes are needed, or the next file.
    ///
    /// - Throws: if a file's content does not match its name, or a limit is reached.
    package mutating func next() throws(ImportError) -> ImportBatch? {
        guard case .nothing = storing else { preconditionFailure("a batch is being stored") }
        if let batch = takeBatch(from: batchLengthMax) { return batch }
        while let output = try open?.reader.next() {
            switch output {
            case .problem(let problem): report.add(problem)
            case .row(let row): try take(row)
            }
            if let batch = takeBatch(from: batchLengthMax) { return batch }
        }
        guard let open, open.isEnded else { return nil }
        if let batch = takeBatch(from: 1) { return batch }
        self.open = nil
        return nil
    }

    /// Takes the result of storing the last batch.
    package mutating func stored(_ rows: ImportedRows) {
        switch storing {
        case .nothing:
            preconditionFailure("no batch is being stored")
        case .films(let batch, let sourceIDs):
            precondition(rows.ids.count == sourceIDs.count)
            for (source, id) in zip(sourceIDs, rows.ids) { filmIDs[source] = id }
            report.add(batch, stored: rows)
        case .people(let batch, let sourceIDs):
            precondition(rows.ids.count == sourceIDs.count)
            for (source, id) in zip(sourceIDs, rows.ids) { personIDs[source] = id }
            report.add(batch, stored: rows)
        case .ratings(let batch):
            report.add(batch, stored: rows)
        }
        storing = .nothing
    }

    // MARK: Rows

    private mutating func take(_ row: TableRow) throws(ImportError) {
        guard let file = open?.file else { return }
        do throws(RowError) {
            switch file.content {
            case .links: try takeLink(try MovieLensRow.link(row))
            case .films: try takeFilm(row, file.form)
            case .ratings: try takeRating(try MovieLensRow.rating(row))
            }
        } catch {
            report.add(ImportProblem(file: file.name, line: row.line, message: error.message))
        }
        guard filmIDs.count <= filmsMax, tmdbIDs.count <= filmsMax else {
            throw ImportError("\(file.name): over the limit of \(filmsMax) films")
        }
        guard personIDs.count <= peopleMax else {
            throw ImportError("\(file.name): over the limit of \(peopleMax) people")
        }
    }

    private mutating func takeLink(_ link: MovieLensRow.Link) throws(RowError) {
        guard let tmdbID = link.tmdbID else { return }
        guard tmdbIDs[link.film] == nil else {
            throw RowError("film \(link.film) has a link already")
        }
        guard linkedTMDBIDs.insert(tmdbID).inserted else {
            throw RowError("tmdbId \(tmdbID) stands for another film already")
        }
        tmdbIDs[link.film] = tmdbID
    }

    private mutating func takeFilm(
        _ row: TableRow,
        _ form: MovieLensLayout.Form
    ) throws(RowError) {
        var (id, film) = try MovieLensRow.film(row, form)
        guard filmIDs[id] == nil else { throw RowError("film \(id) is there already") }
        filmIDs[id] = MovieLensImport.waiting
        film.tmdbID = tmdbIDs[id]
        films.append((id, film))
    }

    private mutating func takeRating(_ rating: MovieLensRow.Rating) throws(RowError) {
        guard filmIDs[rating.film] != nil else {
            throw RowError("no film has the id \(rating.film)")
        }
        if personIDs[rating.person] == nil {
            personIDs[rating.person] = MovieLensImport.waiting
            people.append(rating.person)
        }
        ratings.append(rating)
    }

    // MARK: Batches

    /// No id of the hub.
    private static let waiting = 0

    /// Returns the rows that wait to be stored, if there are at least `count`; people before their
    /// ratings.
    private mutating func takeBatch(from count: Int) -> ImportBatch? {
        if films.count >= count { return takeFilms() }
        guard ratings.count >= count else { return nil }
        return people.isEmpty ? takeRatings() : takePeople()
    }

    private mutating func takeFilms() -> ImportBatch {
        let batch = ImportBatch.films(films.map(\.film))
        storing = .films(batch, sourceIDs: films.map(\.id))
        films.removeAll(keepingCapacity: true)
        return batch
    }

    private mutating func takePeople() -> ImportBatch {
        let batch = ImportBatch.people(
            people.map { ImportedPerson(subject: "\($0)", name: "MovieLens \($0)", createdAt: now) }
        )
        storing = .people(batch, sourceIDs: people)
        people.removeAll(keepingCapacity: true)
        return batch
    }

    private mutating func takeRatings() -> ImportBatch {
        let batch = ImportBatch.ratings(
            ratings.map { rating in
                guard let person = personIDs[rating.person], let film = filmIDs[rating.film] else {
                    preconditionFailure("a rating whose person or film is not stored")
                }
                return ImportedRating(
                    personID: person,
                    filmID: film,
                    stars: rating.stars,
                    at: rating.at
                )
            }
        )
        storing = .ratings(batch)
        ratings.removeAll(keepingCapacity: true)
        return batch
    }
}
