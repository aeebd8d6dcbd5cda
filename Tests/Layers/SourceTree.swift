import Foundation

/// The sources of this repository, as the tests of their shape read them.
struct SourceTree {
    struct File: Equatable {
        /// The module that the file is compiled into.
        var module: String
        /// The module's folder that the file is in; nil at its top.
        var folder: String?
        /// Relative to the root of the repository.
        var path: String
        let text: String
        let lines: [Substring]
        /// The modules that the file imports, in order.
        let imports: [String]

        init(module: String, folder: String? = nil, path: String, text: String) {
            self.module = module
            self.folder = folder
            self.path = path
            self.text = text
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            imports = path.hasSuffix(".swift") ? lines.compactMap(importedModule) : []
        }

        var isSwift: Bool { path.hasSuffix(".swift") }
        /// Written by protoc.
        var isGenerated: Bool { path.hasSuffix(".pb.swift") }

        /// Lines as an editor counts them: the one after the last line break is none.
        var lineCount: Int { lines.count - (text.hasSuffix("\n") ? 1 : 0) }

        /// The types that stand in no other type.
        var declaredTypes: Set<Substring> { types { $0 != "extension" } }
        /// Of an extension of a nested type the outer one.
        var extendedTypes: Set<Substring> { types { $0 == "extension" } }

        private func types(_ isIncluded: (_ keyword: Substring) -> Bool) -> Set<Substring> {
            let pattern =
                /(?:@\w+(?:\([^)]*\))? |[a-z]+(?:\([a-z]+\))? )*?(struct|class|enum|actor|extension) (\w+)/
            let matches = lines.compactMap { $0.prefixMatch(of: pattern)?.output }
            return Set(matches.filter { isIncluded($0.1) }.map(\.2))
        }
    }

    /// Of everything under Sources/, in the order of the paths.
    let files: [File]

    var modules: [String] { Set(files.map(\.module)).sorted() }

    /// The root of the repository, from this file's place in it.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every file under Sources/ but hidden ones. Each folder is read once for all tests.
    static func read() throws -> SourceTree { try sources.get() }

    private static let sources = Result { try read(folder: "Sources", place: module) }

    /// The module of a file under Sources/, and its folder in it, by the components of its path.
    /// `Domains/Aurora/Model` is `Aurora`, `Domains/Aurora/App` is `AuroraApp`, and `Doors/Hooks` is `Hooks`.
    static func module(_ path: [Substring]) -> Place {
        let depth =
            switch path[0] {
            case "Domains": 3
            case "Doors", "System": 2
            default: 1
            }
        guard path.count > depth else { return Place(module: String(path[0])) }
        let name =
            switch depth {
            case 3: path[2] == "Model" ? String(path[1]) : "\(path[1])\(path[2])"
            case 2: String(path[1])
            default: String(path[0])
            }
        return Place(module: name, folder: path.count > depth + 1 ? String(path[depth]) : nil)
    }

    struct Place: Equatable {
        var module: String
        var folder: String?
    }

    /// The load test: a program of this package that stands outside the layers.
    static func readLoadTest() throws -> SourceTree { try loadTest.get() }

    private static let loadTest = Result {
        try read(folder: "loadtest") { _ in Place(module: "varde-load") }
    }

    /// The tests, by target folder.
    static func readTests() throws -> SourceTree { try tests.get() }

    private static let tests = Result {
        try read(folder: "Tests") { Place(module: String($0[0])) }
    }

    private static func read(
        folder: String,
        place: ([Substring]) -> Place
    ) throws -> SourceTree {
        let sources = root.appending(path: folder).path
        let names = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String }
        var files: [File] = []
        for name in (names ?? []).sorted() {
            let parts = name.split(separator: "/")
            guard let last = parts.last, parts.count > 1, !last.hasPrefix(".") else { continue }
            // Fixtures, the seeds of the fuzzer and what Python compiles need not be UTF-8; the example
            // of a domain's section is in no module.
            guard !last.hasSuffix(".sqlite"), last != "section.yaml",
                !parts.contains(where: { ["corpus", "__pycache__"].contains($0.lowercased()) })
            else { continue }
            let path = "\(sources)/\(name)"
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                !isDirectory.boolValue
            else { continue }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let place = place(parts)
            files.append(
                File(
                    module: place.module,
                    folder: place.folder,
                    path: "\(folder)/\(name)",
                    text: text
                )
            )
        }
        return SourceTree(files: files)
    }
}

/// The module that a line of Swift imports: `Glibc` for `@preconcurrency import struct Glibc.stat`.
func importedModule(_ line: Substring) -> String? {
    guard line.utf8.contains(UInt8(ascii: "i")), line.contains("import") else { return nil }
    var words = line.split(whereSeparator: \.isWhitespace)[...]
    let accessLevels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    while let word = words.first, word.hasPrefix("@") || accessLevels.contains(word) {
        words.removeFirst()
    }
    guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
    let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
    if kinds.contains(name), let next = words.popFirst() { name = next }
    return String(name.prefix { $0 != "." && $0 != ";" })
}
