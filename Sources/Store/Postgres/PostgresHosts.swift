/// The hosts of a connection string.
///
/// libpq goes on to the next host only if it cannot connect. A proxy in front of a dead server
/// accepts, and closes: so each host is tried by itself.
struct PostgresHosts: Equatable {
    /// Parameters that select one host; none if the connection string has at most one.
    let each: [[Parameter]]

    struct Parameter: Equatable {
        var keyword: String
        var value: String
    }

    /// - Parameters: as libpq has them: names, addresses and ports, with commas between them.
    ///   Lists that do not fit together, and empty names, are left to libpq.
    init(names: String, addresses: String, ports: String) {
        let lists = [("host", names), ("hostaddr", addresses), ("port", ports)].map {
            ($0, $1.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
        let count = max(lists[0].1.count, lists[1].1.count)
        let fits = lists.allSatisfy { keyword, list in
            list.isEmpty || list == [""] || list.count == count
                || keyword == "port" && list.count == 1
        }
        let isWhole = lists.allSatisfy { $0.1 == [""] || !$0.1.contains("") }
        guard count > 1, fits, isWhole else {
            each = []
            return
        }
        each = (0..<count).map { index in
            lists.compactMap { keyword, list in
                guard list.count == count else { return nil }
                return Parameter(keyword: keyword, value: list[index])
            }
        }
    }

    /// The hosts of a connection string; none if libpq cannot read it.
    init(_ target: String, _ library: PostgresLibrary) {
        var found: [String: String] = [:]
        let options = library.parse(target, nil)
        var option = options
        // PQconninfoOption: six pointers and a number. The first is the keyword, the fourth the value.
        while let current = option, let keyword = current.load(as: PostgresLibrary.Text?.self) {
            let size = MemoryLayout<UnsafeRawPointer>.size
            if let value = current.load(fromByteOffset: 3 * size, as: PostgresLibrary.Text?.self) {
                found[String(cString: keyword)] = String(cString: value)
            }
            option = current + 7 * size
        }
        if let options { library.parseFree(options) }
        self.init(
            names: found["host"] ?? "",
            addresses: found["hostaddr"] ?? "",
            ports: found["port"] ?? ""
        )
    }
}

extension PostgresLibrary {
    /// Connects to the first host that accepts the connection, and blocks for as long as that takes.
    ///
    /// - Parameter parameters: the last one of a keyword holds.
    func connect(
        _ parameters: [(String, String)],
        _ hosts: PostgresHosts
    ) throws(PostgresError) -> Connection {
        var problems: [String] = []
        for host in hosts.each.isEmpty ? [[]] : hosts.each {
            let pairs = parameters + host.map { ($0.keyword, $0.value) }
            let keywords = CStrings(pairs.map(\.0))
            let values = CStrings(pairs.map(\.1))
            guard let connection = connect(keywords.pointer, values.pointer, 1) else {
                throw PostgresError(.noConnection, "no memory for a connection")
            }
            if status(connection) == Self.connectionOK { return connection }
            problems.append(lastMessage(of: connection))
            finish(connection)
        }
        throw PostgresError(.noConnection, problems.joined(separator: "; "))
    }

    /// The host that a connection was made to.
    func server(of connection: Connection) -> PostgresServer {
        func text(_ pointer: Text?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return PostgresServer(
            host: text(host(connection)),
            address: text(hostAddress(connection)),
            port: text(port(connection))
        )
    }
}
