-- signs before an operand
SELECT +5, +(-5), +1.5, -+5, +-5, +(SELECT 1), +NULL;
SELECT +id, + +id, -(+id), +id + 1, 2 * +id FROM emp;
SELECT id FROM emp ORDER BY +2, id LIMIT +3;
SELECT +id FROM emp GROUP BY +id ORDER BY 1;
SELECT count(*) FROM emp GROUP BY +1;
-- both refuse
SELECT +name FROM emp;
-- both refuse
SELECT +true;
SELECT @id, @ -5, @(-5), abs(-5), @ -id, @ @ id, - @id FROM emp;
SELECT @id + 1, @id * -2, @id & 3, 1 = @id, @id BETWEEN 1 AND 2, @id::BIGINT FROM emp;
SELECT NOT @id = 1, id IN (@id), [@id] FROM emp;
SELECT ~5, ~id, ~(id + 1), 1 = ~id FROM emp;
-- @ and ~ are of all sums and products that follow, behind an operator, too
SELECT 1 + @id, 'a' || @id, ~ @id, 1 + @ -id * 3, 1 - @ -id - 2, 2 * @ -id + 2, 10 - @ -5 - 2 * @ -3 - 1 FROM emp;
SELECT @ -5 + 2, @ -5 & 3, @ -5 % 3, 1 + @ -5 & 3, 1 & @ -5 | 8, 1 < @ -5 + 7, 2 ** @ -3 + 1, 'a' || @ -5 + 2, -5 IN (@ -5);
SELECT 1 + ~5, 1 + ~5 + 2, 2 * ~5 + 2, 10 - ~id - 3, ~5 + 2, @ ~5 + 2 FROM emp;
-- both refuse
SELECT 1 + @name FROM emp;
-- operators that are functions, too
SELECT 2 ** 3, 2 ^ 3, 2 ** 3 ** 2, -2 ** 2, 2 ^ -1, 2 ^ (1 + 1), pow(2, 3), power(2, 3);
SELECT 'abc' ^@ 'a', name ^@ 'a', starts_with(name, 'a') FROM emp;
SELECT 'a' ~~ 'a', 'a' !~~ 'b', 'a' ~~* 'A', 'a' !~~* 'A', 'a' ~~~ 'a*' FROM emp;
-- factorials
SELECT 4!, id!, -4!, 4! + 1, 2 * 3!, 3! = 6, (2 + 1)!, 3! IS NULL, 4!::VARCHAR FROM emp WHERE id < 10;
SELECT 2 ** 3!, 3! ** 2, 3 !=4, [2, 3][1]!;
-- both refuse
SELECT 3!!;
-- both refuse
SELECT 3!- 1;
-- functions behind a point
SELECT 'x'.upper(), name.upper().lower(), emp.name.upper(), id.abs(), [1, 2].list_sum() FROM emp;
SELECT (id + 1).abs(), (name || 'x').upper() || 'y', 1 + id.abs() * 2, -id.abs() FROM emp;
SELECT name.upper() LIKE 'A%', name.upper() = 'AB', name.upper() IN ('AB'), id + 1 || name.upper() FROM emp;
SELECT name[1].upper(), name::VARCHAR.upper(), CASE WHEN id > 1 THEN name END.upper() FROM emp;
SELECT name.substr(1, 1), name.replace('a', 'x').upper(), 'a'.concat('b', 'c'), name.left(1) FROM emp;
SELECT [1, 2, 3].list_transform(lambda x: x + 1).list_sum(), [3, 4].list_filter(lambda x: x > 3)[1].abs();
SELECT [{'a': 1}, {'a': 2}].list_transform(lambda s: s.a), {'a': 'x'}.a.upper(), MAP {'k': 'v'}['k'].upper();
SELECT id.sum(), name.string_agg(',' ORDER BY name), id.sum() FILTER (WHERE id > 1) FROM emp;
SELECT name FROM emp WHERE name.lower().length() > 2 ORDER BY name.upper(), id.abs();
SELECT main.upper('a');
SELECT (SELECT name.upper()) FROM emp;
SELECT upper.upper() FROM (SELECT 'a' AS upper);
-- both refuse
SELECT name.nosuch() FROM emp;
-- both refuse
SELECT nosuch.upper() FROM emp;
-- both refuse
SELECT name.count() FROM emp;
-- braces and lambdas
SELECT {a: 1, 'b': 2, "c d": 3,}, MAP {1: 2, 3: 4,}, {'a': {'b': [1]}}.a.b[1];
SELECT MAP {id: name} FROM emp;
SELECT list_transform([1], (lambda x: x + 1)), [x + i FOR x, i IN [1, 2]], [x FOR x IN [1, 2] IF x > 1];
SELECT @ NULL, @ NULL::INTEGER, @ 5, @(-5), (@ NULL);

