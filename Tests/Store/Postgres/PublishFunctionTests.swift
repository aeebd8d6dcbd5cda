import Expectations
import Foundation
import StoreTesting

@testable import Store

@Suite("PostgreSQL: the function publish", .timeLimit(.minutes(10)))
struct PublishFunctionTests {
    private let fixture: InboxFixture

    init() throws { fixture = try InboxFixture() }

    /// Arguments that the function refuses, and its messages.
    static let refused = [
        ("NULL, '1'", "channel is empty"),
        ("'', '1'", "channel is empty"),
        ("repeat('a', 256), '1'", "channel: 256 bytes over limit 255"),
        ("repeat('ø', 128), '1'", "channel: 256 bytes over limit 255"),
        ("'a b', '1'", #"channel: expected visible ASCII without , " \ ;"#),
        ("'aø', '1'", #"channel: expected visible ASCII without , " \ ;"#),
        ("'a,b', '1'", #"channel: expected visible ASCII without , " \ ;"#),
        (#"'a"b', '1'"#, #"channel: expected visible ASCII without , " \ ;"#),
        (#"'a\b', '1'"#, #"channel: expected visible ASCII without , " \ ;"#),
        ("'a;b', '1'", #"channel: expected visible ASCII without , " \ ;"#),
        ("'a', NULL", "data is NULL: pass 'null'::jsonb for the JSON null"),
        (
            "'a', to_jsonb(repeat('a', 4194303))",
            "data and tags: 4194305 bytes over limit 4194304"
        ),
        ("'a', '1', repeat('k', 129)", "idempotency_key: 129 bytes over limit 128"),
        ("'a', '1', tags => '[]'", "tags: expected an object, found array"),
        ("'a', '1', tags => 'null'", "tags: expected an object, found null"),
        (#"'a', '1', tags => '{"b": 5}'"#, "tags.b: expected a string, found number"),
        (
            "'a', '1', tags => jsonb_build_object('b', repeat('c', 256))",
            "tags.b: 257 bytes over limit 256"
        ),
        (
            """
            'a', '1', tags => (
                SELECT jsonb_object_agg(n::text, '') FROM generate_series(1, 17) AS n)
            """, "tags: 17 tags over limit 16"
        ),
        ("'a', '1', version => 0", "version: expected a number from 1, found 0"),
        ("'a', '1', version_epoch => repeat('e', 129)", "version_epoch: 129 bytes over limit 128"),
    ]

    @Test func invalidArgumentsAreRefusedWithTheirReason() async throws {
        try await fixture.withStore { _ in
            let application = try fixture.application()
            for (arguments, message) in Self.refused {
                let error = fixture.error(of: "SELECT varde.publish(\(arguments))", in: application)
                expectEqual(error?.message, message, "\(arguments.prefix(60))")
                expectEqual(error?.state, "22023")
            }
            try expectEqual(fixture.count("inbox"), 0)
        }
    }

    /// Arguments at their limits.
    static let accepted = [
        "repeat('a', 255), '1'",
        "'!~', 'null'",
        "'a', to_jsonb(repeat('a', 4194302))",
        "'a', '1', repeat('k', 128)",
        "'a', '1', NULL, NULL, NULL, NULL, NULL, NULL",
        "'a', '1', tags => '{}'",
        "'a', '1', tags => jsonb_build_object('b', repeat('c', 255))",
        "'a', '1', tags => (SELECT jsonb_object_agg(n::text, '') FROM generate_series(1, 16) AS n)",
        "'a', '1', version => 1, version_epoch => repeat('e', 128)",
    ]

    @Test func argumentsAtTheirLimitsAreAccepted() async throws {
        try await fixture.withStore { _ in
            for arguments in Self.accepted {
                try fixture.run("SELECT varde.publish(\(arguments))")
            }
            try expectEqual(fixture.count("inbox"), Int64(Self.accepted.count))
        }
    }

    @Test func rowIsTheContentOfARequest() async throws {
        try await fixture.withStore { store in
            try fixture.run(
                """
                SELECT varde.publish('radar:1', '{"text": "ø\\n"}', 'key', '{"a": "b"}', 9, 'e',
                    true, true)
                """
            )
            let batch = try await store.takeInbox(rowsMax: 9, bytesMax: 99) { row in
                .refuse(reason: String(decoding: row.request, as: UTF8.self))
            }
            let request = try require(batch.refusals.first?.reason)
            let found = try JSONSerialization.jsonObject(with: Data(request.utf8))
            let expected: [String: Any] = [
                "channel": "radar:1", "data": ["text": "ø\n"], "idempotency_key": "key",
                "tags": ["a": "b"], "version": 9, "version_epoch": "e", "skip_history": true,
                "delta": true,
            ]
            expectEqual(found as? NSDictionary, expected as NSDictionary)
        }
    }

    // MARK: Roles

    private func withRole(_ body: (PostgresConnection) throws -> Void) throws {
        let role = fixture.schema + "_app"
        try fixture.run("CREATE ROLE \(role)")
        try fixture.run("GRANT USAGE ON SCHEMA \(fixture.schema) TO \(role)")
        try body(try fixture.application(role))
    }

    @Test func roleWithoutTheRightIsRefused() async throws {
        try await fixture.withStore { _ in
            try withRole { application in
                let error = fixture.error(of: "SELECT varde.publish('a', '1')", in: application)
                expectEqual(error?.state, "42501")
                expectEqual(error?.message, "permission denied for function publish")
            }
        }
    }

    @Test func roleWithTheRightPublishesAndReadsNothing() async throws {
        try await fixture.withStore { _ in
            try withRole { application in
                try fixture.run(
                    "GRANT EXECUTE ON FUNCTION varde.publish TO \(fixture.schema)_app"
                )
                try fixture.publish(1, in: application)
                try expectEqual(fixture.count("inbox"), 1)
                for table in ["inbox", "inbox_refused"] {
                    let sql = "SELECT count(*) FROM varde.\(table)"
                    expectEqual(fixture.error(of: sql, in: application)?.state, "42501")
                }
            }
        }
    }

    @Test func temporaryTableDoesNotStandInForTheInbox() async throws {
        try await fixture.withStore { _ in
            let application = try fixture.application()
            try application.execute("CREATE TEMPORARY TABLE inbox (LIKE \(fixture.schema).inbox)")
            try fixture.publish(1, in: application)
            try expectEqual(application.run("SELECT count(*) FROM inbox").integer(0, 0), 0)
            try expectEqual(fixture.count("inbox"), 1)
        }
    }
}
