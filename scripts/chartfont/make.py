"""Makes the font of drawn charts: Noto Sans CJK SC, cut down and turned into TrueType, with
the letters of Noto Sans Hebrew and Noto Sans Arabic.

The rasteriser of charts reads TrueType outlines alone, while Noto Sans CJK has cubic
ones. What is kept: Latin, Greek, Cyrillic, marks, currencies, and the characters of GB
2312, which covers nearly all of written simplified Chinese. Of Arabic the forms that letters
have at the beginning, in the middle and at the end of a word are kept, and not the letters
as they are stored: the rasteriser joins nothing, and package draw chooses the forms.

    python3 make.py NotoSansCJK-Regular.ttc NotoSansHebrew-Regular.ttf NotoSansArabic-Regular.ttf font.ttf.gz

The inputs are in Debian's packages fonts-noto-cjk and fonts-noto-core (SIL Open Font License
1.1). It needs fonttools. The same input gives the same bytes.
"""

import gzip
import io
import sys

from fontTools import subset
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.filterPen import DecomposingFilterPen as DecomposingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont, newTable

MAX_ERROR = 1.5  # of 1000 units: how far a quadratic outline may be from the cubic one
RANGES = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x45F), (0x2010, 0x2027), (0x2030, 0x203E),
    (0x20A0, 0x20BF), (0x2190, 0x2193), (0x2212, 0x2212), (0x2248, 0x2265), (0x25A0, 0x25CF),
    (0x3000, 0x301F), (0x3040, 0x30FF), (0xFF01, 0xFF5E), (0xFFE0, 0xFFE6), (0xFFFD, 0xFFFD),
]
HEBREW = [(0x5BE, 0x5BE), (0x5D0, 0x5EA), (0x5F0, 0x5F4)]
ARABIC = [
    (0x60C, 0x60C), (0x61B, 0x61B), (0x61F, 0x61F), (0x640, 0x640), (0x660, 0x66D), (0x6D4, 0x6D4), (0x6F0, 0x6F9),
    (0xFB50, 0xFBB1), (0xFBD3, 0xFBE9), (0xFBFC, 0xFBFF), (0xFE80, 0xFEFC),
]


def characters():
    kept = {c for low, high in RANGES for c in range(low, high + 1)}
    for row in range(0xA1, 0xF8):
        for cell in range(0xA1, 0xFF):
            try:
                kept.add(ord(bytes([row, cell]).decode("gb2312")))
            except UnicodeDecodeError:
                pass
    return kept


def quadratic(font):
    glyphs, order = font.getGlyphSet(), font.getGlyphOrder()
    drawn = {}
    for name in order:
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, MAX_ERROR, reverse_direction=True))
        drawn[name] = pen.glyph()
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = order, drawn
    for name, glyph in drawn.items():
        glyph.recalcBounds(font["glyf"])
        width, _ = font["hmtx"][name]
        font["hmtx"][name] = (width, getattr(glyph, "xMin", 0))
    maxp = font["maxp"]
    maxp.tableVersion = 0x00010000
    for field, value in {"maxZones": 1, "maxTwilightPoints": 0, "maxStorage": 0, "maxFunctionDefs": 0, "maxInstructionDefs": 0,
                         "maxStackElements": 0, "maxSizeOfInstructions": 0, "maxComponentElements": 0}.items():
        setattr(maxp, field, value)
    for table in ("CFF ", "VORG", "vhea", "vmtx", "BASE", "GPOS", "GSUB", "GDEF", "DSIG"):
        if table in font:
            del font[table]
    font["post"].formatType = 3.0
    font.sfntVersion = "\x00\x01\x00\x00"


def add(font, source, ranges):
    """Adds the characters of another TrueType font that has as many units to the em."""
    other = TTFont(source)
    if other["head"].unitsPerEm != font["head"].unitsPerEm:
        raise ValueError(f"{source} has {other['head'].unitsPerEm} units to the em, not {font['head'].unitsPerEm}")
    cmap, glyphs = other.getBestCmap(), other.getGlyphSet()
    tables = [t for t in font["cmap"].tables if t.isUnicode() and t.format in (4, 12)]
    order = font.getGlyphOrder()
    for char in (c for low, high in ranges for c in range(low, high + 1) if c in cmap):
        pen = TTGlyphPen(None)
        glyphs[cmap[char]].draw(DecomposingPen(pen, glyphs))
        name, glyph = f"uni{char:04X}", pen.glyph()
        order.append(name)
        font["glyf"].glyphs[name] = glyph
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (other["hmtx"][cmap[char]][0], getattr(glyph, "xMin", 0))
        for table in tables:
            table.cmap[char] = name
    font.setGlyphOrder(order)
    font["glyf"].glyphOrder = order


def main(source, hebrew, arabic, target):
    fonts = TTCollection(source).fonts
    font = next(f for f in fonts if f["name"].getDebugName(4) == "Noto Sans CJK SC Regular" or f["name"].getDebugName(1) == "Noto Sans CJK SC")
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], recalc_timestamp=False, drop_tables=["GPOS", "GSUB", "GDEF", "BASE", "vhea", "vmtx", "VORG"])
    cut = subset.Subsetter(options)
    cut.populate(unicodes=characters())
    cut.subset(font)
    quadratic(font)
    add(font, hebrew, HEBREW)
    add(font, arabic, ARABIC)
    font.recalcTimestamp = False
    out = io.BytesIO()
    font.save(out)
    with open(target, "wb") as f, gzip.GzipFile(filename="", mode="wb", fileobj=f, mtime=0, compresslevel=9) as g:
        g.write(out.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])
