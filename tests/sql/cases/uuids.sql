-- stored, compared, grouped, joined
SELECT * FROM tags;
SELECT u, count(*) FROM tags GROUP BY u ORDER BY u;
SELECT id FROM tags ORDER BY u DESC NULLS LAST, id;
SELECT min(u), max(u), count(u), count(DISTINCT u) FROM tags;
SELECT k, min(u), max(u), arg_min(id, u), arg_max(u, id) FROM tags GROUP BY k ORDER BY k;
SELECT u FROM tags WHERE id = 7 GROUP BY u;
SELECT id FROM tags WHERE u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
SELECT id FROM tags WHERE u > '80000000-0000-0000-0000-000000000004' AND u <= 'ffffffff-ffff-ffff-ffff-ffffffffffff';
SELECT id FROM tags WHERE u BETWEEN '00000000-0000-0000-0000-000000000000' AND '80000000-0000-0000-0000-000000000005';
SELECT id FROM tags WHERE u IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '80000000-0000-0000-0000-000000000005');
SELECT id FROM tags WHERE u NOT IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL);
SELECT id FROM tags WHERE u IN (SELECT u FROM tags WHERE k = 'a');
SELECT l.id, r.id FROM tags l JOIN tags r ON l.u = r.u;
SELECT l.id, r.id FROM tags l JOIN tags r ON l.u = r.u AND l.k = r.k;
SELECT l.id, r.id FROM tags l LEFT JOIN tags r ON l.u < r.u;
SELECT id, u IS DISTINCT FROM 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', u = s::UUID, u IS NULL FROM tags WHERE id IN (1, 2, 4, 5, 7);
SELECT u FROM tags UNION SELECT '00000000-0000-0000-0000-000000000009'::UUID;
SELECT u FROM tags EXCEPT SELECT s::UUID FROM tags WHERE id IN (1, 5);
SELECT u FROM tags INTERSECT SELECT s::UUID FROM tags WHERE id IN (1, 5);
SELECT id, lag(u) OVER w, max(u) OVER w, rank() OVER (ORDER BY u), first_value(u) OVER (PARTITION BY k ORDER BY id) FROM tags WINDOW w AS (ORDER BY id);
SELECT coalesce(u, '00000000-0000-0000-0000-000000000005'), nullif(u, '00000000-0000-0000-0000-000000000000'), CASE WHEN id = 1 THEN u END FROM tags;
SELECT greatest(u, '0a000000-0000-0000-0000-000000000000'::UUID), least(u, '80000000-0000-0000-0000-000000000005') FROM tags;
SELECT u, k, count(*) FROM tags GROUP BY CUBE (u, k) ORDER BY u, k, 3;
SELECT * FROM (VALUES (uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1), ('80000000-0000-0000-0000-000000000005', 2)) v (x, y) ORDER BY x;
SELECT count(*) FROM tags WHERE u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::VARCHAR;
-- written, cast
SELECT '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'::UUID, 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'::UUID, NULL::UUID, '-a0ee-bc999c0b4ef8bb6d6bb9bd380a11--'::UUID;
SELECT id, u::VARCHAR, u::BLOB, u::BLOB::UUID, TRY_CAST(s AS UUID), u || k FROM tags;
SELECT TRY_CAST(u AS INTEGER), TRY_CAST(id AS UUID), TRY_CAST('abc'::BLOB AS UUID) FROM tags;
SELECT u::VARCHAR FROM tags WHERE id = 7;
-- both refuse
SELECT s::UUID FROM tags;
-- both refuse
SELECT u::INTEGER FROM tags;
-- both refuse
SELECT 5::UUID;
-- both refuse
SELECT 'abc'::BLOB::UUID;
-- both refuse
SELECT ' a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID;
-- both refuse
SELECT '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID;
-- both refuse
SELECT coalesce(u, s) FROM tags;
-- both refuse
SELECT u + 1 FROM tags;
-- both refuse
SELECT sum(u) FROM tags;
-- both refuse
SELECT length(u) FROM tags;
-- both refuse
SELECT u LIKE 'a%' FROM tags;
-- both refuse
SELECT u = 5 FROM tags;
-- functions
SELECT id, uuid_extract_version(u), uuid_extract_version('019482e4-1441-7aad-8127-eec99573b0a0') FROM tags;
SELECT epoch_ms(uuid_extract_timestamp(u)), epoch_ms(uuid_extract_timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')) FROM tags WHERE id = 5;
-- both refuse
SELECT uuid_extract_timestamp(u) FROM tags;
-- both refuse
SELECT uuid_extract_version(5);
-- hashes of numbers of 128 bits
SELECT hash(v) FROM (VALUES (UUID 'ffffffff-ffff-ffff-ffff-ffffffffffff'), (UUID '00000000-0000-0000-0000-000000000000'), ('00000000-0000-0000-0000-000000000001'), ('80000000-0000-0000-0000-000000000000'), ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), (NULL)) t(v);
SELECT hash(v), hash({'a': v}) FROM (VALUES (170141183460469231731687303715884105727::UHUGEINT), (1), (18446744073709551616), (NULL)) t(v);
