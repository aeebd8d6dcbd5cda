/// The films of one JSON document of a catalogue, and the parts that were not imported.
package struct CatalogueDocument: Sendable, Equatable {
    package private(set) var films: [ImportedFilm] = []
    package private(set) var problems: [ImportProblem] = []

    private let file: String

    private init(file: String) {
        self.file = file
    }

    /// Reads an answer of TMDB's API, version 3: one film, or a page of a list of films.
    ///
    /// - Parameter file: its name, for problems.
    package static func tmdb(_ bytes: [UInt8], file: String) -> CatalogueDocument {
        var document = CatalogueDocument(file: file)
        document.read(bytes) { (document, value) throws(RowError) in
            let fields = try CatalogueFields(value)
            if let films = try fields.array("results") {
                for (index, film) in films.enumerated() {
                    document.take(film, "results[\(index)]: ") {
                        (fields, optional) throws(RowError) in
                        try TMDBFilm.film(fields, &optional)
                    }
                }
            } else {
                document.take(value, "") { (fields, optional) throws(RowError) in
                    try TMDBFilm.film(fields, &optional)
                }
            }
        }
        return document
    }

    /// Reads a catalogue in the hub's own form: docs/CATALOGUES.md.
    package static func own(_ bytes: [UInt8], file: String) -> CatalogueDocument {
        var document = CatalogueDocument(file: file)
        document.read(bytes) { (document, value) throws(RowError) in
            guard let films = try CatalogueFields(value).array("films") else {
                throw RowError("no field \"films\"")
            }
            var keys: Set<String> = []
            for (index, film) in films.enumerated() {
                document.take(film, "films[\(index)]: ") { (fields, optional) throws(RowError) in
                    let film = try OwnFilm.film(fields, &optional)
                    guard keys.insert(film.key).inserted else {
                        throw RowError("id \(film.key) is there already")
                    }
                    return film
                }
            }
        }
        return document
    }

    private mutating func read(
        _ bytes: [UInt8],
        _ body: (inout CatalogueDocument, ArraySlice<UInt8>) throws(RowError) -> Void
    ) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return add("it is not UTF-8")
        }
        do throws(JSONError) {
            let value = try JSONReader.value(of: bytes[...])
            do throws(RowError) { try body(&self, value) } catch { add(error.message) }
        } catch {
            add("it is not JSON: \(error)")
        }
    }

    /// - Parameter place: of the film in the document, before each problem.
    private mutating func take(
        _ value: ArraySlice<UInt8>,
        _ place: String,
        _ film: (CatalogueFields, inout OptionalFields) throws(RowError) -> ImportedFilm
    ) {
        var optional = OptionalFields()
        do throws(RowError) {
            films.append(try film(try CatalogueFields(value), &optional))
            for problem in optional.problems { add(place + problem) }
        } catch {
            add(place + error.message)
        }
    }

    private mutating func add(_ message: String) {
        problems.append(ImportProblem(file: file, message: message))
    }
}
