extension AccountTables {
    /// Lengths are limited against mistakes. User ids are text, so domains can use their own.
    static let accounts1 = """
        CREATE TABLE account_refresh_token (
            hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
            user_id TEXT NOT NULL CHECK (length(user_id) BETWEEN 1 AND 1000),
            family TEXT NOT NULL CHECK (length(family) BETWEEN 1 AND 100),
            expires_at INTEGER NOT NULL,
            used_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX account_refresh_token_by_family ON account_refresh_token (family);
        CREATE INDEX account_refresh_token_by_user ON account_refresh_token (user_id);
        CREATE INDEX account_refresh_token_by_expiry ON account_refresh_token (expires_at);

        CREATE TABLE account_ended_login (
            family TEXT PRIMARY KEY NOT NULL CHECK (length(family) BETWEEN 1 AND 100),
            ended_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX account_ended_login_by_time ON account_ended_login (ended_at);

        CREATE TABLE account (
            id TEXT PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 1000),
            provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 100),
            subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 1000),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1000),
            email TEXT CHECK (length(email) <= 1000),
            created_at INTEGER NOT NULL,
            UNIQUE (provider, subject)
        ) STRICT, WITHOUT ROWID;
        """

    static let insertToken = """
        INSERT INTO account_refresh_token (hash, user_id, family, expires_at, used_at)
        VALUES (?, ?, ?, ?, ?)
        """
    private static let tokenColumns = "hash, user_id, family, expires_at, used_at"
    static let selectToken = """
        SELECT \(tokenColumns) FROM account_refresh_token WHERE hash = ?
        """
    static let selectFamily = """
        SELECT \(tokenColumns) FROM account_refresh_token WHERE family = ?
        """
    /// For each login, the token that expires last.
    static let selectLogins = """
        SELECT family, max(expires_at) FROM account_refresh_token WHERE user_id = ?
        GROUP BY family ORDER BY max(expires_at) DESC, family
        """
    static let deleteToken = "DELETE FROM account_refresh_token WHERE hash = ?"
    static let useToken = "UPDATE account_refresh_token SET used_at = ?2 WHERE hash = ?1"
    static let deleteFamily = "DELETE FROM account_refresh_token WHERE family = ?"
    /// Skips the families that expire last.
    static let selectOldFamilies = """
        SELECT family FROM account_refresh_token WHERE user_id = ?
        GROUP BY family ORDER BY max(expires_at) DESC, family LIMIT 9223372036854775807 OFFSET ?
        """
    /// For `HubStore.deletingInBatches`.
    static let deleteExpiredTokens = """
        DELETE FROM account_refresh_token WHERE hash IN (
            SELECT hash FROM account_refresh_token WHERE expires_at < ? LIMIT ?)
        """

    static let insertEndedLogin = """
        INSERT INTO account_ended_login (family, ended_at) VALUES (?, ?)
        ON CONFLICT (family) DO NOTHING
        """
    static let selectEndedLogins = """
        SELECT family, ended_at FROM account_ended_login WHERE ended_at > ?
        ORDER BY ended_at DESC LIMIT ?
        """
    /// For `HubStore.deletingInBatches`.
    static let deleteEndedLogins = """
        DELETE FROM account_ended_login WHERE family IN (
            SELECT family FROM account_ended_login WHERE ended_at < ? LIMIT ?)
        """

    private static let accountColumns = "id, name, email"
    static let selectAccount = "SELECT \(accountColumns) FROM account WHERE id = ?"
    static let selectAccountOfProvider = """
        SELECT \(accountColumns) FROM account WHERE provider = ? AND subject = ?
        """
    static let selectStoredAccount = """
        SELECT id, provider, subject, name, email, created_at FROM account WHERE id = ?
        """
    static let deleteAccountOfUser = "DELETE FROM account WHERE id = ?"
    static let insertAccount = """
        INSERT INTO account (id, provider, subject, name, email, created_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
}
