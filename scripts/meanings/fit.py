#!/usr/bin/env python3
"""Fits how likely a word of a question means a word of a name; prints the weights.

    fit.py DICT WORDS SPIDERMAN

SPIDERMAN is the set of questions of that name, of which only train.jsonl is read. A pair
is a noun of a question that no name of the database has, and a name that no word of the
question has; it is right where the SQL uses the name, and left out where the SQL uses
one that the question names too. Folds keep databases apart. Then the share of the words
whose first name is right, by how many are answered, for all signs and for each family.
"""
import collections
import hashlib
import json
import math
import os
import re
import sys

import numpy as np

from wordnet import FEATURES, WordNet, related

COLUMNS = FEATURES + ["frac", "table", "one"]
SMALL = {"id", "name", "of", "the", "code", "number", "no", "type", "date", "time"}
GRAMMAR = set("""the a an of or and to in for by with is are be that which as on at from it its one who what whose how many much list show find give me all each every number count total average maximum minimum most least highest lowest than more less return name names do does did have has had there their them they and not no any whose where when were was between both different distinct order sorted sort descending ascending alphabetical also but top first please tell us you can will would should could id ids this these those only same with without per group into out up about if so such then he she his her him our i we my value values information info details detail greater larger smaller bigger longest shortest oldest youngest largest smallest earliest latest common popular corresponding along together once over under above below after before during since until some other another none ever never either neither nor while whom numbers amount equal whether
person max min sum data database record way kind result share time day hour word check full pair letter period percentage rate type place haven""".split())
FAMILIES = {
    "all": FEATURES, "shared synset": ["syn"], "direct relations": ["syn", "up1", "down1", "sib"],
    "all relations": ["syn", "up1", "down1", "up2", "down2", "sib", "der2", "lin", "lin2"],
    "relations and glosses": ["syn", "up1", "down1", "up2", "down2", "sib", "der2", "lin", "lin2", "gloss_ab", "gloss_ba"],
    "space of glosses": ["lsa", "lsa4", "lsa6"],
}


def schemas(root):
    for db in os.listdir(root):
        tables = {}
        for m in re.finditer(r"CREATE TABLE [^(]*?`([^`]+)` \((.*?)\n\);", open(f"{root}/{db}/schema.sql").read(), re.S):
            tables[m[1]] = re.findall(r"^\s+`([^`]+)` [A-Z]+", m[2], re.M)
        yield db, tables


def parts(name):
    return [x for x in re.split(r"[^a-zA-Z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()) if x]


def close(a, names):
    """Whether a word may be a form of a name's."""
    return any(len(z) >= 4 and a.startswith(z[:max(4, len(z) - 2)]) or len(a) >= 4 and z.startswith(a[:max(4, len(a) - 2)]) for z in names)


def words(wn, root):
    """Each unknown noun of each database once for each set of names that may be meant."""
    names = {}
    for db, tables in schemas(root + "/databases"):
        n = names[db] = {}
        for t, columns in tables.items():
            n["T." + t.lower()] = [wn.lemma(x) for x in parts(t)]
            for c in columns:
                n.setdefault("C." + c.lower(), [wn.lemma(x) for x in parts(c)])
    seen = set()
    for line in open(root + "/train.jsonl"):
        q = json.loads(line)
        n = names.get(q["db"])
        if not n:
            continue
        used = set(x.lower() for x in re.findall(r"\w+", re.sub(r"'[^']*'", " ", q["sql"])))
        used |= set(x.lower() for x in re.findall(r'"([^"]+)"', q["sql"]))
        stored = set(re.findall("[a-z]+", " ".join(re.findall(r"'([^']*)'", q["sql"])).lower()))
        said = re.findall("[A-Za-z]+", re.sub(r"[\"'][^\"']*[\"']", " ", q["question"]))
        lemmas = {wn.lemma(x.lower()) for x in said}
        every = {x for w in n.values() for x in w} | {"".join(w) for w in n.values()}
        gold = [k for k in n if k[2:] in used]
        free = tuple(k for k in gold if not lemmas.intersection(n[k]))
        for i, text in enumerate(said):
            a = wn.lemma(text.lower())
            if {a, text.lower()} & (GRAMMAR | stored | every) or len(a) < 3 or text[0].isupper() and i > 0 or close(a, every):
                continue
            if wn.noun(a) < .5 or a.endswith(("ing", "ed")) or (q["db"], a) in seen and not free or (q["db"], a, free) in seen:
                continue
            seen.update({(q["db"], a), (q["db"], a, free)})
            yield q["db"], a, set(free), set(gold), {k: w for k, w in n.items() if not any(len(x) > 2 and x in lemmas for x in w)}


def logistic(x, y, weight, ridge=3.0):
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(w)), x.T @ (weight * (p - y)) + ridge * w)
    return w


