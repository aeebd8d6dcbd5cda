extension HubStore {
    /// Returns alerts of the operators' rules. Damaged rows are skipped.
    package func alerts(_ range: AlertRange, limit: Int) async throws -> [StoredAlert] {
        try await reading { session in
            var alerts: [StoredAlert] = []
            try session.forEach(SQL.selectAlertRecords(range), [limit]) { row in
                if let alert = try? StoredAlert(row) { alerts.append(alert) }
                return true
            }
            return alerts
        }
    }

    /// Stores that an alert was seen; a former acknowledgement is replaced.
    ///
    /// - Returns: the alert; nil if there is none with the id.
    package func acknowledgeAlert(
        _ id: String,
        _ seen: AlertAcknowledgement
    ) async throws -> StoredAlert? {
        let length = Change.rowBytes + (seen.note?.utf8.count ?? 0)
        let written = try await write(length: length) { session in
            let rowCount = try session.changes(
                SQL.acknowledgeAlert,
                [seen.time.milliseconds, seen.by, seen.note, id]
            )
            return Written(rowCount: rowCount)
        }
        guard written.rowCount == 1 else { return nil }
        return try await reading { session in
            try session.row(SQL.selectAlertRecord, [id]).map { try StoredAlert($0) }
        }
    }

    /// Ends the records of alerts that no rule's state has any more. A release without the records
    /// may have ended such alerts.
    ///
    /// - Parameter active: the ids of all alerts that have not ended.
    package func endAlertRecords(except active: Set<String>, now: Timestamp) async throws {
        let stale = try await reading { session in
            var ids: [String] = []
            try session.forEach(SQL.selectActiveAlertIDs, []) { row in
                if let id: String = try? row[0], !active.contains(id) { ids.append(id) }
                return true
            }
            return ids
        }
        for id in stale {
            _ = try await write(length: Change.rowBytes) { session in
                Written(rowCount: try session.changes(SQL.endAlertRecord, [now.milliseconds, id]))
            }
        }
    }

    /// Deletes the records of alerts that ended before `time`, and the oldest ended ones beyond
    /// `StoredAlert.keptMax`, in small transactions.
    package func trimAlertRecords(endedBefore time: Timestamp) async throws {
        try await deletingInBatches(SQL.deleteOldAlertRecords, [time.milliseconds])
        try await deletingInBatches(SQL.deleteSurplusAlertRecords, [])
    }
}

extension SQLSession {
    func upsert(_ record: AlertRecord) throws {
        try run(
            SQL.upsertAlertRecord,
            [
                record.id, record.rule, record.subject, record.topic, record.severity,
                record.raised.milliseconds, record.ended?.milliseconds, record.reason,
                record.headline.map { Array($0.utf8) }, record.values, record.isSilenced ? 1 : 0,
            ]
        )
    }

    /// Deletes the records of a topic of alerts whose history ends.
    func deleteAlertRecords(of topic: Topic) throws {
        try run(SQL.deleteAlertRecordsOfTopic, [topic.name])
    }
}

extension SQL {
    fileprivate static let upsertAlertRecord = """
        INSERT INTO alert_record
            (id, rule, subject, topic, severity, raised, ended, reason, headline, field_values,
            silenced)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            severity = excluded.severity, ended = excluded.ended, reason = excluded.reason,
            headline = coalesce(excluded.headline, alert_record.headline),
            field_values = coalesce(excluded.field_values, alert_record.field_values),
            silenced = CASE excluded.silenced WHEN 1 THEN 1 ELSE alert_record.silenced END
        """
    fileprivate static let acknowledgeAlert = """
        UPDATE alert_record
        SET acknowledged = ?, acknowledged_by = ?, acknowledged_note = ? WHERE id = ?
        """
    fileprivate static let endAlertRecord = """
        UPDATE alert_record SET ended = ?, reason = 'withdrawn' WHERE id = ? AND ended IS NULL
        """
    fileprivate static let selectActiveAlertIDs =
        "SELECT id FROM alert_record WHERE ended IS NULL"
    fileprivate static let deleteAlertRecordsOfTopic = "DELETE FROM alert_record WHERE topic = ?"
    fileprivate static let deleteOldAlertRecords = """
        DELETE FROM alert_record WHERE id IN (
            SELECT id FROM alert_record WHERE ended < ? LIMIT ?)
        """
    fileprivate static let deleteSurplusAlertRecords = """
        DELETE FROM alert_record WHERE id IN (
            SELECT id FROM alert_record WHERE ended IS NOT NULL
            ORDER BY ended DESC, id DESC LIMIT ? OFFSET \(StoredAlert.keptMax))
        """

    /// In the order in which `StoredAlert` reads them.
    private static let alertRecordColumns = """
        id, rule, subject, topic, severity, raised, ended, reason, headline, field_values, silenced,
        acknowledged, acknowledged_by, acknowledged_note
        """
    fileprivate static let selectAlertRecord =
        "SELECT \(alertRecordColumns) FROM alert_record WHERE id = ?"

    fileprivate static func selectAlertRecords(_ range: AlertRange) -> String {
        let rest =
            switch range {
            case .active: "WHERE ended IS NULL ORDER BY raised DESC, id DESC"
            case .past: "WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC"
            case .all: "ORDER BY raised DESC, id DESC"
            }
        return "SELECT \(alertRecordColumns) FROM alert_record \(rest) LIMIT ?"
    }
}

extension StoredAlert {
    /// - Throws: if the row is damaged.
    fileprivate init(_ row: SQLRow) throws {
        record = AlertRecord(
            id: try row[0],
            rule: try row[1],
            subject: try row[2],
            topic: try row[3],
            severity: try row[4],
            raised: Timestamp(milliseconds: try row[5]),
            ended: try row.time(6),
            reason: try row[7],
            headline: (try row[8] as [UInt8]?).map {
                String(decoding: $0, as: UTF8.self)
            },
            values: try row[9],
            isSilenced: try row[10] as Int == 1
        )
        guard let time = try row.time(11) else { return }
        acknowledgement = AlertAcknowledgement(
            time: time,
            by: try row[12],
            note: try row[13]
        )
    }
}

extension SQLRow {
    fileprivate func time(_ index: Int) throws -> Timestamp? {
        (try self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
