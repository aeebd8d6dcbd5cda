/// Which modules there are, and which may use which: a module imports only from the layers below its
/// own.
struct LayerList: Equatable {
    /// The lowest first.
    let layers: [[String]]

    /// Reads the fenced block `layers` of a Markdown text: one layer a line, the lowest first,
    /// modules separated by spaces. Nil without exactly one such block.
    init?(markdown: String) {
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        let starts = lines.indices.filter { lines[$0] == "```layers" }
        guard let start = starts.first, starts.count == 1,
            let end = lines[start...].firstIndex(of: "```")
        else { return nil }
        layers = lines[(start + 1)..<end].map { $0.split(separator: " ").map(String.init) }
            .filter { !$0.isEmpty }
    }

    var modules: [String] { layers.flatMap { $0 } }

    func layer(of module: String) -> Int? {
        layers.firstIndex { $0.contains(module) }
    }

    /// Each import that the layers do not allow, as a line that says what is wrong where.
    func violations(in tree: SourceTree) -> [String] {
        tree.files.flatMap { file -> [String] in
            guard let own = layer(of: file.module) else {
                return ["\(file.path): \(file.module) is in no layer"]
            }
            return file.imports.compactMap { name in
                // What is in no layer is the system's or a package's.
                guard let other = layer(of: name), other >= own else { return nil }
                return other == own
                    ? "\(file.path): \(file.module) imports \(name) of its own layer"
                    : "\(file.path): \(file.module) imports \(name) of a higher layer"
            }
        }
    }
}
