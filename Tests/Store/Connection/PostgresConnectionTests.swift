import Expectations
import PostgresTesting

@testable import Store

@Suite("PostgreSQL: connections", .timeLimit(.minutes(5)))
struct PostgresConnectionTests {
    @Test func valuesComeBackAsTheyWere() throws {
        let connection = try PostgresConnection(testServer())
        var arguments = PostgresArguments()
        arguments.append(Int64.min)
        arguments.append(-0.5)
        arguments.append("é☃")
        arguments.append([0, 255, 7])
        arguments.append("")
        arguments.append([] as [UInt8])
        arguments.appendNull()
        let result = try connection.run("SELECT $1, $2, $3, $4, $5, $6, $7::bigint", arguments)
        expect(result.rowCount == 1 && result.columnCount == 7)
        try expectEqual(result.integer(0, 0), .min)
        try expectEqual(result.real(0, 1), -0.5)
        try expectEqual(result.text(0, 2), "é☃")
        try expectEqual(result.blob(0, 3), [0, 255, 7])
        try expectEqual(result.text(0, 4), "")
        try expectEqual(result.blob(0, 5), [])
        try expectNil(result.integer(0, 6))
        expect(result.isNull(0, 6) && !result.isNull(0, 5))
    }

    @Test(
        arguments: [
            ("2::smallint", 2), ("-3::integer", -3), ("(1::bigint << 62)", 1 << 62), ("true", 1),
            ("false", 0), ("4000000000::oid", 4_000_000_000),
            ("0::numeric", 0), ("-12345.000::numeric", -12_345),
            ("100000000::numeric", 100_000_000),
            ("9223372036854775807::numeric", .max), ("-9223372036854775808::numeric", .min),
            ("(SELECT sum(i) FROM generate_series(1::bigint, 4) AS i)", 10),
        ] as [(String, Int64)]
    )
    func integerTypesAreRead(expression: String, expected: Int64) throws {
        let connection = try PostgresConnection(testServer())
        try expectEqual(connection.run("SELECT \(expression)").integer(0, 0), expected)
        try expectEqual(connection.run("SELECT \(expression)").real(0, 0), Double(expected))
    }

    @Test func arraysComeBackInOrder() throws {
        let connection = try PostgresConnection(testServer())
        var arguments = PostgresArguments()
        arguments.append([1, nil, -7] as [Int64?])
        arguments.append([[0, 1], [], nil] as [[UInt8]?])
        arguments.append(["a", nil, "ü"] as [String?])
        let result = try connection.run(
            "SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::text[])",
            arguments
        )
        expectEqual(result.rowCount, 3)
        try expectEqual((0..<3).map { try result.integer($0, 0) }, [1, nil, -7])
        try expectEqual((0..<3).map { try result.blob($0, 1) }, [[0, 1], [], nil])
        try expectEqual((0..<3).map { try result.text($0, 2) }, ["a", nil, "ü"])
    }

    @Test func emptyArrayHasNoRows() throws {
        let connection = try PostgresConnection(testServer())
        var arguments = PostgresArguments()
        arguments.append([] as [Int64?])
        let result = try connection.run("SELECT * FROM unnest($1::bigint[])", arguments)
        expectEqual(result.rowCount, 0)
    }

    @Test func columnOfAnotherTypeIsAnError() throws {
        let connection = try PostgresConnection(testServer())
        let result = try connection.run("SELECT now(), 'x'::text")
        let error = #expect(throws: PostgresError.self) { try result.integer(0, 0) }
        expectEqual(error?.code, .unexpected)
        expectEqual(error?.message, "column 0 has the type with OID 1184 instead of an integer")
        #expect(throws: PostgresError.self) { try result.blob(0, 1) }
        #expect(throws: PostgresError.self) { try result.text(0, 0) }
    }

    @Test(arguments: [
        "1.5", "0.00001", "9223372036854775808", "-9223372036854775809", "1e40", "'NaN'",
        "'Infinity'",
    ])
    func numericWithoutAnIntegerOf64BitsIsAnError(text: String) throws {
        let connection = try PostgresConnection(testServer())
        let result = try connection.run("SELECT \(text)::numeric")
        let error = #expect(throws: PostgresError.self) { try result.integer(0, 0) }
        expectEqual(error?.code, .unexpected)
    }

    @Test func statementTakesArgumentsOfOtherTypesLater() throws {
        let connection = try PostgresConnection(testServer())
        try connection.execute("CREATE TEMP TABLE thing (id bigint, share double precision)")
        let insert = "INSERT INTO thing VALUES ($1, $2)"
        var first = PostgresArguments()
        first.append(Int64(1))
        first.appendNull()
        try expectEqual(connection.run(insert, first).changedRows, 1)
        var second = PostgresArguments()
        second.append(Int64(2))
        second.append(0.25)
        try connection.run(insert, second)
        let rows = try connection.run("SELECT share FROM thing ORDER BY id")
        try expectNil(rows.real(0, 0))
        try expectEqual(rows.real(1, 0), 0.25)
        let count = try connection.run("SELECT count(*) FROM pg_prepared_statements")
        try expectEqual(count.integer(0, 0), 4)
    }

