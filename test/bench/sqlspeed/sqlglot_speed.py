"""Times sqlglot's parse and transpile (trino to duckdb) over a file of queries and
prints them beside the medians of sqlspeed, given as a JSON file."""
import json
import logging
import statistics
import sys
import time

import sqlglot

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
ROUNDS, WARM = 40, 10


def median(work, queries):
    times = []
    for turn in range(ROUNDS):
        for q in queries:
            start = time.perf_counter()
            work(q)
            if turn >= WARM:
                times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


queries = [q.strip().rstrip(";") for q in open(sys.argv[1]).read().strip().split(";\n")]
ours = json.load(open(sys.argv[2]))
parse = median(lambda q: sqlglot.parse_one(q, read="trino"), queries)
both = median(lambda q: sqlglot.transpile(q, read="trino", write="duckdb"), queries)
print(f"{len(queries)} queries, median microseconds (ours, sqlglot {sqlglot.__version__}, ratio):")
print(f"  parse                          {ours['parse_us']:7.0f} {parse:7.0f} {parse / ours['parse_us']:6.1f}x")
print(f"  parse, resolve, transpile      {ours['parse_transpile_us']:7.0f} {both:7.0f} {both / ours['parse_transpile_us']:6.1f}x")
print(f"  parse, resolve, guard, print   {ours['parse_resolve_guard_print_us']:7.0f}   (of 20 lines and more: {ours['parse_resolve_guard_print_20_lines_us']:.0f})")
