import Expectations

@testable import Store

@Suite("PostgreSQL: URLs of stores", .timeLimit(.minutes(10)))
struct PostgresTargetTests {
    @Test(arguments: [
        ("postgresql://db/hub", "postgresql://db/hub", "varde"),
        (
            "postgres://u:p@a,b:5433/hub?sslmode=verify-full&schema=night&connect_timeout=2",
            "postgres://u:p@a,b:5433/hub?sslmode=verify-full&connect_timeout=2", "night"
        ),
        ("postgresql:///hub?schema=a_1", "postgresql:///hub", "a_1"),
        (
            "postgresql:///hub?host=/run/postgresql", "postgresql:///hub?host=/run/postgresql",
            "varde"
        ),
    ])
    func schemaIsTakenOutOfTheURL(text: String, connection: String, schema: String) throws {
        let target = try require(PostgresTarget(text))
        expectEqual(target.connection, connection)
        expectEqual(target.schema, schema)
    }

    @Test(arguments: [
        "", "varde.sqlite", "/var/lib/postgresql://x", "mysql://db/hub", "postgresql:/db/hub",
        "postgresql://db/hub?schema=", "postgresql://db/hub?schema=Night",
        "postgresql://db/hub?schema=1a", "postgresql://db/hub?schema=a%20b",
        "postgresql://db/hub?schema=" + String(repeating: "a", count: 64),
    ])
    func otherTextsAreNoTargets(text: String) {
        expectNil(PostgresTarget(text))
    }

    @Test func schemaOf63BytesIsTheLongest() {
        let name = String(repeating: "a", count: 63)
        expectEqual(PostgresTarget("postgresql:///hub?schema=" + name)?.schema, name)
        expectNil(PostgresTarget("postgresql:///hub?schema=a" + name))
    }

    @Test(arguments: [
        ("postgresql://varde:secret@db:5432/hub?password=secret", "postgresql://varde@db:5432/hub"),
        ("postgresql://varde:s@cret@db/hub", "postgresql://varde@db/hub"),
        ("postgresql://db/hub", "postgresql://db/hub"),
        ("postgresql:///hub?user=varde&password=secret", "postgresql:///hub"),
    ])
    func nameHasNoPassword(text: String, name: String) throws {
        try expectEqual(require(PostgresTarget(text)).name, name)
    }
}
