"""A graph of scholarship: many small tables, and joins of four to seventeen of them."""

from __future__ import annotations

from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["GRAPH"]

_TABLES: Final = {
    "fields": "SELECT i::INTEGER AS field_id, 'Field ' || i AS name, (i // 5)::INTEGER AS parent_id FROM range(40) AS r(i)",
    "countries": "SELECT i::INTEGER AS country_id, 'Country ' || i AS name FROM range(60) AS r(i)",
    "cities": """
        SELECT i::INTEGER AS city_id, 'City ' || i AS name, tail(i, 1, 60)::INTEGER AS country_id FROM range(500) AS r(i)""",
    "institutions": """
        SELECT i::INTEGER AS institution_id, 'Institute ' || i AS name, tail(i, 1, 500)::INTEGER AS city_id,
            ['university', 'company', 'agency'][1 + tail(i, 2, 3)] AS kind FROM range(900) AS r(i)""",
    "publishers": """
        SELECT i::INTEGER AS publisher_id, 'Press ' || i AS name, pick(i, 1, 60)::INTEGER AS country_id FROM range(50) AS r(i)""",
    "venues": """
        SELECT i::INTEGER AS venue_id, 'Journal ' || i AS name, tail(i, 1, 50)::INTEGER AS publisher_id,
            pick(i, 2, 40)::INTEGER AS field_id, ['journal', 'conference', 'workshop'][1 + pick(i, 3, 3)] AS kind
        FROM range(700) AS r(i)""",
    "keywords": "SELECT i::INTEGER AS keyword_id, 'keyword ' || i AS word FROM range(2000) AS r(i)",
    "agencies": """
        SELECT i::INTEGER AS agency_id, 'Agency ' || i AS name, pick(i, 1, 60)::INTEGER AS country_id FROM range(90) AS r(i)""",
    "roles": "SELECT i::INTEGER AS role_id, 'role ' || i AS role FROM range(12) AS r(i)",
    "authors": """
        SELECT i::INTEGER AS author_id, 'Author ' || i AS name, tail(i, 1, 900)::INTEGER AS institution_id,
            CASE WHEN pick(i, 2, 3) > 0 THEN (1940 + pick(i, 3, 60))::INTEGER END AS born FROM range({rows}) AS r(i)""",
    "papers": """
        SELECT i::INTEGER AS paper_id, 'Paper ' || i || ' on ' || tail(i, 1, 500) AS title, tail(i, 2, 700)::INTEGER AS venue_id,
            (1960 + 60 - tail(i, 3, 60))::INTEGER AS year, pick(i, 4, 40)::SMALLINT AS pages FROM range({rows}) AS r(i)""",
    "writes": """
        SELECT tail(i, 1, {rows})::INTEGER AS author_id, pick(i, 2, {rows})::INTEGER AS paper_id, tail(i, 3, 12)::INTEGER AS role_id
        FROM range({rows} * 3) AS r(i)""",
    "cites": """
        SELECT pick(i, 1, {rows})::INTEGER AS citing_id, tail(i, 2, {rows})::INTEGER AS cited_id FROM range({rows} * 5) AS r(i)""",
    "tagged": """
        SELECT pick(i, 1, {rows})::INTEGER AS paper_id, tail(i, 2, 2000)::INTEGER AS keyword_id FROM range({rows} * 4) AS r(i)""",
    "reviews": """
        SELECT pick(i, 1, {rows})::INTEGER AS paper_id, tail(i, 2, {rows})::INTEGER AS author_id, pick(i, 3, 6)::INTEGER AS grade
        FROM range({rows} * 2) AS r(i)""",
    "grants": """
        SELECT i::INTEGER AS grant_id, tail(i, 1, 90)::INTEGER AS agency_id, pick(i, 2, {rows})::INTEGER AS author_id,
            pick(i, 3, {rows})::INTEGER AS paper_id, (1000 * pick(i, 4, 900))::INTEGER AS amount
        FROM range(greatest(10, {rows} // 2)) AS r(i)""",
}

_WORDS: Final = tuple(range(200, 2000))
_YEARS: Final = tuple(range(1962, 2018))

