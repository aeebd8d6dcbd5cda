/// The part of a MovieLens data set that recognises it: some films, and the first ratings.
///
/// A newer version of a data set has more films and ratings, and may correct some titles. Another
/// data set has other films under the same ids, as `ml-100k`, or at least other people.
package struct DataSetSample: Sendable, Equatable {
    static let filmsMax = 200
    static let ratingsMax = 100

    struct Rating: Hashable, Sendable {
        var person: Int
        var film: Int
        var seconds: Int64
    }

    /// Titles with years by the data set's ids.
    var films: [Int: String] = [:]
    /// Without the stars, which a newer version may correct.
    var ratings: [Rating] = []

    /// Lines with tabs: `film 2 Jumanji (1995)` and `rating 1 2 964982703`.
    package var text: String {
        let lines =
            films.sorted { $0.key < $1.key }.map { "film\t\($0.key)\t\($0.value)" }
            + ratings.map { "rating\t\($0.person)\t\($0.film)\t\($0.seconds)" }
        return lines.joined(separator: "\n")
    }

    package init() {}

    /// Lines of another form are left out.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 3).map(String.init)
            if fields.count == 3, fields[0] == "film", let id = Int(fields[1]) {
                films[id] = fields[2]
            } else if fields.count == 4, fields[0] == "rating", let person = Int(fields[1]),
                let film = Int(fields[2]), let seconds = Int64(fields[3])
            {
                ratings.append(Rating(person: person, film: film, seconds: seconds))
            }
        }
    }
}

/// Reads the sample of a data set, and compares the data set with the sample of another import.
///
/// For the files of films and ratings, in the layout's order: `begin`, then `receive` for each piece
/// while it returns true, and `end`. Invalid rows are ignored; the import reports them.
package struct DataSetSampler {
    /// Ratings that are searched for those of the known sample: people come in the order of their
    /// numbers, and a newer version has more of them and of their ratings.
    static let ratingsSearchedMax = 50_000

    package private(set) var sample = DataSetSample()

    private let known: DataSetSample
    private let knownRatings: Set<DataSetSample.Rating>
    private var reader: TableReader?
    private var file: MovieLensLayout.File?
    private var ratingCount = 0
    /// Of the known films that the data set has: all, and those with the same title.
    private var films = (shared: 0, same: 0)
    private var foundRatings: Set<DataSetSample.Rating> = []
    /// The first film with another title.
    private var example: String?

    /// - Parameter known: empty if there is nothing to compare with.
    package init(comparing known: DataSetSample) {
        self.known = known
        knownRatings = Set(known.ratings)
    }

    package mutating func begin(_ file: MovieLensLayout.File) {
        self.file = file
        reader = file.reader()
    }

    /// Returns whether more of the file is needed.
    package mutating func receive(_ bytes: some Collection<UInt8>) throws(ImportError) -> Bool {
        reader?.receive(bytes)
        return try take()
    }

    package mutating func end() throws(ImportError) {
        reader?.end()
        _ = try take()
        reader = nil
        trimFilms()
    }

    /// Why the data set is not the known one; nil if it is, or if nothing of it is known.
    package var disagreement: String? {
        if !known.films.isEmpty, 2 * films.same < max(films.shared, 1) {
            let detail = example.map { ": \($0)" } ?? ""
            return "\(films.same) of \(known.films.count) films are the same\(detail)"
        }
        if !known.ratings.isEmpty, ratingCount > 0, 2 * foundRatings.count < knownRatings.count {
            let (same, all) = (foundRatings.count, knownRatings.count)
            return "\(same) of the first \(all) ratings are the same, so the people are others"
        }
        return nil
    }

    private mutating func take() throws(ImportError) -> Bool {
        guard let file else { return false }
        while let output = try reader?.next() {
            guard case .row(let row) = output else { continue }
            switch file.content {
            case .links: return false
            case .films:
                if let (id, film) = try? MovieLensRow.film(row, file.form) { add(film, id) }
            case .ratings:
                guard ratingCount < DataSetSampler.ratingsSearchedMax else { return false }
                if let rating = try? MovieLensRow.rating(row) { add(rating) }
            }
        }
        return true
    }

    private mutating func add(_ film: ImportedFilm, _ id: Int) {
        let title = film.year.map { "\(film.title) (\($0))" } ?? film.title
        sample.films[id] = title
        if sample.films.count > 2 * DataSetSample.filmsMax { trimFilms() }
        guard let expected = known.films[id] else { return }
        films.shared += 1
        if title == expected {
            films.same += 1
        } else if example == nil {
            example = "film \(id) is \(title), and \(expected) in the database"
        }
    }

    /// Keeps the films with the lowest ids: newer versions of a data set have them as well.
    private mutating func trimFilms() {
        let ids = sample.films.keys.sorted().dropFirst(DataSetSample.filmsMax)
        for id in ids { sample.films[id] = nil }
    }

    private mutating func add(_ row: MovieLensRow.Rating) {
        ratingCount += 1
        let rating = DataSetSample.Rating(
            person: row.person,
            film: row.film,
            seconds: row.at.milliseconds / 1000
        )
        if sample.ratings.count < DataSetSample.ratingsMax { sample.ratings.append(rating) }
        if knownRatings.contains(rating) { foundRatings.insert(rating) }
    }
}
