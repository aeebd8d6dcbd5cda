import Expectations
import Foundation

/// Which parts the program has, and which may use which: a part uses only what stands in the layers below its own. A
/// part is a module, such as `Reactor`, or a folder of one, such as `Base/JSONText`.
struct LayerList: Equatable {
    /// The list of docs/ARCHITECTURE.md.
    static func read() throws -> LayerList {
        let path = SourceTree.root.appending(path: "docs/ARCHITECTURE.md").path
        return try require(
            LayerList(markdown: String(contentsOfFile: path, encoding: .utf8)),
            "docs/ARCHITECTURE.md has no block of layers"
        )
    }

    /// The lowest first.
    let layers: [[String]]

    /// Reads the fenced block `layers` of a Markdown text: one layer a line, the lowest first,
    /// parts separated by spaces. Nil without exactly one such block.
    init?(markdown: String) {
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        let starts = lines.indices.filter { lines[$0] == "```layers" }
        guard let start = starts.first, starts.count == 1,
            let end = lines[start...].firstIndex(of: "```")
        else { return nil }
        layers = lines[(start + 1)..<end].map { $0.split(separator: " ").map(String.init) }
            .filter { !$0.isEmpty }
    }

    var parts: [String] { layers.flatMap { $0 } }
    var modules: Set<Substring> { Set(parts.map { $0.prefix { $0 != "/" } }) }

    /// Nil for what is in no layer: it is the system's or a package's.
    func layer(of part: String) -> Int? {
        layers.firstIndex { $0.contains(part) }
    }

    /// The lowest layer of a module's parts.
    func lowestLayer(ofModule module: String) -> Int? {
        layers.firstIndex { $0.contains { $0.prefix { $0 != "/" } == module } }
    }

    /// What a module with parts exports, all of its parts see: so it counts as the lowest of them.
    func part(of file: SourceTree.File) -> String {
        guard let folder = file.folder else {
            guard file.path.hasSuffix("/Exports.swift"), layer(of: file.module) == nil else {
                return file.module
            }
            let parts = lowestLayer(ofModule: file.module).map { layers[$0] } ?? []
            return parts.first { $0.hasPrefix(file.module + "/") } ?? file.module
        }
        let part = "\(file.module)/\(folder)"
        return layer(of: part) == nil ? file.module : part
    }

    /// Each use that the layers do not allow, as a line that says what is wrong where.
    func violations(in tree: SourceTree) -> [String] {
        tree.files.flatMap(importViolations) + useViolations(in: tree)
    }

    private func importViolations(in file: SourceTree.File) -> [String] {
        let part = part(of: file)
        guard let own = layer(of: part) else { return ["\(file.path): \(part) is in no layer"] }
        return file.imports.compactMap { name in
            guard let other = lowestLayer(ofModule: name), other >= own else { return nil }
            return other == own
                ? "\(file.path): \(part) imports \(name) of its own layer"
                : "\(file.path): \(part) imports \(name) of a higher layer"
        }
    }

    /// Parts of one module need no imports, so they are found by the names of types.
    private func useViolations(in tree: SourceTree) -> [String] {
        let modules = Dictionary(grouping: tree.files.filter(\.isSwift), by: \.module)
        return modules.sorted { $0.key < $1.key }.flatMap { _, files -> [String] in
            let parts = Dictionary(grouping: files, by: part)
            guard parts.count > 1 else { return [] }
            var owners: [Substring: Set<String>] = [:]
            for (part, files) in parts {
                for type in files.flatMap(\.declaredTypes) {
                    owners[type, default: []].insert(part)
                }
            }
            return parts.sorted { $0.key < $1.key }.flatMap { part, files in
                uses(by: part, files, of: owners)
            }
        }
    }

    private func uses(
        by part: String,
        _ files: [SourceTree.File],
        of owners: [Substring: Set<String>]
    ) -> [String] {
        guard let own = layer(of: part) else { return [] }
        let codes = files.map { SwiftCode($0.text).tokens.map(\.text) }
        let declared = Set(codes.flatMap(SwiftCode.declaredNames))
        return zip(files, codes).flatMap { file, words -> [String] in
            let used = Set(SwiftCode.freeNames(words)).subtracting(declared).sorted()
            return used.compactMap { name in
                // A name that two parts declare is the one or the other.
                guard let owner = owners[name], owner.count == 1, let other = owner.first,
                    other != part, let layer = layer(of: other), layer >= own
                else { return nil }
                return "\(file.path): \(part) uses \(name) of \(other)"
            }
        }
    }
}

extension SwiftCode {
    /// The types that the words declare, nested ones and parameters of generics included.
    fileprivate static func declaredNames(_ words: [Substring]) -> [Substring] {
        let keywords: Set<Substring> = [
            "struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype", "case",
        ]
        return zip(words, words.dropFirst()).filter { keywords.contains($0.0) }.map(\.1)
    }

    /// The words that stand behind no point.
    fileprivate static func freeNames(_ words: [Substring]) -> [Substring] {
        zip([""] + words, words).filter { $0.0 != "." }.map(\.1)
    }
}