_HOME: Final = (
    "authors AS {a} JOIN institutions AS {a}i ON {a}i.institution_id = {a}.institution_id"
    " JOIN cities AS {a}c ON {a}c.city_id = {a}i.city_id JOIN countries AS {a}n ON {a}n.country_id = {a}c.country_id"
)


def _home(name: str) -> str:
    """An author with where he works, four tables."""
    return _HOME.format(a=name)


_QUERIES: Final = (
    Query("4: words of a venue", """
        SELECT min(p.title), count(*) FROM papers AS p, venues AS v, tagged AS t, keywords AS k
        WHERE p.venue_id = v.venue_id AND t.paper_id = p.paper_id AND k.keyword_id = t.keyword_id
            AND k.word = 'keyword {word}' AND v.kind = 'journal'
        """, {"word": _WORDS}),
    Query("5: authors of a publisher", """
        SELECT min(a.name), min(p.title), count(*) FROM authors AS a, writes AS w, papers AS p, venues AS v, publishers AS b
        WHERE a.author_id = w.author_id AND w.paper_id = p.paper_id AND p.venue_id = v.venue_id AND v.publisher_id = b.publisher_id
            AND b.name = 'Press {press}' AND p.year > 1990 AND a.born IS NOT NULL
        """, {"press": tuple(range(50))}),
    Query("6: cited across fields", """
        SELECT f.name, g.name, count(*) AS n FROM cites AS c, papers AS p, papers AS q, venues AS v, venues AS u, fields AS f, fields AS g
        WHERE c.citing_id = p.paper_id AND c.cited_id = q.paper_id AND p.venue_id = v.venue_id AND q.venue_id = u.venue_id
            AND v.field_id = f.field_id AND u.field_id = g.field_id AND f.field_id <> g.field_id AND p.year = {year}
        GROUP BY f.name, g.name ORDER BY n DESC, f.name, g.name LIMIT 20
        """, {"year": _YEARS}),
    Query("7: reviewers from other countries", f"""
        SELECT count(*), min(a.name) FROM {_home("a")}, reviews AS r, papers AS p, venues AS v
        WHERE r.author_id = a.author_id AND r.paper_id = p.paper_id AND p.venue_id = v.venue_id AND v.kind = 'conference'
            AND an.name <> 'Country {{country}}' AND p.year BETWEEN 1980 AND 2000 AND r.grade > 3
        """, {"country": tuple(range(60))}),
    Query("8: money and words", """
        SELECT min(y.name), min(k.word), max(g.amount) FROM grants AS g, agencies AS y, countries AS n, papers AS p, tagged AS t,
            keywords AS k, venues AS v, publishers AS b
        WHERE g.agency_id = y.agency_id AND y.country_id = n.country_id AND g.paper_id = p.paper_id AND t.paper_id = p.paper_id
            AND t.keyword_id = k.keyword_id AND p.venue_id = v.venue_id AND v.publisher_id = b.publisher_id
            AND k.word LIKE '%{digit}' AND n.name IN ('Country 3', 'Country 7', 'Country 9') AND p.year > 1970
        """, {"digit": tuple(range(10, 60))}),
    Query("9: a star of papers", """
        SELECT count(*), min(p.title) FROM papers AS p, venues AS v, fields AS f, writes AS w, roles AS o, tagged AS t, keywords AS k,
            reviews AS r, grants AS g
        WHERE p.venue_id = v.venue_id AND v.field_id = f.field_id AND w.paper_id = p.paper_id AND w.role_id = o.role_id
            AND t.paper_id = p.paper_id AND t.keyword_id = k.keyword_id AND r.paper_id = p.paper_id AND g.paper_id = p.paper_id
            AND f.name = 'Field {field}' AND r.grade = 5 AND o.role = 'role 0'
        """, {"field": tuple(range(40))}),
    Query("10: work together", f"""
        SELECT count(*), min(a.name), min(b.name) FROM {_home("a")}, {_home("b")}, writes AS w, writes AS x
        WHERE w.author_id = a.author_id AND x.author_id = b.author_id AND w.paper_id = x.paper_id AND a.author_id < b.author_id
            AND an.name = 'Country {{country}}' AND bn.country_id <> an.country_id AND ai.kind = 'company'
        """, {"country": tuple(range(1, 60))}),
    Query("11: chain of citations", """
        SELECT count(*), min(p1.title) FROM papers AS p1, cites AS c1, papers AS p2, cites AS c2, papers AS p3, venues AS v1, venues AS v2,
            venues AS v3, publishers AS b1, publishers AS b3, fields AS f
        WHERE c1.citing_id = p1.paper_id AND c1.cited_id = p2.paper_id AND c2.citing_id = p2.paper_id AND c2.cited_id = p3.paper_id
            AND p1.venue_id = v1.venue_id AND p2.venue_id = v2.venue_id AND p3.venue_id = v3.venue_id
            AND v1.publisher_id = b1.publisher_id AND v3.publisher_id = b3.publisher_id AND v2.field_id = f.field_id
            AND b1.name = 'Press {press}' AND f.name = 'Field 3' AND p1.year > 2000 AND p3.year < p2.year
        """, {"press": tuple(range(50))}),
    Query("12: own words reviewed", f"""
        SELECT count(*), min(k.word) FROM {_home("a")}, writes AS w, papers AS p, tagged AS t, keywords AS k, reviews AS r, venues AS v,
            fields AS f, publishers AS b
        WHERE w.author_id = a.author_id AND w.paper_id = p.paper_id AND t.paper_id = p.paper_id AND t.keyword_id = k.keyword_id
            AND r.paper_id = p.paper_id AND p.venue_id = v.venue_id AND v.field_id = f.field_id AND v.publisher_id = b.publisher_id
            AND f.name = 'Field {{field}}' AND r.grade < 2 AND an.name LIKE 'Country 1%' AND a.born > 1960
        """, {"field": tuple(range(40))}),
    Query("14: funded and cited", f"""
        SELECT count(*), max(g.amount), min(q.title) FROM {_home("a")}, grants AS g, agencies AS y, countries AS n, papers AS p, cites AS c,
            papers AS q, venues AS v, venues AS u, fields AS f, fields AS h
        WHERE g.author_id = a.author_id AND g.agency_id = y.agency_id AND y.country_id = n.country_id AND g.paper_id = p.paper_id
            AND c.citing_id = q.paper_id AND c.cited_id = p.paper_id AND p.venue_id = v.venue_id AND q.venue_id = u.venue_id
            AND v.field_id = f.field_id AND u.field_id = h.field_id AND n.country_id = an.country_id AND q.year = {{year}}
        """, {"year": _YEARS}),
    Query("17: everything of a word", f"""
        SELECT count(*), min(a.name), min(p.title), min(q.title) FROM {_home("a")}, {_home("b")}, writes AS w, papers AS p, tagged AS t,
            keywords AS k, reviews AS r, cites AS c, papers AS q, venues AS v, publishers AS s
        WHERE w.author_id = a.author_id AND w.paper_id = p.paper_id AND t.paper_id = p.paper_id AND t.keyword_id = k.keyword_id
            AND r.paper_id = p.paper_id AND r.author_id = b.author_id AND c.citing_id = p.paper_id AND c.cited_id = q.paper_id
            AND q.venue_id = v.venue_id AND v.publisher_id = s.publisher_id AND k.word = 'keyword {{word}}' AND bn.name <> an.name
        """, {"word": _WORDS}),
    Query("8: outer joins", """
        SELECT k.word, count(*) AS n, count(g.amount) AS funded, avg(r.grade) AS grade FROM keywords AS k JOIN tagged AS t USING (keyword_id)
            JOIN papers AS p USING (paper_id) LEFT JOIN grants AS g USING (paper_id) LEFT JOIN agencies AS y USING (agency_id)
            LEFT JOIN reviews AS r ON r.paper_id = p.paper_id AND r.grade > 1 LEFT JOIN venues AS v USING (venue_id)
            LEFT JOIN publishers AS b USING (publisher_id)
        WHERE p.year = {year} GROUP BY k.word ORDER BY n DESC, k.word LIMIT 10
        """, {"year": _YEARS}),
)  # fmt: skip

GRAPH: Final = Workload("graph", "joins of 4 to 17 small tables; rows are papers", _TABLES, _QUERIES)
