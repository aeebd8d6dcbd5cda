extension ActivityDomain {
    /// Refresh tokens and logins that have ended go to the hub's accounts, where users are texts.
    static let activity3 = """
        INSERT INTO account_refresh_token (hash, user_id, family, expires_at, used_at)
            SELECT hash, CAST(person_id AS TEXT), family, expires_at, used_at FROM refresh_token;
        INSERT INTO account_ended_login (family, ended_at)
            SELECT family, ended_at FROM ended_login;
        DROP TABLE refresh_token;
        DROP TABLE ended_login;
        """
}
