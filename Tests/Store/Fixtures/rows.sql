-- At least one row for every table, under the version that brought the table. Columns that a version added to
-- an older table are set under that version, so a file of a former version has only what its hub could write.

-- version 1

INSERT INTO hub (id, epoch, cursor_base, clock) VALUES (1, 'epoch-of-1', 1000, 1767225600000);

INSERT INTO topic (id, name, evicted_offset, evicted_cursor) VALUES
    (1, 'radar:1', 1, 1001),
    (2, 'news:global', 0, 0);

INSERT INTO publication (cursor, topic_id, topic_offset, time, payload) VALUES
    (1002, 1, 2, 1767225600000, CAST('a' AS BLOB)),
    (1003, 2, 1, 1767225601000, CAST('b' AS BLOB));

INSERT INTO state (domain, key, value) VALUES ('aurora', 'kp', CAST('7' AS BLOB));
INSERT INTO feed (name, validators) VALUES ('usgs', CAST('etag' AS BLOB));
INSERT INTO alert (rule, subject, state) VALUES ('storm', 'oslo', CAST('on' AS BLOB));

INSERT INTO delivery
    (id, endpoint, message_id, event_type, subject, body, created_at, status, status_at, attempts,
     status_code, state)
VALUES
    (1, 'endpoint-1', 'm1', 'radar.refreshed', 'radar/1', CAST('{}' AS BLOB),
     1767225600000, 0, 1767225600000, 0, NULL, x''),
    (2, 'endpoint-1', 'm2', 'radar.refreshed', NULL, CAST('[]' AS BLOB),
     1767225600000, 1, 1767225601000, 1, 204, x'01');

-- version 2

UPDATE hub SET cursors_reserved = 5000;
-- The tag `a` of the value `b`; the user `u` on the client `c`.
UPDATE publication SET tags = x'02610262', info = x'027502630000', allows_delta = 1
    WHERE cursor = 1003;
INSERT INTO idempotency (id, topic_id, key, topic_offset, time) VALUES (1, 1, 'key', 2, 1767225600000);
INSERT INTO version (topic_id, number, epoch) VALUES (1, 7, 'v');
INSERT INTO probe (id, filler) VALUES (1, x'00');

-- version 3

UPDATE topic SET erased_offset = 1, erased_cursor = 1001 WHERE id = 1;

INSERT INTO radar
    (number, id, user_id, position, is_public, refresh_count, segment, last_polled_at, next_poll_at,
     created_at, updated_at, topic, interpretation, sources)
VALUES
    (1, 'r1', 'u1', 'for', 1, 3, 2, 1767225600000, 1767225700000,
     1767225500000, 1767225600000, 'wind power', CAST('{"a":1}' AS BLOB), CAST('[]' AS BLOB));
INSERT INTO deleted_radar (number) VALUES (9);
INSERT INTO opinion
    (number, radar_number, id, created_at, segment, stance, confidence, author, model, source, provider,
     prompt_version, content, reasoning)
VALUES
    (1, 1, 'o1', 1767225600000, 2, -1, 0.5, 'author', 'model', NULL, 'provider', 'p1', 'content', NULL);
INSERT INTO stance_cache (key, answer, time) VALUES (zeroblob(32), CAST('yes' AS BLOB), 1767225600000);
INSERT INTO spending (day, source, requests, tokens) VALUES (20454, 'source', 4, 500);

INSERT INTO film (id, title, year, genres, rating_count, rating_sum, watcher_count) VALUES
    (1, 'The General', 1926, 'Comedy', 1, 9, 1);
INSERT INTO film_key (key, film_id) VALUES ('ml:1', 1);
INSERT INTO film_text (rowid, title) VALUES (1, 'the general');
INSERT INTO film_word (length, word, film_count) VALUES (3, 'the', 1), (7, 'general', 1);
INSERT INTO genre (id, folded, name, film_count) VALUES (1, 'comedy', 'Comedy', 1);
INSERT INTO film_genre (film_id, genre_id) VALUES (1, 1);

INSERT INTO person
    (id, provider, provider_subject, name, created_at, friend_count, rating_count, rating_sum,
     watchlist_count)
VALUES
    (1, 'test', 'p1', 'Ada', 1767225600000, 1, 1, 9, 0),
    (2, 'test', 'p2', 'Grace', 1767225600000, 1, 0, 0, 1),
    (3, 'test', 'p3', 'Blocked', 1767225600000, 0, 0, 0, 0);
INSERT INTO deleted_person (id) VALUES (4);
INSERT INTO refresh_token (hash, person_id, family, expires_at) VALUES
    (zeroblob(32), 1, 'family', 1767300000000);
INSERT INTO friendship (person_id, friend_id, since) VALUES
    (1, 2, 1767225600000),
    (2, 1, 1767225600000);
INSERT INTO friend_request (id, person_id, friend_id, at) VALUES (1, 3, 2, 1767225600000);
INSERT INTO block (person_id, blocked_id, at) VALUES (1, 3, 1767225600000);
INSERT INTO rating (id, person_id, film_id, halves, is_review, at, like_count, comment) VALUES
    (1, 1, 1, 9, 1, 1767225600000, 1, 'a classic');
INSERT INTO review_like (rating_id, person_id, at) VALUES (1, 2, 1767225600000);
INSERT INTO watchlist (person_id, film_id, at) VALUES (2, 1, 1767225600000);
INSERT INTO watch (person_id, film_id, status, at) VALUES (1, 1, 0, 1767225600000);
INSERT INTO activity (id, person_id, film_id, type, stars, at, comment) VALUES
    (1, 1, 1, 1, 5, 1767225600000, 'a classic');
INSERT INTO activity_tally (person_id, type, activity_count) VALUES (1, 1, 1);
INSERT INTO activity_fanout
    (id, turn, activity_id, person_id, kind, next_friend_id, at, payload)
VALUES
    (1, 1, 1, 1, 0, 0, 1767225600000, CAST('{}' AS BLOB));

-- version 4

INSERT INTO delivery_tag (topic, tag, value, delivery_id) VALUES
    ('radar:1', CAST('a' AS BLOB), CAST('b' AS BLOB), 1);
INSERT INTO ended_login (family, ended_at) VALUES ('ended', 1767225600000);

-- version 5

UPDATE topic SET beginning = 1000, past_time = 1767225599000 WHERE id = 1;
INSERT INTO forgotten (namespace, cursor) VALUES ('news', 1000);

-- version 6

-- Rows without a checksum, as in a file that version 5 began.
UPDATE hub SET unchecked_cursor = 1003, unchecked_delivery = 2;
