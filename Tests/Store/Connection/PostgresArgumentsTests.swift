import Testing

@testable import Store

@Suite("PostgreSQL: arguments", .timeLimit(.minutes(10)))
struct PostgresArgumentsTests {
    @Test func numbersAreBigEndian() {
        var arguments = PostgresArguments()
        arguments.append(Int64(258))
        arguments.append(1.0)
        arguments.appendNull()
        #expect(arguments.types == [20, 701, 0])
        #expect(arguments.starts == [0, 8, nil])
        #expect(arguments.lengths == [8, 8, 0])
        #expect(
            arguments.buffer == [0, 0, 0, 0, 0, 0, 1, 2] + [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
        )
    }

    @Test func arrayHasDimensionFlagTypeCountAndFirstIndex() {
        var arguments = PostgresArguments()
        arguments.append([[7], nil] as [[UInt8]?])
        #expect(
            arguments.buffer == [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1,
                0, 0, 0, 1, 7, 255, 255, 255, 255,
            ]
        )
    }

    @Test func emptyArrayHasNoDimension() {
        var arguments = PostgresArguments()
        arguments.append([] as [String?])
        #expect(arguments.types == [1009])
        #expect(arguments.buffer == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
    }

    @Test func errorNamesStateAndStatement() {
        let error = PostgresError(.refused("23505"), "duplicate key", statement: "INSERT")
        #expect(error.description == "duplicate key (SQLSTATE 23505) in: INSERT")
        #expect(PostgresError(.noConnection, "gone").description == "gone")
        #expect(PostgresError(.noConnection, "gone").state == nil)
    }
}
