import Store

struct Toy: Equatable {
    var id: Int
    var owner: String
    var name: String
    /// What the shop asks for one of the name; nil where it has none.
    var price: Int?
}

/// The table of the toys, in one transaction.
struct ToysTables: DomainTables {
    static let migrations = [
        Migration(
            "toys.1",
            sql: """
                CREATE TABLE toy (
                    id INTEGER PRIMARY KEY,
                    owner TEXT NOT NULL,
                    name TEXT NOT NULL,
                    price INTEGER
                ) STRICT;
                CREATE INDEX toy_by_owner ON toy (owner, id);
                CREATE INDEX toy_by_name ON toy (name);
                """
        )
    ]

    private let session: SQLSession

    init(_ session: SQLSession, path: String) { self.session = session }

    func insert(_ name: String, owner: String) throws -> Toy {
        let insert = "INSERT INTO toy (owner, name) VALUES (?, ?) RETURNING id"
        return Toy(id: try session.insert(insert, [owner, name]), owner: owner, name: name)
    }

    func toys(of owner: String) throws -> [Toy] {
        try session.rows(
            "SELECT id, owner, name, price FROM toy WHERE owner = ? ORDER BY id",
            [owner],
            toy
        )
    }

    /// Sets the price of toys of a name.
    ///
    /// - Returns: the toys that had another.
    func setPrice(_ price: Int, of name: String) throws -> [Toy] {
        try session.rows(
            """
            UPDATE toy SET price = ?1 WHERE name = ?2 AND price IS NOT ?1
            RETURNING id, owner, name, price
            """,
            [price, name],
            toy
        )
    }

    func deleteToys(of owner: String) throws {
        try session.run("DELETE FROM toy WHERE owner = ?", [owner])
    }

    func count() throws -> Int { try session.integer("SELECT count(*) FROM toy") ?? 0 }

    private func toy(_ row: SQLRow) throws -> Toy {
        Toy(id: try row[0], owner: try row[1], name: try row[2], price: try row[3])
    }
}
