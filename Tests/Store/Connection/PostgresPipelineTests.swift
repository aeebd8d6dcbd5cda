import Expectations
import PostgresTesting

@testable import Store

@Suite("PostgreSQL: statements sent together", .timeLimit(.minutes(5)))
struct PostgresPipelineTests {
    private func command(_ sql: String, _ numbers: Int64...) -> PostgresCommand {
        var arguments = PostgresArguments()
        for number in numbers { arguments.append(number) }
        return PostgresCommand(sql, arguments)
    }

    @Test func resultsComeInOrder() throws {
        let connection = try PostgresConnection(testServer())
        let results = try connection.run([
            command("BEGIN"),
            command("CREATE TEMP TABLE thing (id bigint)"),
        ])
        expect(results.count == 2 && connection.isInTransaction)
        let more = try connection.run([
            command("INSERT INTO thing VALUES ($1), ($2)", 1, 2),
            command("SELECT sum(id)::bigint FROM thing"),
            command("DELETE FROM thing WHERE id > $1", 1),
            command("COMMIT"),
        ])
        expectEqual(more.map(\.changedRows), [2, 1, 1, 0])
        try expectEqual(more[1].integer(0, 0), 3)
        expect(!connection.isInTransaction)
    }

    @Test func noStatementAndOneStatementAreFine() throws {
        let connection = try PostgresConnection(testServer())
        try expect(connection.run([PostgresCommand]()).isEmpty)
        try expectEqual(connection.run([command("SELECT $1", 7)])[0].integer(0, 0), 7)
    }

    @Test(arguments: 0..<4)
    func firstFailureIsThrownAndTheConnectionGoesOn(failing: Int) throws {
        let connection = try PostgresConnection(testServer())
        try connection.execute("CREATE TEMP TABLE thing (id bigint PRIMARY KEY)")
        try connection.run("BEGIN")
        var commands = (0..<4).map { command("INSERT INTO thing VALUES ($1)", Int64($0)) }
        commands[failing] = command("SELECT $1 / 0", 1)
        let error = #expect(throws: PostgresError.self) { try connection.run(commands) }
        expectEqual(error?.state, "22012")
        expect(connection.isInTransaction)
        try connection.run("ROLLBACK")
        try expectEqual(connection.run("SELECT count(*) FROM thing").integer(0, 0), 0)
    }

    /// More than the server's and the client's socket buffers hold together.
    @Test func manyStatementsWithLongAnswersDoNotBlockEachOther() throws {
        let connection = try PostgresConnection(testServer())
        let long = command("SELECT repeat('x', 100000), $1", 1)
        let results = try connection.run([PostgresCommand](repeating: long, count: 300))
        expectEqual(results.count, 300)
        try expect(results.allSatisfy { try $0.text(0, 0)?.utf8.count == 100_000 })
    }

    @Test func lostConnectionIsAnError() throws {
        let connection = try PostgresConnection(testServer())
        let error = #expect(throws: PostgresError.self) {
            try connection.run([
                command("SELECT pg_terminate_backend(pg_backend_pid())"), command("SELECT 1"),
            ])
        }
        // The server says why it ends the connection.
        expect(error?.state == "57P01" || error?.code == .noConnection)
        expect(!connection.isOpen)
    }
}
