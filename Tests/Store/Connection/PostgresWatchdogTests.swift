import Expectations
import Foundation
import Glibc
import PostgresTesting

@testable import Store

@Suite("PostgreSQL: servers that hang", .timeLimit(.minutes(5)))
struct PostgresWatchdogTests {
    /// Long enough for an answer on a busy machine, where the test expects one.
    private static let limit = Duration.seconds(4)
    private static let hurry = Duration.milliseconds(100)

    private func connection(_ watchdog: PostgresWatchdog) throws -> PostgresConnection {
        let connection = try PostgresConnection(testServer(), watchedBy: watchdog)
        let process = try connection.run("SELECT pg_backend_pid()").integer(0, 0)
        connection.setProcess(try require(process))
        return connection
    }

    private func expectLoss(
        _ connection: PostgresConnection,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: PostgresError.self) { try body() }
        expectEqual(error?.code, .noConnection)
        expectEqual(error?.message.hasPrefix("no answer from the server for "), true)
        expect(connection.isSilent && !connection.isOpen)
    }

    /// Every kind of call waits for a server that answers on no connection.
    @Test(arguments: ["execute", "run", "pipeline", "copy out", "copy in"])
    func callEndsWhenTheServerAnswersNowhere(kind: String) throws {
        let watchdog = PostgresWatchdog(limit: Self.hurry) { _, _, _ in .none }
        let connection = try connection(watchdog)
        let sleep = "SELECT pg_sleep(600)"
        let blocker = try PostgresConnection(testServer())
        try blocker.execute("BEGIN; SELECT pg_advisory_xact_lock(9)")
        expectLoss(connection) {
            switch kind {
            case "execute": try connection.execute(sleep)
            case "run": try connection.run(sleep)
            case "pipeline":
                _ = try connection.run([PostgresCommand("SELECT 1"), PostgresCommand(sleep)])
            case "copy out": try connection.copyOut("COPY (\(sleep)) TO STDOUT") { _ in }
            default:
                try connection.execute("CREATE TEMP TABLE thing (id bigint)")
                try connection.execute(
                    """
                    CREATE FUNCTION pg_temp.wait() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_advisory_xact_lock(9); RETURN NEW; END';
                    CREATE TRIGGER waits BEFORE INSERT ON thing
                        FOR EACH ROW EXECUTE FUNCTION pg_temp.wait()
                    """
                )
                try connection.copyIn("COPY thing FROM STDIN") { input in
                    try input.send(Array("1\n".utf8))
                }
            }
        }
        expectLoss(connection) { try connection.execute("SELECT 1") }
    }

    /// A commit that waits for another node, or for a standby, waits in the same way.
    @Test func statementThatTheServerWorksOnIsWaitedFor() throws {
        let target = try testServer()
        let blocker = try PostgresConnection(target)
        try blocker.execute("BEGIN; SELECT pg_advisory_xact_lock(10)")
        let blocking = try require(blocker.run("SELECT pg_backend_pid()").integer(0, 0))
        let answers = Locked<[PostgresAnswer]>([])
        // The answer must be read before the limit after the lock is free.
        let watchdog = PostgresWatchdog(limit: .seconds(1)) { server, processes, _ in
            let answer = PostgresProbe.ask(
                target,
                at: server,
                about: processes,
                within: .seconds(60)
            )
            let count = answers.withLock { answers in
                answers.append(answer)
                return answers.count
            }
            // Longer than the limit, several times.
            if count == 4 {
                _ = try? PostgresConnection(target).execute(
                    "SELECT pg_terminate_backend(\(blocking))"
                )
            }
            return answer
        }
        let connection = try connection(watchdog)
        let process = try require(connection.run("SELECT pg_backend_pid()").integer(0, 0))
        try connection.execute("SELECT pg_advisory_lock(10)")
        expect(!connection.isSilent)
        let first = Array(answers.withLock { $0 }.prefix(4))
        expectEqual(first, [PostgresAnswer](repeating: .working([process]), count: 4))
    }

    /// As behind a network that has swallowed the statement: the rest of the server answers.
    @Test func processThatIsStoppedIsGivenUp() throws {
        let watchdog = PostgresWatchdog(limit: Self.limit, target: try testServer())
        let connection = try connection(watchdog)
        let process = try require(connection.run("SELECT pg_backend_pid()").integer(0, 0))
        try stopIdle(process)
        defer { kill(pid_t(process), SIGCONT) }
        expectLoss(connection) { try connection.execute("SELECT 1") }
    }

    /// Its next call fails at once, and can be tried again on another connection.
    @Test func connectionWithoutACallIsLostWithItsServer() throws {
        let watchdog = PostgresWatchdog(limit: Self.hurry) { _, _, _ in .none }
        let connection = try connection(watchdog)
        let other = try self.connection(watchdog)
        expectLoss(other) { try other.execute("SELECT pg_sleep(600)") }
        let error = #expect(throws: PostgresError.self) { try connection.execute("SELECT 1") }
        expectEqual(error?.code, .noConnection)
        expect(!connection.isSilent && !connection.isOpen)
    }

    @Test func connectionWithoutACallIsLeftAloneWhileItsServerAnswers() throws {
        let watchdog = PostgresWatchdog(limit: Self.hurry) { _, _, _ in .working([]) }
        let connection = try connection(watchdog)
        let other = try self.connection(watchdog)
        expectLoss(other) { try other.execute("SELECT pg_sleep(600)") }
        try expectEqual(connection.run("SELECT 1").integer(0, 0), 1)
    }

    @Test func serverSeesTheEndOfAConnectionThatIsClosed() throws {
        let pair = try Pair()
        let line = PostgresLine(
            PostgresServer(host: "h", address: "", port: "1"),
            descriptor: pair.first
        )
        line.end()
        line.end()
        var byte: UInt8 = 0
        expectEqual(read(pair.second, &byte, 1), 0)
        line.waiting { expectNil(line.call(now: .now)) }
        line.shutDownIfIdle()
        close(pair.second)
    }

    /// The verdict about one call never ends the next one.
    @Test func verdictAboutAnEarlierCallChangesNothing() throws {
        let pair = try Pair()
        let line = PostgresLine(
            PostgresServer(host: "h", address: "", port: "1"),
            descriptor: pair.first
        )
        expectNil(line.call(now: .now))
        var first: PostgresLine.Call?
        line.waiting { first = line.call(now: .now + .seconds(20)) }
        let call = try require(first)
        expect(call.silence >= .seconds(19))
        line.waiting {
            expect(!line.isDoubtful(call, PostgresSilence(limit: .seconds(10))))
            line.take(.giveUp, about: call)
        }
        expectNil(line.silence)
        line.take(.giveUp, about: call)
        expectNil(line.silence)
        line.waiting {
            let call = line.call(now: .now + .seconds(20))
            if let call { line.take(.giveUp, about: call) }
        }
        expect(line.silence != nil)
        line.waiting { expectNil(line.call(now: .now)) }
        close(pair.second)
    }

    /// Two ends of a Unix socket.
    private struct Pair {
        let first: Int32
        let second: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            (first, second) = (ends[0], ends[1])
        }
    }

    // MARK: Questions

    private func ask(port: UInt16, within limit: Duration) -> PostgresAnswer {
        PostgresProbe.ask(
            "postgresql://varde@127.0.0.1/db",
            at: PostgresServer(host: "127.0.0.1", address: "127.0.0.1", port: "\(port)"),
            about: [1],
            within: limit
        )
    }

    @Test func serverThatAcceptsAndIsSilentDoesNotAnswer() throws {
        let server = try SilentServer()
        expectEqual(ask(port: server.port, within: .milliseconds(50)), .none)
    }

    @Test func proxyThatClosesAndPortWithoutAServerDoNotAnswer() throws {
        let server = try SilentServer(closes: true)
        expectEqual(ask(port: server.port, within: .seconds(60)), .none)
        server.stop()
        expectEqual(ask(port: server.port, within: .seconds(60)), .none)
    }

    @Test func serverThatRefusesTheRoleIsAlive() throws {
        let library = try PostgresLibrary.loaded()
        let connection = try PostgresConnection(testServer())
        let server = library.server(of: try require(connection.connection))
        let refused = PostgresProbe.ask(
            try testServer().replacing("postgres?", with: "no_such_database?"),
            at: server,
            about: [1],
            within: .seconds(60)
        )
        expectEqual(refused, .refusal)
    }

    // MARK: Hosts

    /// The test server as the second of two hosts.
    private func second(after first: UInt16) throws -> String {
        let connection = try PostgresConnection(testServer())
        let server = try PostgresLibrary.loaded().server(
            of: try require(connection.connection)
        )
        return try testServer().replacing(
            "host=\(server.host)",
            with: "host=127.0.0.1,\(server.host)&port=\(first),\(server.port)"
        )
    }

    @Test func secondHostIsTriedBehindAProxyThatCloses() throws {
        let proxy = try SilentServer(closes: true)
        let connection = try PostgresConnection(second(after: proxy.port))
        try expectEqual(connection.run("SELECT 1").integer(0, 0), 1)
    }

    @Test func secondHostIsTriedAfterOneThatHangs() throws {
        let server = try SilentServer()
        let connection = try PostgresConnection(
            second(after: server.port),
            defaults: [("connect_timeout", "2")]
        )
        try expectEqual(connection.run("SELECT 1").integer(0, 0), 1)
    }

    @Test func problemsOfAllHostsAreNamed() throws {
        let proxies = try (0..<2).map { _ in try SilentServer(closes: true) }
        let ports = proxies.map { "\($0.port)" }
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(
                "postgresql://varde@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/db"
            )
        }
        expectEqual(error?.code, .noConnection)
        for port in ports { expectEqual(error?.message.contains("port \(port)"), true) }
    }
}
