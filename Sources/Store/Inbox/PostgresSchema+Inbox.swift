/// The tables of publications from SQL, and the function that applications call. With the default
/// schema it is `varde.publish`.
///
/// `inbox`: publications of committed transactions that the hub has not taken yet. The columns are
/// the fields of `POST /api/publish` (protocol/server-api.md); `bytes` is the length of `data` and
/// `tags` as texts.
/// `inbox_refused`: the newest publications that the hub could not publish, and why.
///
/// - The function inserts a row. It takes no lock that another transaction waits for, so a
///   transaction that stays open delays no other one.
/// - It runs with the rights of its owner, so `pg_temp` comes last in its search path: otherwise a
///   caller's temporary table could stand in for `inbox`, with a trigger.
/// - It checks what does not depend on the hub's configuration. The limits are those of
///   `ServerAPILimits` and `Topic`. The hub checks everything again, because its limits may differ
///   and because the owner may write to the table itself.
/// - `pg_catalog.text` has the schema in front because `PostgresDialect` would add a collation to
///   `text`, which a parameter cannot have.
extension PostgresSchema {
    static let inbox = Migration(
        "postgres.2",
        sql: #"""
            CREATE TABLE inbox (
                id INTEGER PRIMARY KEY,
                channel TEXT NOT NULL,
                data JSONB NOT NULL,
                idempotency_key TEXT,
                tags JSONB,
                version INTEGER,
                version_epoch TEXT,
                skip_history BOOLEAN NOT NULL DEFAULT false,
                delta BOOLEAN NOT NULL DEFAULT false,
                bytes INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE inbox_refused (
                id INTEGER PRIMARY KEY,
                refused_at TIMESTAMPTZ NOT NULL DEFAULT now(),
                reason TEXT NOT NULL,
                inbox_id INTEGER NOT NULL,
                channel TEXT NOT NULL,
                data JSONB NOT NULL,
                idempotency_key TEXT,
                tags JSONB,
                version INTEGER,
                version_epoch TEXT,
                skip_history BOOLEAN NOT NULL,
                delta BOOLEAN NOT NULL
            ) STRICT;

            CREATE FUNCTION publish(
                channel pg_catalog.text,
                data jsonb,
                idempotency_key pg_catalog.text DEFAULT NULL,
                tags jsonb DEFAULT NULL,
                version bigint DEFAULT NULL,
                version_epoch pg_catalog.text DEFAULT NULL,
                skip_history boolean DEFAULT false,
                delta boolean DEFAULT false
            ) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
            DECLARE
                bytes bigint := coalesce(octet_length(data::pg_catalog.text), 0)
                    + coalesce(octet_length(tags::pg_catalog.text), 0);
                problem pg_catalog.text;
            BEGIN
                problem := CASE
                    WHEN channel IS NULL OR channel = '' THEN 'channel is empty'
                    WHEN octet_length(channel) > 255 THEN
                        format('channel: %s bytes over limit 255', octet_length(channel))
                    WHEN channel COLLATE "C" ~ '[^!-~]|[,"\\;]' THEN
                        'channel: expected visible ASCII without , " \ ;'
                    WHEN data IS NULL THEN 'data is NULL: pass ''null''::jsonb for the JSON null'
                    WHEN bytes > 4194304 THEN
                        format('data and tags: %s bytes over limit 4194304', bytes)
                    WHEN octet_length(idempotency_key) > 128 THEN
                        format('idempotency_key: %s bytes over limit 128',
                            octet_length(idempotency_key))
                    WHEN version < 1 THEN
                        format('version: expected a number from 1, found %s', version)
                    WHEN octet_length(version_epoch) > 128 THEN
                        format('version_epoch: %s bytes over limit 128', octet_length(version_epoch))
                    WHEN jsonb_typeof(tags) <> 'object' THEN
                        format('tags: expected an object, found %s', jsonb_typeof(tags))
                END;
                IF problem IS NULL AND tags IS NOT NULL THEN
                    SELECT CASE
                        WHEN jsonb_typeof(tag.value) <> 'string' THEN
                            format('tags.%s: expected a string, found %s',
                                left(tag.key, 64), jsonb_typeof(tag.value))
                        WHEN octet_length(tag.key) + octet_length(tag.value #>> '{}') > 256 THEN
                            format('tags.%s: %s bytes over limit 256',
                                left(tag.key, 64),
                                octet_length(tag.key) + octet_length(tag.value #>> '{}'))
                        ELSE format('tags: %s tags over limit 16', tag.number)
                    END
                    INTO problem
                    FROM (SELECT *, count(*) OVER () AS number FROM jsonb_each(tags)) AS tag
                    WHERE jsonb_typeof(tag.value) <> 'string' OR tag.number > 16
                        OR octet_length(tag.key) + octet_length(tag.value #>> '{}') > 256
                    LIMIT 1;
                END IF;
                IF problem IS NOT NULL THEN
                    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = problem;
                END IF;
                INSERT INTO inbox (channel, data, idempotency_key, tags, version, version_epoch,
                    skip_history, delta, bytes)
                VALUES (channel, data, idempotency_key, tags, version, version_epoch,
                    coalesce(skip_history, false), coalesce(delta, false), bytes);
                PERFORM pg_notify(current_schema(), '');
            END $$;
            REVOKE ALL ON FUNCTION publish FROM PUBLIC;
            DO $$ BEGIN
                EXECUTE format('ALTER FUNCTION publish SET search_path = %I, pg_temp',
                    current_schema());
            END $$;
            """#
    )
}