-- A cast behind the parentheses of IN is of what IN gives.
SELECT 'a' IN ('b')::VARCHAR, 1 IN (SELECT 1)::BOOLEAN, 1 = 1 IN (2)::INT;
SELECT NOT 1 IN (2)::VARCHAR::BOOLEAN, 1 IN (1)::INT = 1, 1 IN (1)::INT IN (1), 2 + 1 NOT IN (3, 4)::INT;
-- both refuse
SELECT 2 + 1 NOT IN (3, 4)::INT + 1;
-- both refuse
SELECT 'a' IN ('b')::VARCHAR[];
-- `row` before `<` begins no type
SELECT row(1, 2) < row(1, 3), row(1, row(2)) < row(1, row(1)) AS a, row < 3 AS b FROM (SELECT 2 AS row);
-- operators under their names
SELECT "+"(id, 2), "-"(id, 2), "-"(id), "+"(id), "*"(id, 3), "/"(id, 2), "//"(id, 2), "%"(id, 2), "^"(id, 2), "**"(id, 2) FROM emp ORDER BY id;
SELECT "&"(id, 3), "|"(id, 3), "~"(id), "<<"(id, 3), ">>"(id, 1), "@"(-id), "!__postfix"(id) FROM emp ORDER BY id;
SELECT "~~"(name, 'A%'), "!~~"(name, 'A%'), "~~*"(name, 'a%'), "!~~*"(name, 'a%'), "~~~"(name, 'A*'), "^@"(name, 'A'), "||"(name, 'x') FROM emp ORDER BY id;
SELECT "&&"([1], [1, 2]), "@>"([1, 2], [1]), "<@"([1], [1, 2]), "<->"([1.0], [2.0]), "<=>"([1.0], [2.0]), "+"([1], [2]);
SELECT "<=>"([1, 2]::FLOAT[2], [2, 2]), "<->"([1, 2]::FLOAT[2], [2, 2]), "->>"('{"a": 1}'::JSON, 'a');
SELECT "="(k, 1), "!="(k, 1), "<"(k, 1), "<="(k, 1), ">"(k, 1), ">="(k, 1) FROM n ORDER BY k;
SELECT "IS DISTINCT FROM"(k, NULL), "is not distinct from"(k, 1) FROM n ORDER BY k;
SELECT "="('a' COLLATE nocase, 'A'), "="({'a': 1}, row(1)), "="((SELECT 1), 1), (1)."="(2), main."="(1, 2);
SELECT "*"("+"(1, 2), 3), "-"("-"(1, "-"(2, 3))), list_filter([1, 2, 3], lambda x: ">"(x, 1));
SELECT "="(k, 1), count(*) FROM n WHERE "<"(k, 4) GROUP BY "="(k, 1) ORDER BY ALL;
-- both refuse
SELECT "="(1);
-- both refuse
SELECT "~"(1, 2);
-- both refuse
SELECT "="(1, b := 1);
-- both refuse
SELECT "<>"(1, 2);
-- both refuse
SELECT "="([1, 2], 42);
-- in nothing
SELECT k IN (), k NOT IN (), (k, v) IN (), 'a' IN (), NULL IN () FROM n ORDER BY k;
SELECT count(*) FROM n WHERE k NOT IN ();
-- || and a NULL without a type
SELECT 'a' || NULL, NULL || name, NULL || NULL, 'a'::BLOB || NULL, [id] || NULL, NULL || [id]::INT[1], '1'::BIT || NULL, id || NULL || 5, ('a' || NULL) || [1] FROM emp;
SELECT typeof(name || NULL), typeof(name || NULL::VARCHAR), typeof(NULL::VARCHAR || x) FROM emp, (SELECT NULL AS x);
-- text that is no literal equals values of other types, but is in no order with them
SELECT name = 1, name IS DISTINCT FROM 1, name IN (1, 2), '7' > id, id BETWEEN '1' AND '3', name < NULL FROM emp WHERE id < 0;
SELECT name < '{}'::JSON, name < 1::VARIANT, '2020-01-01' > current_date FROM emp WHERE id < 0;
-- both refuse
SELECT name > 1 FROM emp WHERE id < 0;
-- both refuse
SELECT id FROM emp WHERE hired > concat('2020', '-01-01');
-- both refuse
SELECT name BETWEEN '1' AND 2 FROM emp WHERE id < 0;
-- both refuse
SELECT id FROM emp WHERE name < ANY (SELECT id FROM emp);
-- both refuse
SELECT x < 1 FROM (SELECT '1' AS x);
-- both refuse
SELECT coalesce('1', '2') < 3;
-- both refuse
SELECT 'a'::VARCHAR < 'b'::BLOB;
SELECT (NULL).ifnull(2), (name).ifnull('x') FROM emp WHERE id < 3;
-- both refuse
SELECT (1).ifnull(2, 3);
-- both refuse
SELECT (1).ifnull();
