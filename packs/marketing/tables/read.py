"""A file of any supported format to a RawTable. The content decides, the name's ending only breaks ties."""

from packs.marketing.tables.decode import decode
from packs.marketing.tables.delimited import parse_delimited
from packs.marketing.tables.jsontext import parse_json
from packs.marketing.tables.raw import RawTable, Unreadable
from packs.marketing.tables.sheet import parse_sheet

# ZIP (xlsx) and OLE2 (xls).
_SHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def read_table(data: bytes, name: str) -> RawTable:
    """Raises Unreadable when the bytes are no table."""
    if not data.strip():
        return RawTable((), ())
    if data.startswith(_SHEETS):
        return parse_sheet(data)
    if data.startswith(b"%PDF"):
        raise Unreadable("binary")
    decoded = decode(data)
    del data  # a large table is not in memory twice
    if decoded is None:
        raise Unreadable("binary")
    notes = ("replaced_characters",) if decoded.replaced else ()
    start = decoded.text.lstrip()[:1]
    if start in ("[", "{"):
        parsed = parse_json(decoded.text, decoded.encoding, notes)
        if parsed is not None:
            return parsed
        if name.lower().endswith((".json", ".jsonl", ".ndjson")):
            raise Unreadable("json")
    return parse_delimited(decoded.text, decoded.encoding, notes)
