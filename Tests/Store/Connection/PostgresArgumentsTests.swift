import Expectations

@testable import Store

@Suite("PostgreSQL: arguments", .timeLimit(.minutes(10)))
struct PostgresArgumentsTests {
    @Test func numbersAreBigEndian() {
        var arguments = PostgresArguments()
        arguments.append(Int64(258))
        arguments.append(1.0)
        arguments.appendNull()
        expectEqual(arguments.types, [20, 701, 0])
        expectEqual(arguments.starts, [0, 8, nil])
        expectEqual(arguments.lengths, [8, 8, 0])
        expectEqual(arguments.buffer, [0, 0, 0, 0, 0, 0, 1, 2] + [0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
    }

    @Test func arrayHasDimensionFlagTypeCountAndFirstIndex() {
        var arguments = PostgresArguments()
        arguments.append([[7], nil] as [[UInt8]?])
        expectEqual(
            arguments.buffer,
            [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1,
                0, 0, 0, 1, 7, 255, 255, 255, 255,
            ]
        )
    }

    @Test func emptyArrayHasNoDimension() {
        var arguments = PostgresArguments()
        arguments.append([] as [String?])
        expectEqual(arguments.types, [1009])
        expectEqual(arguments.buffer, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
    }

    @Test func errorNamesStateAndStatement() {
        let error = PostgresError(.refused("23505"), "duplicate key", statement: "INSERT")
        expectEqual(error.description, "duplicate key (SQLSTATE 23505) in: INSERT")
        expectEqual(PostgresError(.noConnection, "gone").description, "gone")
        expectNil(PostgresError(.noConnection, "gone").state)
    }
}
