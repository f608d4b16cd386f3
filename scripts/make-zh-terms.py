#!/usr/bin/env python3
"""Makes services/text2sql/lexicon/zh-terms.tsv.gz: Chinese words and translations that
pkg/retrieval/synonym/zh-en.tsv.gz leaves out since they help nobody to find tables: names
of places, peoples and languages, and nouns of which it knows none or too few translations.

    make-zh-terms.py CEDICT JIEBA_DICT ENGLISH_WORDS_GZ ZH_EN_GZ OUTPUT

The inputs are those of make-zh-en.py, and its output. A line of the output is the rank of
the word among all words (most frequent first), the word, and its translations; names keep
their capitals.
"""
import gzip
import re
import sys

TRANSLATIONS = 4       # of a word at most
LONGEST = 3            # English words of a translation
CHARACTERS = 8         # of a word at most
COMMON_ENGLISH = 40000 # rank up to which an English word may stand in a translation
LEAST = 3              # how often a word has to be used
SKIP = re.compile(r"^(CL:|variant of|old variant|see |also |abbr\. |surname |used in|erhua|archaic|Taiwan pr|also written|also pr|same as|suffix|prefix|particle|radical|Kangxi|final |\(onom|PRC government)")
DROP = {"to", "a", "an", "the", "sb", "sth", "one's", "oneself", "be", "etc"}


def clean(gloss, common):
    if SKIP.match(gloss) or re.search(r"[\u4e00-\u9fff\[\]]", gloss):
        return None
    if gloss.startswith("to "):
        return None
    gloss = re.sub(r"\([^)]*\)", " ", gloss)
    words = [w for w in re.findall(r"[^\W\d_][\w'.-]*", gloss) if w.lower() not in DROP]
    if not words or len(words) > LONGEST:
        return None
    if len(words) > 1 and any(w.lower() not in common and len(w) > 2 and not w[0].isupper() for w in words):
        return None
    return " ".join(words)


def main(cedict, jieba, english, zh_en, output):
    common = set(gzip.open(english, "rt").read().split()[:COMMON_ENGLISH])
    have = {}
    for line in gzip.open(zh_en, "rt", encoding="utf-8"):
        word, *known = line.rstrip("\n").split("\t")
        have[word] = set(known)
    frequency = {}
    for line in open(jieba, encoding="utf-8"):
        word, n, *_ = line.split()
        frequency[word] = int(n)
    rank = {w: i for i, w in enumerate(sorted(frequency, key=lambda w: (-frequency[w], w)))}
    found = {}
    for line in open(cedict, encoding="utf-8"):
        m = re.match(r"^\S+ (\S+) \[([^\]]*)\] /(.*)/\s*$", line)
        if not m or not re.fullmatch(r"[\u4e00-\u9fff]{1,%d}" % CHARACTERS, m.group(1)):
            continue
        word, sound, glosses = m.groups()
        name = sound[:1].isupper()
        if len(word) == 1 or frequency.get(word, 0) < LEAST:
            continue
        for gloss in glosses.split("/"):
            for part in re.split(r"[;,]| or ", gloss):
                t = clean(part.strip(), common)
                if not t or t.lower() in have.get(word, ()) or name != t[0].isupper():
                    continue
                list_ = found.setdefault(word, [])
                if t not in list_ and len(list_) < TRANSLATIONS:
                    list_.append(t)
    words = sorted(found, key=lambda w: (rank.get(w, len(rank)), w))
    text = "".join("\t".join([str(rank.get(w, len(rank))), w, *found[w]]) + "\n" for w in words)
    with open(output, "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
