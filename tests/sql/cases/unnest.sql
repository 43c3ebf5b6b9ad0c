SELECT * FROM unnest([1,2,3]);
SELECT * FROM unnest([1,2,3]) t;
SELECT * FROM unnest([1,2,3]) t(x);
SELECT unnest FROM unnest([1,2]);
SELECT * FROM unnest([1,2]) WITH ORDINALITY;
SELECT * FROM unnest([1,2]) WITH ORDINALITY AS t(x,o);
SELECT * FROM unnest([[1,2],[3]]);
SELECT * FROM unnest(['a',NULL,'b']);
-- both refuse
SELECT * FROM unnest([1,2],[3]);
-- both refuse
SELECT * FROM unnest(NULL);
-- both refuse
SELECT * FROM unnest(5);
SELECT * FROM (VALUES ([1,2]),([]),(NULL)) t(l), unnest(l);
SELECT * FROM (VALUES ([1,2]),([]),(NULL)) t(l), unnest(t.l) u(x);
SELECT * FROM (VALUES ([1,2]),([]),(NULL)) t(l) LEFT JOIN unnest(t.l) u(x) ON TRUE;
SELECT * FROM (VALUES (['x','y']),(['z'])) t(l), unnest(t.l) u(x) WHERE x > 'x';
SELECT x, count(*) FROM (VALUES (['x','y']),(['x'])) t(l), unnest(t.l) u(x) GROUP BY x;
SELECT * FROM unnest([1,2]::int[2]);
-- both refuse
SELECT * FROM unnest({'a':1});
-- both refuse
SELECT * FROM unnest('abc');
SELECT unnest([1,2]) AS x;
SELECT unnest([1,2]) AS x, unnest([3]) AS y;
SELECT l, unnest(l) AS x FROM (VALUES ([1,2]),([]),(NULL)) t(l);
SELECT unnest(l)+1 AS x FROM (VALUES ([1,2]),([]),(NULL)) t(l);
-- both refuse
SELECT sum(unnest([1,2]));
-- both refuse
SELECT 1 FROM (VALUES (1)) t(x) WHERE unnest([1])=1;
SELECT unnest([1,2]) AS x ORDER BY x DESC LIMIT 1;
-- both refuse
SELECT unnest(l) AS x, count(*) FROM (VALUES ([1,2]),([1])) t(l) GROUP BY ALL;
SELECT DISTINCT unnest(l) FROM (VALUES ([1,2]),([1])) t(l);
SELECT unnest(range(3)) AS x;
SELECT x, sum(y) FROM (SELECT unnest([1,1,2]) AS x, unnest([5,6]) AS y) GROUP BY x;
SELECT (SELECT sum(x) FROM unnest(l) u(x)) AS s FROM (VALUES ([1,2]),([5])) t(l);
SELECT * FROM (VALUES (['x','y']),(['z'])) t(l), unnest(t.l) WITH ORDINALITY u(x,n);
-- both refuse
SELECT unnest(unnest([[1,2],[3]])) AS x;
SELECT x.a FROM (SELECT unnest([{'a':1},{'a':2}]) AS x);

