#!/usr/bin/env python3
"""Prints how often a character that translations of an English word share leads to the right name.

    fit.py CEDICT ECDICT JIEBA_DICT WORDS ZH_EN_GZ

A schema is 20 common Chinese words of two characters out of ZH_EN_GZ
(pkg/retrieval/synonym/zh-en.tsv.gz). Asked is an English word for one of them, whose translation by
that word is left out, or for a word that the schema has not. A character leads to a name where no
other name has it.
"""
import collections
import gzip
import random
import sys

from make import shares
from translations import load

SCHEMAS, NAMES, FREQUENT, MARGIN = 20000, 20, 12000, 0.1


def lead(list_, schema):
    owners, best = collections.Counter(c for s in schema for c in set(s)), {}
    for c, share in shares(list_).items():
        if owners[c] == 1:
            name = next(s for s in schema if c in s)
            best[name] = max(best.get(name, 0), share)
    top = sorted(((s, n) for n, s in best.items()), reverse=True) + [(0, None)]
    return top[0] if len(top) == 2 or len(top) > 2 and top[0][0] - top[1][0] >= MARGIN else (0, None)


def main(cedict, ecdict, jieba, words, zh_en):
    translations, glosses = load(cedict, ecdict, jieba, words), {}
    for line in gzip.open(zh_en, "rt", encoding="utf-8"):
        word, *known = line.rstrip("\n").split("\t")
        glosses[word] = known
    nouns = [w for w in list(glosses)[:FREQUENT] if len(w) == 2 and glosses[w]]
    draw, seen = random.Random(1), []
    for _ in range(SCHEMAS):
        schema = draw.sample(nouns, NAMES)
        meant = draw.choice(schema) if draw.random() < 0.5 else None
        source = meant or draw.choice(nouns)
        word = draw.choice(glosses[source][:2])
        if any(word in glosses[s] or s in translations.get(word, ()) for s in schema if s != meant):
            continue
        share, name = lead([t for t in translations.get(word, ()) if t != meant], schema)
        seen.append((share, name == meant and meant is not None, meant is not None))
    there = sum(x[2] for x in seen)
    for least in (0.1, 0.2, 0.3, 0.4, 0.5):
        x = [right for share, right, _ in seen if share >= least]
        print(f"from {least}: {len(x)}, right {sum(x) / max(1, len(x)):.2f}, found {sum(x) / there:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
