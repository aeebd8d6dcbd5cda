import Expectations
import PostgresTesting

@testable import Store

@Suite("PostgreSQL: COPY", .timeLimit(.minutes(5)))
struct PostgresCopyTests {
    private func connect() throws -> PostgresConnection {
        let connection = try PostgresConnection(testServer())
        try connection.execute(
            "CREATE TEMP TABLE t (a bigint, b double precision, c text, d bytea, e integer, f smallint)"
        )
        return connection
    }

    private static let copyIn = "COPY t FROM STDIN (FORMAT binary)"
    private static let copyOut = "COPY (SELECT * FROM t ORDER BY a) TO STDOUT (FORMAT binary)"

    private func row(_ number: Int64, to writer: inout PostgresCopyWriter) {
        writer.beginRow(fields: 6)
        let isNumber = writer.append(number, as: .integer)
        writer.append(Double(number) / 2)
        writer.append(Array("é\(number)".utf8))
        writer.append([0, 255])
        let isMedium = writer.append(-number, as: .mediumInteger)
        expect(isNumber && isMedium)
        writer.appendNull()
    }

    @Test(arguments: [1, 7, 1 << 20])
    func rowsComeBackAsTheyWereSent(partLength: Int) throws {
        let connection = try connect()
        try connection.copyIn(Self.copyIn) { input in
            var writer = PostgresCopyWriter()
            for number in 1...100 as ClosedRange<Int64> { row(number, to: &writer) }
            writer.end()
            var rest = writer.buffer[...]
            while !rest.isEmpty {
                try input.send(Array(rest.prefix(partLength)))
                rest = rest.dropFirst(partLength)
            }
        }
        var reader = PostgresCopyReader()
        var found: [Int64] = []
        try connection.copyOut(Self.copyOut) { bytes in
            try reader.read(bytes) { fields in
                let number = try require(fields[0]?.integer(as: .integer))
                found.append(number)
                expectEqual(fields.count, 6)
                expectEqual(fields[1]?.real, Double(number) / 2)
                expectEqual(fields[2].map { [UInt8]($0) }, Array("é\(number)".utf8))
                expectEqual(fields[3].map { [UInt8]($0) }, [0, 255])
                expectEqual(fields[4]?.integer(as: .mediumInteger), -number)
                expectNil(fields[5])
            }
        }
        expectEqual(found, Array(1...100))
        try expectEqual(connection.run("SELECT count(*) FROM t").integer(0, 0), 100)
    }

    @Test func emptyTableHasNoRows() throws {
        let connection = try connect()
        try connection.copyIn(Self.copyIn) { input in
            var writer = PostgresCopyWriter()
            writer.end()
            try input.send(writer.buffer)
        }
        var reader = PostgresCopyReader()
        var rows = 0
        try connection.copyOut(Self.copyOut) { bytes in
            try reader.read(bytes) { _ in rows += 1 }
        }
        expectEqual(rows, 0)
    }

    @Test func senderThatStopsLeavesNoRow() throws {
        let connection = try connect()
        #expect(throws: PostgresError(.unexpected, "planted")) {
            try connection.copyIn(Self.copyIn) { input in
                var writer = PostgresCopyWriter()
                row(1, to: &writer)
                try input.send(writer.buffer)
                throw PostgresError(.unexpected, "planted")
            }
        }
        expect(connection.isOpen)
        try expectEqual(connection.run("SELECT count(*) FROM t").integer(0, 0), 0)
    }

    @Test func receiverThatStopsClosesTheConnection() throws {
        let connection = try connect()
        try connection.execute("INSERT INTO t (a) SELECT generate_series(1, 10)")
        #expect(throws: PostgresError(.unexpected, "planted")) {
            try connection.copyOut(Self.copyOut) { _ in
                throw PostgresError(.unexpected, "planted")
            }
        }
        expect(!connection.isOpen)
    }

    @Test func errorsAreThoseOfTheServer() throws {
        let connection = try connect()
        let missing = #expect(throws: PostgresError.self) {
            try connection.copyIn("COPY missing FROM STDIN") { _ in }
        }
        expectEqual(missing?.state, "42P01")
        let noCopy = #expect(throws: PostgresError.self) {
            try connection.copyOut("SELECT 1") { _ in }
        }
        expectEqual(noCopy?.message, "the server answered SELECT 1 instead of COPY")
        let text = #expect(throws: PostgresError.self) {
            try connection.copyIn(Self.copyIn) { input in
                var writer = PostgresCopyWriter()
                writer.beginRow(fields: 1)
                writer.appendNull()
                try input.send(writer.buffer)
            }
        }
        expectEqual(text?.state, "22P04")
        try expectEqual(connection.run("SELECT count(*) FROM t").integer(0, 0), 0)
    }

    @Test func lostConnectionIsAnError() throws {
        let connection = try connect()
        let error = #expect(throws: PostgresError.self) {
            try connection.copyIn(Self.copyIn) { input in
                connection.close()
                try input.send([1])
            }
        }
        expectEqual(error?.code, .noConnection)
    }

    @Test func rowThatEndsTooEarlyIsAnError() throws {
        var writer = PostgresCopyWriter()
        row(1, to: &writer)
        var reader = PostgresCopyReader()
        for length in [3, 18, 20, 22, writer.buffer.count - 1] {
            var reader = PostgresCopyReader()
            let error = #expect(throws: PostgresError.self) {
                try writer.buffer.prefix(length).withUnsafeBytes { try reader.read($0) { _ in } }
            }
            expectEqual(error?.code, .unexpected, "\(length) bytes")
        }
        var rows = 0
        try writer.buffer.withUnsafeBytes { try reader.read($0) { _ in rows += 1 } }
        expectEqual(rows, 1)
    }

    @Test func numbersOutsideTheirTypesAreRefused() {
        var writer = PostgresCopyWriter()
        writer.clear()
        let refused: [(Int64, PostgresColumnType)] = [
            (1 << 31, .mediumInteger), (-(1 << 15) - 1, .smallInteger), (1, .text), (1, .real),
        ]
        for (number, type) in refused {
            let isAppended = writer.append(number, as: type)
            expect(!isAppended, "\(number) as \(type)")
        }
        expect(writer.buffer.isEmpty)
        let isSmall = writer.append(-(1 << 15), as: .smallInteger)
        expect(isSmall)
        expectEqual(writer.buffer, [0, 0, 0, 2, 0x80, 0])
        [UInt8]([0]).withUnsafeBytes {
            expectNil($0.integer(as: .integer))
            expectNil($0.integer(as: .text))
            expectNil($0.real)
        }
    }

    @Test func typesAreKnownByTheirIdentifiers() {
        let known: [(Int64, PostgresColumnType)] = [
            (20, .integer), (23, .mediumInteger), (21, .smallInteger), (701, .real), (25, .text),
            (17, .bytes),
        ]
        for (oid, type) in known { expectEqual(PostgresColumnType(oid: oid), type) }
        for oid in [0, 16, 114, 3614, -1, 1 << 40] as [Int64] {
            expectNil(PostgresColumnType(oid: oid))
        }
    }
}