-- levels, and fields of structs
SELECT unnest([[1,2],[3]], recursive := true);
SELECT unnest([[1,2],[3],NULL,[]], recursive := true) AS x, 7 y;
SELECT unnest([[[1,2]],[[3]]], max_depth := 2);
SELECT unnest([[[1,2]],[[3]]], max_depth := 2) AS q, id FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT unnest([[1,2],[3]], max_depth := 1);
-- both refuse
SELECT unnest([[1,2],[3]], max_depth := 0);
SELECT unnest([[1,2],[3]], max_depth := 7);
SELECT unnest({'a':1,'b':{'c':2}});
SELECT unnest({'a':1,'b':{'c':2,'d':[1,2]}}, recursive := true);
SELECT unnest({'a':1,'b':{'c':2}}, max_depth := 2);
SELECT unnest([{'a':1,'b':{'c':2}},{'a':2,'b':NULL}]);
SELECT unnest([{'a':1,'b':{'c':2}},{'a':2,'b':NULL},NULL], recursive := true);
SELECT unnest([{'a':1,'b':[{'c':2},{'c':3}]},{'a':2,'b':NULL}], recursive := true);
SELECT unnest([{'a':1,'b':[{'c':2},{'c':3}]}], max_depth := 2);
SELECT unnest({'a':[1,2],'b':3}, recursive := true), unnest([1,2,3]);
SELECT unnest({'a':1,'b':2}) AS x;
SELECT unnest(s) FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT unnest(s, recursive := true) FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT id, unnest(s, max_depth := 2), unnest(l) FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT unnest(NULL::STRUCT(a INT, b INT));
SELECT unnest(row(1,2));
-- both refuse
SELECT unnest({'a':1}) + 1;
SELECT unnest([[1]], recursive := true) + 1 AS k;
-- both refuse
SELECT unnest([{'a':1}], recursive := true).a;
-- both refuse
SELECT * FROM unnest([[1,2],[3]], recursive := true);
-- both refuse
SELECT * FROM unnest([[1,2],[3]], recursive := true) t(x);
SELECT * FROM unnest([{'a':1,'b':2}]);
-- both refuse
SELECT * FROM unnest([{'a':1,'b':{'c':3}}], recursive := true);
-- both refuse
SELECT * FROM unnest({'a':1,'b':2});
-- both refuse
SELECT * FROM unnest({'a':1,'b':2}, recursive := true);
-- both refuse
SELECT * FROM unnest([[[1]]], max_depth := 2);
-- both refuse
SELECT * FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s), unnest(s);
-- both refuse
SELECT id, u.* FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s), unnest([[l]], recursive := true) u;
-- both refuse
SELECT id, u.* FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s), unnest([s], recursive := true) u;
SELECT unnest([1,2], recursive := false);
SELECT unnest([[1,2]], recursive => true);
-- both refuse
SELECT unnest([[1,2]], recursive := NULL);
-- both refuse
SELECT unnest([[1,2]], foo := true);
SELECT unnest([[1,2]], max_depth := 2, recursive := true);
SELECT unnest([[1,2]], recursive := true) WHERE 1=1 ORDER BY 1 DESC;
-- both refuse
SELECT unnest(MAP{'a':1,'b':2});
-- both refuse
SELECT unnest(MAP{'a':1,'b':2}, recursive := true);
-- both refuse
SELECT unnest(5);
-- both refuse
SELECT unnest(5, recursive := true);
SELECT unnest([5], max_depth := 2);
SELECT unnest(x, recursive := true) FROM (VALUES ([[1,2],NULL,[3]]),(NULL),([])) v(x);
-- both refuse
SELECT sum(unnest({'a':1}));
-- both refuse
SELECT id, unnest(s) FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s) GROUP BY ALL;
SELECT unnest(array_value(1,2));
SELECT unnest([array_value(1,2)], recursive := true);
SELECT DISTINCT unnest({'a':1,'b':2});
-- both refuse
SELECT unnest({'a':1,'A':2});
SELECT unnest([[1,2],[3]], max_depth := 1+1);
-- both refuse
SELECT unnest([[1,2],[3]], max_depth := -1);
SELECT unnest([[1,2],[3]], max_depth := '2');
SELECT unnest([[1,2],[3]], recursive := 1);
SELECT * FROM unnest([1,2]) WITH ORDINALITY;
-- both refuse
SELECT unnest(unnest([[1,2],[3]]));
SELECT regexp_split_to_table('a b c', ' ');
SELECT regexp_split_to_table(k, '') , id FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
-- both refuse
SELECT * FROM regexp_split_to_table('a b c', ' ');
SELECT unnest([[1,2],[3]], recursive := true), unnest([1,2,3,4]);
SELECT unnest([[1,2],[3]], recursive := true), unnest([1]);
SELECT unnest([[1,2],[3]], recursive := true), unnest([[5],[6,7],[8]], recursive:=true), unnest([9,9]);
SELECT unnest([{'a':1},{'a':2}], recursive := true), unnest([1,2,3]);
SELECT unnest({'a':1,'b':2}), * FROM range(2);
SELECT unnest({'a':1,'b':2}), a FROM (SELECT 5 a);
-- both refuse
SELECT unnest({'a':range}) FROM range(3) ORDER BY a DESC;
-- both refuse
SELECT unnest({'a':range}) AS z FROM range(3) WHERE z>1;
SELECT unnest({'a':range}) FROM range(3) GROUP BY range;
SELECT unnest({'a':sum(range)}) FROM range(3);
SELECT unnest({'a':row_number() over ()}) FROM range(3);
SELECT unnest(struct_pack(x:=1)) UNION ALL SELECT 2;
SELECT (unnest({'a':1}));
SELECT x.* FROM (SELECT unnest({'a':1,'b':[2]})) x;
SELECT unnest(COLUMNS(*)) FROM (SELECT {'a':1} s, {'b':2} t);
-- both refuse
SELECT list(unnest({'a':1}));
SELECT unnest({'a':range, 'b': -range}) FROM range(3) ORDER BY 2;
SELECT unnest(NULL::INT[][], recursive:=true);
SELECT unnest([[[1],[2,3]],[[4]]], recursive := true), unnest([[7,8],[9]], recursive := true), unnest([0]);
SELECT id, unnest([l,l], recursive := true) AS e FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT unnest(l) AS e, unnest([[l]], max_depth := 3) AS f FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
SELECT unnest([s], recursive := true), id FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s) WHERE id < 4;
SELECT sum(e) FROM (SELECT unnest([l,[id]], recursive := true) AS e FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s));
-- both refuse
SELECT unnest([[1,2]], true);
SELECT unnest(list(s), recursive := true) FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s);
-- both refuse
SELECT id FROM (VALUES (1,'x',[1,2],{'a':1,'b':{'c':[7,8],'d':'q'}}),(2,NULL,[]::INT[],NULL),(3,'y',NULL,{'a':NULL,'b':{'c':NULL,'d':'z'}}),(4,'x',[NULL,5],{'a':4,'b':NULL})) g(id,k,l,s) ORDER BY unnest(s);
-- rows grouped by the elements of lists
SELECT unnest(l) AS w, count(*) FROM (VALUES ([1, 2, 2]), ([]), ([2, NULL]), (NULL)) t(l) GROUP BY w;
SELECT unnest(l), count(*) FROM (VALUES ([1, 2, 2]), ([]), ([2, NULL]), (NULL)) t(l) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (VALUES ([1, 2, 2]), ([2, NULL])) t(l) GROUP BY unnest(l);
SELECT unnest(l) + 1 AS w, a, sum(a) FROM (VALUES (1, [1, 2, 2]), (3, [2, NULL])) t(a, l) GROUP BY w, a HAVING w > 2 ORDER BY w, a;
SELECT unnest(l) AS w, unnest([10, 20]) AS v, count(*) FROM (VALUES ([1, 2, 2]), ([2, NULL])) t(l) GROUP BY w, v;
SELECT unnest(l) AS w, unnest(list(a)) FROM (VALUES (1, [1, 2, 2]), (3, [2, NULL])) t(a, l) GROUP BY w;
SELECT unnest(l) AS w, grouping(unnest(l)), count(*) FROM (VALUES ([1, 2, 2]), ([2, NULL])) t(l) GROUP BY ROLLUP (w);
SELECT unnest(l) AS w, a, sum(a) OVER (PARTITION BY unnest(l)) FROM (VALUES (1, [1, 2, 2]), (3, [2, NULL])) t(a, l) WHERE a > 0 GROUP BY w, a;
SELECT unnest(l) AS l, count(*) FROM (VALUES ([1, 2, 2]), ([2, NULL])) t(l) GROUP BY l;
SELECT unnest(string_split(name, 'a')) AS part, count(*) FROM emp GROUP BY part ORDER BY unnest(string_split(name, 'a')) DESC;
-- both refuse
SELECT unnest(l) AS w, count(*) FROM (VALUES ([1, 2, 2])) t(l) GROUP BY ALL;
-- both refuse
SELECT sum(unnest(l)) FROM (VALUES ([1, 2, 2])) t(l) GROUP BY unnest(l);
-- both refuse
SELECT unnest({'a': 1}) FROM (VALUES (1)) t(a) GROUP BY 1;
-- in ORDER BY: beside those of the SELECT list
SELECT unnest([3, 1, 2]) AS x ORDER BY unnest([3, 1, 2]);
SELECT unnest([3, 1, 2]) + 1 AS x ORDER BY unnest([3, 1, 2]) DESC;
SELECT unnest([3, 1, 2]) AS x, y FROM (VALUES (2), (1)) t(y) ORDER BY unnest([1, 2, 3]) + y, y;
SELECT y FROM (VALUES (2), (1)) t(y) ORDER BY unnest([y, 5, y + 1]) LIMIT 3;
SELECT y, count(*) FROM (VALUES (2), (1), (1)) t(y) GROUP BY y ORDER BY unnest([y, -y]), y;
SELECT count(*) FROM (VALUES (2), (1)) t(y) ORDER BY unnest(list(y));
SELECT unnest([1, 2]) AS x, unnest([5, 6, 7]) AS y ORDER BY unnest([9, 8, 7, 6]);
SELECT DISTINCT ON (unnest([1, 1, 2])) y FROM (VALUES (2), (1)) t(y) ORDER BY unnest([1, 1, 2]), y;
SELECT y FROM (VALUES (2), (1)) t(y) WHERE y > 0 QUALIFY row_number() OVER (ORDER BY y) > 0 ORDER BY unnest([y, -y]);
SELECT y FROM (VALUES (2), (1)) t(y) UNION ALL SELECT 3 ORDER BY unnest([-y, y]), y LIMIT 4;
(SELECT y FROM (VALUES (2), (1)) t(y)) ORDER BY unnest([-y, y + 1]);
-- both refuse
SELECT y FROM (VALUES (2), (1)) t(y) ORDER BY unnest({'a': y});
-- NULL without a type is a list without elements
SELECT k, unnest(NULL) FROM n;
SELECT k, unnest(NULL), unnest([1, 2]) FROM n;
SELECT unnest(x), unnest([x, x]), k FROM (SELECT NULL AS x, k FROM n);
SELECT count(x), count(*) FROM (SELECT unnest(NULL) AS x FROM n);
SELECT unnest(NULL, recursive := true), unnest([[1]], recursive := true);
