import Logging
import Store

extension StoreNotice {
    /// Logs the notice as one entry. For the operator's actions, see docs/OPERATIONS.md.
    package func log(to logger: Logger) {
        switch self {
        case .created(let path):
            logger.info("store: new database", metadata: ["path": "\(path)"])
        case .markMade(let path, wasUnreadable: false):
            logger.info("store: database had no mark, made one", metadata: ["path": "\(path)"])
        case .markMade(let path, wasUnreadable: true):
            logger.warning(
                "store: mark was unreadable, made another one",
                metadata: ["path": "\(path)"]
            )
        case .commitsLost(let path, let marked, let found, let epoch):
            logger.error(
                "store: committed changes are missing, began a new epoch",
                metadata: [
                    "path": "\(path)", "marked_cursor": .stringConvertible(marked),
                    "found_cursor": .stringConvertible(found),
                    "epoch": "\(epoch)",
                ]
            )
        case .emptied(let path, let epoch):
            logger.warning(
                "store: database is gone or empty, began from nothing in a new epoch",
                metadata: ["path": "\(path)", "epoch": "\(epoch)"]
            )
        case .unsyncedEnd(let path, let epoch):
            logger.warning(
                "store: the machine stopped before the last commits were synced, began a new epoch",
                metadata: ["path": "\(path)", "epoch": "\(epoch)"]
            )
        case .restored(let path, let epoch):
            logger.notice(
                "store: a backup was restored, began a new epoch",
                metadata: ["path": "\(path)", "epoch": "\(epoch)"]
            )
        case .markNotWritten(let path, let reason):
            logger.error(
                "store: mark not written, a lost log would go unnoticed",
                metadata: ["path": "\(path)", "err": "\(reason)"]
            )
        case .openToOthers(let path, let roles):
            logger.warning(
                "store: other roles may connect to the database, and could hold the locks of the hub",
                metadata: ["path": "\(path)", "roles": "\(roles)"]
            )
        case .filesWrong(let path, let fault):
            logger.critical(
                "store: files were removed or replaced, commits are refused",
                metadata: ["path": "\(path)", "err": "\(fault)"]
            )
        case .filesRight(let path):
            logger.notice("store: files are back", metadata: ["path": "\(path)"])
        case .damaged(let row, let unlogged): row.log(unlogged, to: logger)
        }
    }
}

extension DamagedRow {
    /// - Parameter unlogged: the number of others that were only counted before it.
    fileprivate func log(_ unlogged: UInt64, to logger: Logger) {
        switch self {
        case .publication(let topic, let offset):
            logger.error(
                "store: damaged publication passed over",
                metadata: [
                    "topic": "\(topic)", "offset": .stringConvertible(offset),
                    "more": .stringConvertible(unlogged),
                ]
            )
        case .delivery(let id):
            logger.error(
                "store: damaged webhook passed over",
                metadata: ["delivery": "\(id)", "more": .stringConvertible(unlogged)]
            )
        case .row(let statement, let reason):
            logger.error(
                "store: damaged row passed over",
                metadata: [
                    "statement": "\(statement)", "err": "\(reason)",
                    "more": .stringConvertible(unlogged),
                ]
            )
        case .topic(let id, let reason):
            logger.error(
                "store: damaged topic passed over",
                metadata: ["id": "\(id)", "err": "\(reason)", "more": .stringConvertible(unlogged)]
            )
        }
    }
}
