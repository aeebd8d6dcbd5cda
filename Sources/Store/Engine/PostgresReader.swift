import Dispatch

/// A connection that reads snapshots, one after the other, on a queue of its own.
///
/// `@unchecked Sendable`: after `init`, `session` is only used on the queue.
final class PostgresReader: @unchecked Sendable {
    private let queue: DispatchQueue
    private let session: PostgresSession

    init(_ number: Int, _ connect: @escaping () throws -> PostgresConnection) throws {
        queue = DispatchQueue(label: "store.reader.\(number)")
        session = try PostgresSession(connect)
    }

    func read(_ body: @escaping @Sendable (Result<SQLSession, any Error>) -> Void) {
        queue.async { [self] in
            body(Result { try session.begin(Self.begin) }.map { SQLSession(session) })
            if session.isInTransaction { try? session.rollback() }
        }
    }

    private static let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                session.close()
                continuation.resume()
            }
        }
    }
}