def main(folder, ranks, root):
    wn = WordNet(folder, ranks)
    items, rows, label, group, meta = list(words(wn, root)), [], [], [], []
    for n, (_, a, free, gold, names) in enumerate(items):
        for k, w in sorted(names.items()):
            content = [x for x in w if x not in SMALL and len(x) > 2] or w
            for b in w:
                if len(b) < 3 or b in SMALL and len(w) > 1:
                    continue
                f = wn.features(a, b)
                if related(f):
                    rows.append(np.append(f, [1 / len(content), float(k[0] == "T"), 1]))
                    label.append(1 if k in free else -1 if k in gold else 0)
                    group.append(n)
                    meta.append(k)
    x, y, group = np.array(rows), np.array(label), np.array(group)
    often = collections.Counter(items[g][:2] for g in set(group))
    weight = np.array([1 / math.sqrt(often[items[g][:2]]) for g in group])
    fold = np.array([int(hashlib.md5(items[g][0].encode()).hexdigest(), 16) % 5 for g in group])
    for family, signs in FAMILIES.items():
        use = [COLUMNS.index(c) for c in signs + ["noun_b", "ic_a", "ic_b", "many_a", "many_b", "frac", "table", "one"]]
        use = sorted(set(use))
        score = np.zeros(len(y))
        for f in range(5):
            t = (y >= 0) & (fold != f)
            w = logistic(x[t][:, use], y[t], weight[t])
            score[fold == f] = 1 / (1 + np.exp(-x[fold == f][:, use] @ w))
        curve(family, items, group, meta, score)
    w = logistic(x[y >= 0], y[y >= 0], weight[y >= 0])
    print({c: round(float(v), 3) for c, v in zip(COLUMNS, w)})


def curve(family, items, group, meta, score):
    best, first = collections.defaultdict(dict), collections.defaultdict(list)
    for g, k, s in zip(group, meta, score):
        best[g][k] = max(best[g].get(k, 0), s)
    for g, d in best.items():
        db, a, free, gold, names = items[g]
        top = max(d, key=lambda k: (d[k], k))
        rival = max((s for k, s in d.items() if names[k][0] != names[top][0]), default=0)
        same = [k for k in d if names[k][0] == names[top][0]]
        if not free.isdisjoint(same) or gold.isdisjoint(same):
            first[db, a].append((d[top], d[top] - rival, not free.isdisjoint(same)))
    flat = sorted(((l[0][0], l[0][1], sum(r for _, _, r in l) / len(l) >= .3) for l in first.values()), reverse=True)
    line = [f"{k}: {np.mean([r for _, _, r in flat[:k]]):.2f} from {flat[k - 1][0]:.2f}" for k in (25, 50, 75, 100, 150, 200)]
    sure = [r for s, m, r in flat if m >= .15 and s >= .2]
    print(f"{family} ({len(flat)}):", ", ".join(line), f"; from .2 with a margin of .15: {np.mean(sure) if sure else 0:.2f} of {len(sure)}")


main(*sys.argv[1:])