    @Test func refusalHasStateAndStatement() throws {
        let connection = try PostgresConnection(testServer())
        try connection.execute("CREATE TEMP TABLE thing (id bigint PRIMARY KEY)")
        let insert = "INSERT INTO thing VALUES (1)"
        try connection.run(insert)
        let error = #expect(throws: PostgresError.self) { try connection.run(insert) }
        expectEqual(error?.state, "23505")
        expectEqual(error?.state?.isOf(class: "23"), true)
        expectEqual(error?.statement, insert)
        expectEqual(error?.message.hasSuffix("Key (id)=(1) already exists."), true)
        expect(connection.isOpen)
        try expectEqual(connection.run("SELECT 1").integer(0, 0), 1)
    }

    @Test func textWithNULIsRefused() throws {
        let connection = try PostgresConnection(testServer())
        var arguments = PostgresArguments()
        arguments.append("a\0b")
        let error = #expect(throws: PostgresError.self) {
            try connection.run("SELECT $1", arguments)
        }
        expectEqual(error?.state, "22021")
    }

    @Test func transactionIsKnown() throws {
        let connection = try PostgresConnection(testServer())
        expect(!connection.isInTransaction)
        try connection.run("BEGIN")
        expect(connection.isInTransaction)
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / 0") }
        expect(connection.isInTransaction)
        try connection.run("ROLLBACK")
        expect(!connection.isInTransaction)
    }

    @Test func commitOfAFailedTransactionIsARollback() throws {
        let connection = try PostgresConnection(testServer())
        try connection.run("BEGIN")
        try expectEqual(connection.run("COMMIT").commandTag, "COMMIT")
        try connection.run("BEGIN")
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / 0") }
        try expectEqual(connection.run("COMMIT").commandTag, "ROLLBACK")
    }

    @Test func serverThatIsNotThereIsNamed() {
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection("postgresql:///varde?host=/nowhere&user=varde")
        }
        expectEqual(error?.code, .noConnection)
        expectEqual(error?.message.contains("/nowhere"), true)
        expectEqual(error?.message.contains("\n"), false)
    }

    @Test func connectionThatTheServerEndsIsLost() throws {
        let connection = try PostgresConnection(testServer())
        let other = try PostgresConnection(testServer())
        let process = try require(connection.run("SELECT pg_backend_pid()").integer(0, 0))
        var arguments = PostgresArguments()
        arguments.append(process)
        try other.run("SELECT pg_terminate_backend($1::integer, 10000)", arguments)
        let error = #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
        expectEqual(error?.code, .noConnection)
        expect(!connection.isOpen)
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
    }

    @Test func closedConnectionRefusesEverything() throws {
        let connection = try PostgresConnection(testServer())
        try connection.run("BEGIN")
        connection.close()
        connection.close()
        expect(!connection.isOpen && !connection.isInTransaction)
        let commands = [PostgresCommand("SELECT 1"), PostgresCommand("SELECT 2")]
        let calls: [() throws -> Void] = [
            { try connection.run("BEGIN") }, { try connection.execute("SELECT 1") },
            { _ = try connection.run(commands) }, { _ = try connection.run("SELECT 3") },
            { _ = try connection.waitForNotification(milliseconds: 0) },
        ]
        for call in calls {
            let error = #expect(throws: PostgresError.self) { try call() }
            expectEqual(error?.code, .noConnection)
            expect(
                error?.message.hasSuffix("closed") == true || error?.message == "connection lost"
            )
        }
    }

    @Test func targetWinsOverDefaults() throws {
        let defaults = [("application_name", "default")]
        let first = try PostgresConnection(testServer(), defaults: defaults)
        try expectEqual(first.run("SHOW application_name").text(0, 0), "default")
        let connection = try PostgresConnection(
            testServer() + "&application_name=own&client_encoding=LATIN1",
            defaults: defaults
        )
        try expectEqual(connection.run("SHOW application_name").text(0, 0), "own")
        try expectEqual(connection.run("SHOW client_encoding").text(0, 0), "UTF8")
        expect(connection.serverVersion >= 150_000)
    }

    @Test func notificationWakesAWaiter() throws {
        let connection = try PostgresConnection(testServer())
        let other = try PostgresConnection(testServer())
        try connection.execute("LISTEN bell")
        try expect(!connection.waitForNotification(milliseconds: 0))
        try other.execute("NOTIFY bell")
        try other.execute("NOTIFY bell")
        try expect(connection.waitForNotification(milliseconds: 60_000))
        // The second one may have come later.
        while try connection.waitForNotification(milliseconds: 100) {}
        try expectEqual(connection.run("SELECT 1").integer(0, 0), 1)
    }
}
