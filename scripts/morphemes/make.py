#!/usr/bin/env python3
"""Makes services/text2sql/lexicon/morphemes.tsv.gz: Chinese characters that translations of an
English word share.

    make.py CEDICT ECDICT JIEBA_DICT WORDS OUTPUT

The inputs are those of translations.py. A line is a word, a tab, and characters with the share of
the word's translations that have them, in hundredths; the first translations weigh most. A
character of one translation alone is no sign of the others.
"""
import gzip
import sys

from translations import load

HALF = 3     # translations after which the next weighs half as much as the first
SHARE = 0.3  # least share; fit.py says how often such a character leads to the right name


def shares(list_):
    weights = [1 / (HALF + i) for i in range(len(list_))]
    total, out = sum(weights), {}
    for word, weight in zip(list_, weights):
        for c in set(word):
            share, n = out.get(c, (0, 0))
            out[c] = share + weight / total, n + 1
    return {c: share for c, (share, n) in out.items() if n > 1}


def main(cedict, ecdict, jieba, words, output):
    lines = []
    for word, list_ in sorted(load(cedict, ecdict, jieba, words).items()):
        kept = sorted(((-round(100 * s), c) for c, s in shares(list_).items() if s >= SHARE))
        if kept:
            lines.append(word + "\t" + " ".join(f"{c}:{-s}" for s, c in kept) + "\n")
    with open(output, "wb") as f:
        f.write(gzip.compress("".join(lines).encode(), 9, mtime=0))
    print(len(lines), "words")


if __name__ == "__main__":
    main(*sys.argv[1:])
