#!/usr/bin/env python3
"""Makes pkg/retrieval/analysis/irregular.tsv.gz: inflected English words whose base a
stemmer does not find, with that base.

    make-irregular.py LEMMAS_GZ ENGLISH_WORDS_GZ OUTPUT

LEMMAS_GZ is lemminflect/resources/lemma_lu.csv.gz (PyPI: lemminflect 0.2.3) and
ENGLISH_WORDS_GZ pkg/retrieval/analysis/words.txt.gz, which bounds the list to common
words. The stemmer is that of PyPI: snowballstemmer 2.2.0. Nothing is chosen by hand: a
noun's base counts before a verb's, and a word that is a base itself ("data", "left")
stays as it is.
"""
import gzip
import sys

import snowballstemmer

ORDER = {"noun": 0, "verb": 1}  # comparatives are words of their own: "higher" says what to do with a number


def main(lemmas, english, output):
    stem = snowballstemmer.stemmer("english").stemWord
    common = set(gzip.open(english, "rt").read().split())
    readings, bases = {}, set()
    for line in gzip.open(lemmas, "rt", encoding="utf-8"):
        word, part, found = line.strip().split(",")
        if word not in common:
            continue
        found = found.split("/")
        if word in found:
            bases.add(word)
        if part in ORDER:
            readings.setdefault(word, []).append((ORDER[part], found[0]))
    pairs = []
    for word, found in sorted(readings.items()):
        _, base = min(found)
        if word not in bases and base in common and stem(word) != stem(base):
            pairs.append(f"{word}\t{base}\n")
    with gzip.GzipFile(output, "wb", mtime=0) as f:
        f.write("".join(pairs).encode())
    print(len(pairs), "words")


if __name__ == "__main__":
    main(*sys.argv[1:])
