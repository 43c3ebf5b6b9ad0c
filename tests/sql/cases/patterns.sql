-- LIKE: the escape character, wherever it stands
SELECT 'abc' LIKE 'ab\c' ESCAPE '\', 'abc' LIKE 'x\' ESCAPE '\', 'ab' LIKE 'abc\' ESCAPE '\', 'a%c' LIKE 'a%%c' ESCAPE '%';
SELECT 'a%c' LIKE 'a%c' ESCAPE '%', 'abc' LIKE 'a_c' ESCAPE '_', 'a_c' LIKE 'a__c' ESCAPE '_', 'a' LIKE 'a%%%%' ESCAPE '%';
SELECT 'a%' ILIKE 'aX%' ESCAPE 'X', 'a%' ILIKE 'ax%' ESCAPE 'X', 'ax%' ILIKE 'aXX%' ESCAPE 'X', 'abc' LIKE 'a%' ESCAPE NULL;
-- both refuse
SELECT 'abc' LIKE 'abc\' ESCAPE '\';
-- both refuse
SELECT 'abc' LIKE '%\' ESCAPE '\';
-- both refuse
SELECT 'abc' LIKE 'a%' ESCAPE 'ab';
-- both refuse
SELECT 'abc' LIKE 'a%' ESCAPE 'é';
-- characters, not bytes
SELECT 'é' LIKE '_', 'é' LIKE '__', '€' LIKE '%__', 'aé' ILIKE 'AÉ', 'ß' ILIKE 'SS', 'İ' ILIKE '_', 'İ' ILIKE '__', 'K' ILIKE 'k';
SELECT 'a' || chr(10) || 'c' LIKE 'a_c', 'a' || chr(10) || 'c' LIKE 'a%c', '' LIKE '', '' LIKE '%', '' LIKE '_';
-- patterns from columns; one in which going back would never end
SELECT name, title, name LIKE '%' || substring(title, 1, 1) || '%' FROM emp, dept;
SELECT a.name, b.name, a.name LIKE b.name, a.name ILIKE b.name FROM emp a, emp b;
SELECT s LIKE p, s ILIKE p, s SIMILAR TO '(a|a)*c' FROM (SELECT repeat('a', 3000) s, repeat('%a', 200) || '%b' p);
SELECT s LIKE p FROM (VALUES (repeat('a', 3000), repeat('%a', 200) || '%b'), (repeat('a', 3000), repeat('%a_', 200) || '%b'), (repeat('ab', 1500), repeat('%a', 200) || '%b')) t(s, p);
-- GLOB goes by bytes
SELECT 'é' GLOB '?', 'é' GLOB '??', 'abc' GLOB 'a*', 'abc' GLOB 'a?c', 'abc' GLOB '[a-c]bc', 'abc' GLOB '[!x]bc', 'a*c' GLOB 'a\*c';
SELECT 'abc' GLOB '[^x]bc', 'abc' GLOB '[abc', 'a]c' GLOB 'a[]]c', 'a-c' GLOB 'a[b-]c', 'a' GLOB 'A', '' GLOB '*', '' GLOB '', 'é' GLOB '[é]';
SELECT name FROM emp WHERE name GLOB '[A-D]*' OR name NOT GLOB '*a*';
SELECT a.name GLOB b.name || '*', a.name ~~~ b.name FROM emp a, emp b;
SELECT repeat('a', 3000) GLOB repeat('*a', 200) || '*b';
-- regular expressions: options
SELECT regexp_matches('abc', 'B', 'i'), regexp_matches('abc', 'B', 'ic'), regexp_matches('abc', 'B', 'ci'), regexp_matches('abc', 'b', ' i ');
SELECT regexp_matches('a' || chr(10) || 'c', 'a.c'), regexp_matches('a' || chr(10) || 'c', 'a.c', 's'), regexp_matches('a' || chr(10) || 'c', 'a.c', 'sn');
SELECT regexp_matches('a' || chr(10) || 'c', '^c', 'm'), regexp_matches('a' || chr(10) || 'c', '(?m)^c'), regexp_matches('A.C', 'a.c', 'li');
SELECT regexp_matches('abc', 'b', 'i' || 's'), 'xabcx' ~ 'abc', 'xabcx' ~* 'ABC', 'xabcx' !~* 'ABC', 'abc' !~ 'x';
-- both refuse
SELECT regexp_matches('abc', 'b', 'x');
-- both refuse
SELECT regexp_matches('abc', 'b', 'g');
-- both refuse
SELECT regexp_matches('abc', 'b', NULL);
-- both refuse
SELECT regexp_matches(name, 'b', name) FROM emp;
-- both refuse
SELECT regexp_extract(name, 'b', id) FROM emp;
-- syntax that RE2 does not take
-- both refuse
SELECT regexp_matches('abc', '(?=b)');
-- both refuse
SELECT regexp_matches('abc', '(?<!b)c');
-- both refuse
SELECT regexp_matches('abc', '(a)\1');
-- both refuse
SELECT regexp_matches('abc', '(?<n>a)');
-- both refuse
SELECT regexp_full_match('a', 'a)|(?:b');
-- both refuse
SELECT regexp_matches(name, '(') FROM emp WHERE name = 'nobody';
-- both refuse
SELECT regexp_matches(NULL, '[b-a]');
-- both refuse
SELECT regexp_matches('abc', p) FROM (VALUES ('b'), ('(')) t(p);
SELECT regexp_matches('abc', p) FROM (VALUES ('b'), ('(')) t(p) WHERE p <> '(';
SELECT regexp_matches(s, p) FROM (VALUES (NULL, '('), ('abc', 'b')) t(s, p);
-- what stands around the first match is seen
SELECT regexp_replace('ba', '\Ba', 'X'), regexp_replace('foo bar', '\bbar$', 'X'), regexp_replace('abc', 'b(c)$', '\1');
SELECT regexp_replace('abc', '', '-', 'g'), regexp_replace('abc', '', '-'), regexp_replace('baac', 'a*', '-', 'g'), regexp_replace('', 'x*', '-', 'g'), regexp_replace('éa', '', '-', 'g');
SELECT regexp_replace('hello', '(h)(e)', '\2\1'), regexp_replace('hello', 'l', '\\'), regexp_replace('hello', 'l', '\0\0', 'g'), regexp_replace('hello', 'L', 'X', 'gi');
SELECT regexp_replace('hello', '(x)?l', '<\1>'), regexp_replace('aab', '(a)(?:b)', '[\1\0]'), regexp_replace('abc', '$', 'x'), regexp_replace('abc', '^', 'x', 'g');
SELECT regexp_replace(s, p, r), regexp_replace(s, p, r, 'g') FROM (VALUES ('abcb', 'b', '<\0>'), ('abc', '^c', 'x'), ('x', NULL, 'a'), ('abc', '(a)(b)', '\2\1')) t(s, p, r);
-- both refuse
SELECT regexp_replace('hello', 'l', '\1');
-- both refuse
SELECT regexp_replace('hello', 'l', 'a\');
-- both refuse
SELECT regexp_replace('é', '\C', 'x');
-- groups, quoted text, classes with brackets
SELECT regexp_extract('Hello', 'h', 0, 'i'), regexp_extract('Hello', 'h', 'i'), regexp_extract('hello', '(x)?h', 1), regexp_extract('hello', 'l', 3), regexp_extract('hello', 'l', NULL);
SELECT regexp_extract('(a)', '\Q(a)'), regexp_extract('xay', '\Qa\E(y)', 1), regexp_extract('(]a', '[(\]]a'), regexp_extract('ab]', '[^]](])', 1), regexp_extract('ab]', '[[:alpha:](]', 0);
SELECT regexp_full_match('a)', '\Qa)'), regexp_full_match('a\', '\Qa\'), regexp_extract('aab', '((a)(b))', 3), regexp_extract('aab', '(?P<z>b)', 1), regexp_extract('aab', '(?i:A)(b)', 1);
SELECT regexp_full_match('abc', 'a|(?i)ABC|b'), regexp_extract('abc', 'a|ab'), regexp_extract('aaa', 'a+?'), regexp_matches('aé', '\w\w'), regexp_matches('é', '^\pL$'), regexp_matches('É', 'é', 'i');
SELECT regexp_extract(s, p, 1) FROM (VALUES ('abc', '(b)'), ('abc', '(^c)'), ('x', NULL), ('abc', '(a)(b)')) t(s, p);
-- both refuse
SELECT regexp_extract('abc', 'b', 10);
-- both refuse
SELECT regexp_extract('abc', 'b', -1);
SELECT regexp_escape('_a1 -\' || chr(10) || chr(9) || 'é日'), regexp_escape(name) FROM emp;
SELECT regexp_matches(repeat('a', 20000), '(a+)+$'), regexp_full_match(repeat('a', 20000), '(a|a)*b'), regexp_replace(repeat('a', 5000), '(a*)*b', 'x');
SELECT regexp_extract_all('hello', 'l');
SELECT string_split_regex('a,b', ',');
-- counts at the ends of their types, row by row
SELECT left(s, u) FROM (VALUES ('abc', 2147483646), ('b', 2147483648), ('c', 2147483647), ('d', 2147483649)) t(s, u);
SELECT right(s, u) FROM (VALUES ('abc', -2147483650), ('b', -2147483649), ('c', -2147483648), ('d', -2147483647)) t(s, u);
-- LIKE: an escape that is any operand
SELECT w, e, w LIKE 'a$%b' ESCAPE e, w NOT LIKE 'a$%b' ESCAPE e, w ILIKE 'A$%B' ESCAPE e, w NOT ILIKE 'A$%' ESCAPE lower(e) FROM (VALUES ('a%b'), ('acb'), (NULL)) t(w), (VALUES ('$'), ('x'), (NULL), ('')) v(e);
SELECT w LIKE 'a$%b' ESCAPE '$' || '', w LIKE 'a$%b' ESCAPE left('$x', 1) AND true, w LIKE 'a' || '$%b' ESCAPE (SELECT '$'), w LIKE 'a$%b' ESCAPE chr(36) IS NULL, NOT w LIKE CASE WHEN true THEN 'a$%b' END ESCAPE '$' OR false FROM (VALUES ('a%b'), ('acb'), (NULL)) t(w);
SELECT w LIKE escape, w LIKE 'a$%b' ESCAPE escape, escape, [w NOT LIKE 'a_' ESCAPE escape.lower()] FROM (SELECT 'a%b' AS w, '$' AS escape);
SELECT count(*) FILTER (w NOT LIKE 'a$%' ESCAPE e) FROM (VALUES ('a%', '$'), ('ab', '$'), ('ab', 'b')) escape(w, e) GROUP BY e HAVING max(w) LIKE 'a%' ESCAPE e;
-- both refuse
SELECT w LIKE w ESCAPE w FROM m;
-- both refuse
SELECT w LIKE w ESCAPE length(w) FROM m;
-- both refuse
SELECT (w LIKE w) ESCAPE 'a' FROM m;
-- matches of no characters: a match may begin where another one ends
SELECT s, regexp_extract_all(s, 'x*'), regexp_extract_all(s, ''), regexp_extract_all(s, 'b??'), regexp_extract_all(s, '\bb?'), regexp_extract_all(s, '(?m)^|,'), regexp_extract_all(s, '(?m)$'), regexp_extract_all(s, '(?:(.)|\b)') FROM (VALUES (''), (NULL), ('abxxc'), ('xx'), ('é€x'), ('a b, c'), (chr(10) || 'a' || chr(10))) t(s);
SELECT s, string_split_regex(s, 'x*'), string_split_regex(s, ' *'), string_split_regex(s, '$'), string_split_regex(s, '^'), string_split_regex(s, '\b'), string_split_regex(s, '\bb?'), string_split_regex(s, '(^|,)'), string_split_regex(s, '(?m)$'), string_split_regex(s, '(?:ab)*'), string_split_regex(s, 'X?', 'i') FROM (VALUES (''), (NULL), ('abxxc'), ('xxabxx'), ('é€x'), ('a b,  c'), ('a'), (chr(10) || 'a' || chr(10)), ('abab')) t(s);
SELECT p, regexp_extract_all('a1b22c', p), string_split_regex('a1b22c', p) FROM (VALUES ('[0-9]*'), ('\d+'), ('z?'), ('')) t(p);
-- a group that a match may leave out
SELECT s, regexp_extract_all(s, '(a)?b', 1), regexp_extract_all(s, '(a)|(b)', 1), regexp_extract_all(s, '(a)(b)?', 2), regexp_extract_all(s, '(?:(c)|a)b?', 1), regexp_extract_all(s, '(a)?.', 1), regexp_extract_all(s, '(a)*', 1), regexp_extract_all(s, '(a*)b', 1) FROM (VALUES ('abcab'), ('b'), (''), (NULL), ('aab')) t(s);
SELECT regexp_extract_all('a1b', '([a-z])([0-9])?', ['x', 'y']), len(regexp_extract_all('a1b', '([a-z])([0-9])?', 2)), regexp_extract_all('a1b', '(q)?', 1)[1] IS NULL;
-- a group that a pattern has not is missed where something matches
SELECT regexp_extract_all('x', 'true', 1), regexp_extract_all(NULL, 'true', 1), regexp_extract_all('x', '(t)rue', 2);
-- both refuse
SELECT regexp_extract_all(s, 'true', 1) FROM (VALUES ('x'), ('true')) t(s);
