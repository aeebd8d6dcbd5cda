import JSONText

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
                    document.take(film, "results[\(index)]") { (fields) throws(RowError) in
                        try TMDBFilm.film(fields)
                    }
                }
            } else {
                document.films.append(try TMDBFilm.film(fields))
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
                document.take(film, "films[\(index)]") { (fields) throws(RowError) in
                    let film = try OwnFilm.film(fields)
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

    private mutating func take(
        _ value: ArraySlice<UInt8>,
        _ place: String,
        _ film: (CatalogueFields) throws(RowError) -> ImportedFilm
    ) {
        do throws(RowError) {
            films.append(try film(try CatalogueFields(value)))
        } catch {
            add("\(place): \(error.message)")
        }
    }

    private mutating func add(_ message: String) {
        problems.append(ImportProblem(file: file, message: message))
    }
}
