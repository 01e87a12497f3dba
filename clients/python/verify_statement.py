"""Verifies statements of a shop's ledger: needs Python 3.8 or newer, and nothing of the gateway."""

import base64
import binascii
import hashlib
import json
import os
import re
import stat
import sys

USAGE = """usage: verify-statement FILE [--previous FILE] --keys FILE

Verifies an answer of GET /v1/statements (version 2): it has every entry of its period, all that it
shows is hashed or signed, and its amounts follow from each other. It needs nothing of the gateway
but the files.

  FILE        the statement
  --previous  the statement before it: nothing that it showed was changed or removed since
  --keys      the answer of GET /v1/keys or of GET /.well-known/checkpoint-keys

It prints one line. Exit code 0: all holds; 1: the first entry or proof that does not; 2: bad usage.
"""


class NotProved(Exception):
    """What does not hold: one line that names the first entry or proof."""


# --- The bytes of a file from an offset on, as often as they are asked for.

_CHUNK = 65536


def source_from_bytes(content):
    def chunks(offset):
        for at in range(offset, len(content), _CHUNK):
            yield content[at : at + _CHUNK]

    return chunks


def source_from_file(path):
    """
    A file of any size, read twice in bounded memory; what can be read only once, such as a pipe,
    is kept. Raises OSError if it can't be read, here or later.
    """
    file = open(path, "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return source_from_bytes(file.read())

    def chunks(offset):
        at = offset
        while True:
            chunk = os.pread(file.fileno(), _CHUNK, at)
            if not chunk:
                return
            at += len(chunk)
            yield chunk

    return chunks


# --- JSON, piece by piece: each piece has the form that is expected at its place, or the file is
# refused. So there is one grammar, and neither the depth nor the size of a file costs memory.

_LONGEST = 65536  # No text of a file is longer, in bytes.


class Reader:
    def __init__(self, source, offset=0):
        self._chunks = source(offset)
        self._ended = False
        self._text = b""
        self._at = 0
        self._start = offset  # Where _text begins in the file.

    def offset(self):
        """The byte where the next piece begins."""
        self.peek()
        return self._start + self._at

    def peek(self):
        """The next byte after white space, which is not taken; empty at the end of the file."""
        while True:
            while not self._ended and len(self._text) - self._at < _LONGEST:
                self._fill()
            following = self._text[self._at : self._at + 1]
            if following not in (b" ", b"\n", b"\r", b"\t"):
                return following
            self._at += 1

    def look(self, form):
        """Whether the next piece has that form: its match, which is not taken."""
        self.peek()
        found = form.match(self._text, self._at)
        return None if found is None or found.end() - self._at > _LONGEST else found

    def take(self, form):
        """The next piece, if it has that form."""
        found = self.look(form)
        if found is None:
            return None
        self.skip(found)
        return found.group()

    def skip(self, found):
        self._at = found.end()

    def take_mark(self, mark):
        if self.peek() != mark:
            return False
        self._at += 1
        return True

    def fail(self, reason):
        raise NotProved("%s (byte %d)" % (reason, self.offset()))

    def _fill(self):
        chunk = next(self._chunks, None)
        self._ended = chunk is None
        self._text = self._text[self._at :] + (chunk or b"")
        self._start += self._at
        self._at = 0


# --- The forms. `where` names a value in what is raised, and is empty for the whole file.


def _within(where, name):
    return name if where == "" else "%s: %s" % (where, name)


def _show(text):
    """A text of the file, of any bytes, for a line on a terminal."""
    return re.sub("[^ -~]", "?", text[:80].decode("latin-1"))


def _piece(form, wanted):
    compiled = re.compile(form)

    def read(reader, where):
        taken = reader.take(compiled)
        return reader.fail("%s is not %s" % (where, wanted)) if taken is None else taken

    return read


def _quoted(content, wanted):
    """The content of a piece in quotes, none of which may be escaped."""
    read = _piece(b'"' + content + b'"', wanted)
    return lambda reader, where: read(reader, where)[1:-1].decode("ascii")


# Ids of the gateway: with a slash or a line break the signed text could be read in two ways.
_NAME = rb"[!#-.0-[\]-~]{1,200}"
_read_name = _quoted(_NAME, "a name")
_read_origin = _quoted(rb"[!#-[\]-~]{1,401}", "a name")

_LEAP_YEAR = rb"(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAY = b"|".join(
    (
        rb"[0-9]{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
        rb"[0-9]{4}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
        rb"[0-9]{4}-02-(?:0[1-9]|1[0-9]|2[0-8])",
        _LEAP_YEAR + rb"-02-29",
    )
)
_TIME_OF_DAY = rb"(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}\.[0-9]{3}"
# All of one form, so that their order is that of their texts.
_TIME = b"(?:" + _DAY + b")T" + _TIME_OF_DAY + b"Z"
_read_time = _quoted(_TIME, "a time in UTC with milliseconds")
_DECIMAL = rb'(?!-[0.]+")-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,18})?'
_read_decimal = _quoted(_DECIMAL, "a decimal")
# One text stands for the bytes: the last character has no bits to spare.
_HASH = rb"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"
_read_hash = _quoted(_HASH, "32 bytes in base64url")
_read_signature = _quoted(rb"[A-Za-z0-9_-]{85}[AQgw]", "64 bytes in base64url")
_DIGITS = rb"(?:0|[1-9][0-9]{0,15})(?![A-Za-z0-9_.+-])"
_read_digits = _piece(_DIGITS, "a whole number")


def _read_count(reader, where):
    count = int(_read_digits(reader, where))
    return count if count < 2**53 else reader.fail("%s is too large" % where)


def _constant(value):
    return _piece(value + rb"(?![A-Za-z0-9_.+-])", value.decode("ascii"))


_NULL = re.compile(rb"null(?![A-Za-z0-9_.+-])")


def _or_null(read):
    return lambda reader, where: read(reader, where) if reader.take(_NULL) is None else None


_TEXT = (
    rb"""(?:[ !#-\[\]-\xff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-\[\]-\xff]*)*)"""
)
_read_piece = _piece(b'"' + _TEXT + b'"', "a text")
_PLAIN = re.compile(rb"[ -\[\]-~]*")


def _read_text(reader, where):
    """Any text, with its quotes, as RFC 8785 writes it in UTF-8."""
    text = _normal_text(_read_piece(reader, where))
    return reader.fail("%s is not Unicode" % where) if text is None else text


def _normal_text(text):
    # Nearly every text is written so already.
    if _PLAIN.fullmatch(text):
        return text
    try:
        return json.dumps(json.loads(text.decode("utf-8")), ensure_ascii=False).encode("utf-8")
    except ValueError:
        return None


def _read_object(reader, where, members):
    """Exactly these members, in any order, each once."""
    found = {}
    if not reader.take_mark(b"{"):
        reader.fail("%s is no object" % (where or "the file"))
    if not reader.take_mark(b"}"):
        while True:
            name = _read_piece(reader, _within(where, "the name of a member"))[1:-1]
            shown = _within(where, _show(name))
            known = name.decode("latin-1")
            if known not in members:
                reader.fail("%s is no member" % shown)
            if known in found:
                reader.fail("%s is there twice" % shown)
            if not reader.take_mark(b":"):
                reader.fail("%s has no value" % shown)
            found[known] = members[known](reader, shown)
            if not reader.take_mark(b","):
                break
        if not reader.take_mark(b"}"):
            reader.fail("%s does not end" % (where or "the file"))
    for name in members:
        if name not in found:
            reader.fail("%s is missing" % _within(where, name))
    return found


def _object(members):
    return lambda reader, where: _read_object(reader, where, members)


def _read_list(reader, where, read_next):
    """A list of any length: each value is read by what is given its place, from 1 on."""
    if not reader.take_mark(b"["):
        reader.fail("%s is no list" % where)
    if reader.take_mark(b"]"):
        return
    place = 0
    while True:
        place += 1
        read_next(place)
        if not reader.take_mark(b","):
            break
    if not reader.take_mark(b"]"):
        reader.fail("%s does not end" % where)


def _read_end(reader):
    if reader.peek() != b"":
        reader.fail("the file goes on after its end")


_MOST_HASHES = 64  # More than any proof in a tree of 2^53 leaves has.


def _read_hashes(reader, where):
    hashes = []

    def read_next(place):
        if place > _MOST_HASHES:
            reader.fail("%s has more than %d hashes" % (where, _MOST_HASHES))
        hashes.append(_bytes(_read_hash(reader, "%s: hash %d" % (where, place))))

    _read_list(reader, where, read_next)
    return hashes


_STANDARD = bytes.maketrans(b"-_", b"+/")


def _bytes(text):
    content = text.encode("ascii").translate(_STANDARD)
    return binascii.a2b_base64(content + b"=" * (-len(content) % 4))


def _base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


# --- The shapes of the files.

_ENTRY = {
    "entry_id": _read_text,
    "operation_id": _or_null(_read_text),
    "merchant_operation_id": _or_null(_read_text),
    "kind": _read_name,
    "amount": _read_decimal,
    "reserved": _read_decimal,
    "balance": _read_decimal,
    "at": _read_time,
    "leaf": _read_hash,
    "proof": _object({"index": _read_count, "hashes": _read_hashes}),
}


# An entry as the gateway writes it: the same forms in one, which is ten times as fast.
_WRITTEN = re.compile(
    rb'\{"entry_id":("%(text)s"),"operation_id":(null|"%(text)s"),'
    rb'"merchant_operation_id":(null|"%(text)s"),"kind":"(%(name)s)","amount":"(%(decimal)s)",'
    rb'"reserved":"(%(decimal)s)","balance":"(%(decimal)s)","at":"(%(time)s)","leaf":"(%(hash)s)",'
    rb'"proof":\{"index":(%(digits)s),"hashes":\["(%(hash)s(?:","%(hash)s)*)"\]\}\}'
    % {
        b"text": _TEXT,
        b"name": _NAME,
        b"decimal": _DECIMAL,
        b"time": _TIME,
        b"hash": _HASH,
        b"digits": _DIGITS,
    }
)


def _read_entry(reader, where):
    return _read_written_entry(reader) or _read_object(reader, where, _ENTRY)


def _read_written_entry(reader):
    """None for one that is written in another way, or is none: it is not taken then."""
    found = reader.look(_WRITTEN)
    if found is None:
        return None
    texts = [None if text == b"null" else _normal_text(text) for text in found.group(1, 2, 3)]
    index, hashes = int(found.group(10)), found.group(11).split(b'","')
    if index >= 2**53 or len(hashes) > _MOST_HASHES or texts[0] is None:
        return None
    if any(text is None and found.group(at) != b"null" for at, text in enumerate(texts, 1)):
        return None
    reader.skip(found)
    names = ("kind", "amount", "reserved", "balance", "at", "leaf")
    entry = {name: text.decode("ascii") for name, text in zip(names, found.group(4, 5, 6, 7, 8, 9))}
    proof = {
        "index": index,
        "hashes": [binascii.a2b_base64(each.translate(_STANDARD) + b"=") for each in hashes],
    }
    ids = ("entry_id", "operation_id", "merchant_operation_id")
    entry.update(zip(ids, texts), proof=proof)
    return entry


def _read_entries(reader, use):
    """The entries, from 1 on."""

    def read_next(place):
        use(_read_entry(reader, "entry %d" % place), place)

    _read_list(reader, "entries", read_next)


def _find_entries(reader, _where):
    """Where they begin in the file: they are read once more."""
    offset = reader.offset()
    _read_entries(reader, lambda _entry, _place: None)
    return offset


_STATEMENT = {
    "version": _constant(b"2"),
    "shop_id": _read_name,
    "currency": _read_name,
    "from": _read_time,
    "to": _read_time,
    "opening": _read_decimal,
    "closing": _read_decimal,
    "before": _or_null(_read_entry),
    "entries": _find_entries,
    "after": _or_null(_read_entry),
    "checkpoint": _object(
        {
            "origin": _read_origin,
            "tree_size": _read_count,
            "root": _read_hash,
            "at": _read_time,
            "key_id": _read_name,
            "signature": _read_signature,
        }
    ),
    "consistency": _object({"from_size": _read_count, "proof": _read_hashes}),
}


def _read_statement(source):
    reader = Reader(source)
    statement = _read_object(reader, "", _STATEMENT)
    _read_end(reader)
    return statement


_KEY = {
    "key_id": _read_name,
    "kty": _constant(b'"OKP"'),
    "crv": _constant(b'"Ed25519"'),
    "x": _read_hash,
    "valid_from": _read_time,
    "valid_until": _or_null(_read_time),
}


def _read_keys(source):
    """The keys by their ids."""
    reader = Reader(source)
    keys = {}

    def read_next(place):
        key = _read_object(reader, "key %d" % place, _KEY)
        if key["key_id"] in keys:
            reader.fail("key %d: %s is there twice" % (place, key["key_id"]))
        keys[key["key_id"]] = key

    _read_object(reader, "", {"keys": lambda *_: _read_list(reader, "keys", read_next)})
    _read_end(reader)
    return keys


# --- The hashes and proofs of RFC 9162, section 2.1, with SHA-256.


def _sha256(content):
    return hashlib.sha256(content).digest()


EMPTY_ROOT = _sha256(b"")


def leaf_hash(content):
    return _sha256(b"\0" + content)


def _node_hash(left, right):
    return _sha256(b"\1" + left + right)


def root_of_inclusion(index, size, leaf, hashes):
    """The root that an inclusion proof leads to; None for a proof not of this index and size."""
    if index < 0 or index >= size:
        return None
    node, last, root = index, size - 1, leaf
    for each in hashes:
        if last == 0:
            return None
        if node % 2 == 1 or node == last:
            root = _node_hash(each, root)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            root = _node_hash(root, each)
        node, last = node // 2, last // 2
    return root if last == 0 else None


def _root_of_first(size, index, leaf, hashes):
    """
    The root of the first `size` leaves, a power of 2, that the inclusion proof of one of them in a
    larger tree passes through.
    """
    node, root, width = index, leaf, 1
    for each in hashes:
        if width >= size:
            break
        root = _node_hash(each, root) if node % 2 == 1 else _node_hash(root, each)
        node, width = node // 2, width * 2
    return root


def _roots_of_growth(old_size, new_size, path):
    """
    The roots of both trees that a consistency proof leads to; None for one that is not of these
    sizes, of which the first is neither 0 nor the second. The path has the root of the smaller tree
    at its beginning where its size is a power of 2.
    """
    if not path:
        return None
    node, last = old_size - 1, new_size - 1
    while node % 2 == 1:
        node, last = node // 2, last // 2
    smaller = larger = path[0]
    for each in path[1:]:
        if last == 0:
            return None
        if node % 2 == 1 or node == last:
            smaller, larger = _node_hash(each, smaller), _node_hash(each, larger)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            larger = _node_hash(larger, each)
        node, last = node // 2, last // 2
    return (smaller, larger) if last == 0 else None


# --- Ed25519 (RFC 8032, section 5.1): only verification, of public data, so timing may reveal it.

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_SQRT_M1 = pow(2, (_P - 1) // 4, _P)


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _times(scalar, point):
    product = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            product = _add(product, point)
        point = _add(point, point)
        scalar >>= 1
    return product


def _x_of(y, sign):
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _SQRT_M1 % _P
    if (x * x - square) % _P != 0:
        return None
    return _P - x if (x & 1) != sign else x


def _decompress(encoded):
    number = int.from_bytes(encoded, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    x = _x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % _P)


def _compress(point):
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | ((x & 1) << 255)).to_bytes(32, "little")


_BASE_Y = 4 * pow(5, _P - 2, _P) % _P
_BASE_X = _x_of(_BASE_Y, 0)
_BASE = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)


def is_signed(public_key, message, signature):
    """Whether an Ed25519 signature holds."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    point = _decompress(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or scalar >= _L:
        return False
    challenge = hashlib.sha512(signature[:32] + public_key + message).digest()
    negative = (_P - point[0], point[1], point[2], _P - point[3])
    product = _times(int.from_bytes(challenge, "little") % _L, negative)
    return _compress(_add(_times(scalar, _BASE), product)) == signature[:32]


_ORDINATE_OF_ORDER_8 = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
# Of the points of a small order: with such a key a signature holds for any text.
_WEAK_ORDINATES = (0, 1, _P - 1, _ORDINATE_OF_ORDER_8, _P - _ORDINATE_OF_ORDER_8)


def _is_weak(public_key):
    """Whether a key is such a point, or is written in another way than the only one."""
    ordinate = int.from_bytes(public_key, "little") % 2**255
    return ordinate >= _P or ordinate in _WEAK_ORDINATES


# --- Statements.


def verify_statement(statement, keys, previous=None):
    """
    Verifies that a statement of version 2 has each entry of its period and nothing else, all of
    which is in the signed tree of its ledger, that its amounts follow from each other, and that the
    tree still has what it had at the previous statement. Nothing is shown that is not hashed or
    signed. Takes sources (source_from_bytes, source_from_file), returns one line about what was
    verified. Raises NotProved.
    """
    known = _in_file("keys", _read_keys, keys)
    verified = _verify_alone(statement, known)
    if previous is not None:
        _verify_continues(_in_file("previous", _verify_alone, previous, known), verified)
    return "; ".join(
        (
            "%(shop_id)s: %(currency)s from %(from)s to %(to)s" % verified,
            "opening %(opening)s, closing %(closing)s, %(count)d entries" % verified,
            "the checkpoint of %(tree_size)d is signed by key %(key_id)s at %(at)s"
            % verified["checkpoint"],
            "no previous statement was given"
            if previous is None
            else "nothing before was changed",
        )
    )


def _in_file(name, read, *arguments):
    """Says of which file a reason is."""
    try:
        return read(*arguments)
    except NotProved as error:
        raise NotProved("%s: %s" % (name, error)) from None


def _verify_alone(source, keys):
    statement = _read_statement(source)
    before, after = statement["before"], statement["after"]
    if statement["from"] > statement["to"]:
        raise NotProved("from is %(from)s, after to, %(to)s" % statement)
    _verify_checkpoint(statement, keys)
    checkpoint = statement["checkpoint"]
    tree = {
        "size": checkpoint["tree_size"],
        "root": _bytes(checkpoint["root"]),
        "at": checkpoint["at"],
    }
    if before is not None:
        _verify_before(before, statement, tree)
    begin = 0 if before is None else before["proof"]["index"] + 1
    first, last, count = _verify_entries(source, statement, tree, begin)
    opening, closing = statement["opening"], statement["closing"]
    if before is None and not _is_zero(opening, after if first is None else first):
        raise NotProved("opening is %s, and before is null" % opening)
    led_to = opening if last is None else last["balance"]
    if closing != led_to:
        raise NotProved("closing is %s, the entries lead to %s" % (closing, led_to))
    _verify_end(statement, tree, last, begin + count)
    witness = before or first or after
    old_root = _verify_growth(statement["consistency"], tree, begin, witness)
    return dict(statement, count=count, begin=begin, tree=tree, old_root=old_root)


def _verify_checkpoint(statement, keys):
    """A key that was valid at its time signed it, for this shop and currency."""
    checkpoint = statement["checkpoint"]

    def fail(reason):
        raise NotProved("checkpoint: %s" % reason)

    origin, key_id, at = checkpoint["origin"], checkpoint["key_id"], checkpoint["at"]
    ledger = "%(shop_id)s/%(currency)s" % statement
    if origin != ledger:
        fail("it is of %s, the statement of %s" % (origin, ledger))
    if key_id not in keys:
        fail("the key %s is unknown" % key_id)
    key = keys[key_id]
    until = key["valid_until"]
    if at < key["valid_from"] or (until is not None and at > until):
        fail("the key %s was not valid at %s" % (key_id, at))
    root, size = _bytes(checkpoint["root"]), checkpoint["tree_size"]
    root_in_base64 = base64.b64encode(root).decode("ascii")
    signed = "%s\n%d\n%s\n%s\n" % (origin, size, root_in_base64, at)
    public_key = _bytes(key["x"])
    if _is_weak(public_key):
        fail("the key %s is of no use: anybody can sign with it" % key_id)
    if not is_signed(public_key, signed.encode("ascii"), _bytes(checkpoint["signature"])):
        fail("the signature does not hold")
    if size == 0 and root != EMPTY_ROOT:
        fail("the root of an empty tree is another one")


def _failing(name, entry):
    """How a reason why an entry does not hold is raised."""

    def fail(reason):
        raise NotProved("%s (%s): %s" % (name, _show(entry["entry_id"][1:-1]), reason))

    return fail


_FIRST = object()  # In place of the predecessor of a ledger's first entry.


def _verify_entry(entry, name, tree, index=None, predecessor=None):
    """
    Verifies that an entry is in the signed tree, at its place, and follows from its predecessor.
    The index and the predecessor are None where they are not known.
    """
    fail = _failing(name, entry)
    proof = entry["proof"]
    leaf = _leaf(entry)
    if _base64url(leaf) != entry["leaf"]:
        fail("its content is not what its leaf is made of")
    if index is not None and proof["index"] != index:
        fail("its index is %d, not %d" % (proof["index"], index))
    if root_of_inclusion(proof["index"], tree["size"], leaf, proof["hashes"]) != tree["root"]:
        fail("its proof does not lead to the signed root")
    if entry["at"] > tree["at"]:
        fail("it is at %s, after the checkpoint" % entry["at"])
    wrong = _why_wrong_amounts(entry, predecessor)
    if wrong is not None:
        fail(wrong)
    return fail


def _leaf(entry):
    """The hash of the entry without `leaf` and `proof`, as RFC 8785 writes it."""
    return leaf_hash(
        b'{"amount":"%s","at":"%s","balance":"%s","entry_id":%s,"kind":"%s",'
        b'"merchant_operation_id":%s,"operation_id":%s,"reserved":"%s"}'
        % (
            entry["amount"].encode("ascii"),
            entry["at"].encode("ascii"),
            entry["balance"].encode("ascii"),
            entry["entry_id"],
            entry["kind"].encode("ascii"),
            entry["merchant_operation_id"] or b"null",
            entry["operation_id"] or b"null",
            entry["reserved"].encode("ascii"),
        )
    )


def _why_wrong_amounts(entry, predecessor):
    amount, balance, reserved = entry["amount"], entry["balance"], entry["reserved"]
    known = predecessor is not None and predecessor is not _FIRST
    earlier = predecessor["balance"] if known else balance
    places = _decimal_places(amount)
    if any(_decimal_places(each) != places for each in (balance, reserved, earlier)):
        return "its amounts have not the same number of decimal places"
    if predecessor is None:
        return None
    earlier = predecessor["balance"] if known else "0"
    reserved_earlier = predecessor["reserved"] if known else "0"
    if _units(earlier) + _units(amount) != _units(balance):
        return "%s and %s are not %s" % (earlier, amount, balance)
    moved = _units(reserved) - _units(reserved_earlier)
    if _is_reserved_moved(entry["kind"], moved, _units(amount)):
        return None
    return "a %s does not change the reserved amount from %s to %s" % (
        entry["kind"],
        reserved_earlier,
        reserved,
    )


def _is_reserved_moved(kind, moved, amount):
    """How each kind of entry moves the reserved funds."""
    if kind in ("reserve", "release"):
        return moved == -amount
    return moved <= 0 if kind == "capture" else moved == 0


def _decimal_places(decimal):
    return len(decimal.partition(".")[2])


def _units(decimal):
    """The decimal in units of its last place."""
    return int(decimal.replace(".", ""))


def _is_zero(amount, like):
    """Whether an amount is nothing, written with two decimal places or with those of an entry."""
    if amount == "0.00":
        return True
    places = None if like is None else _decimal_places(like["balance"])
    return places is not None and amount == ("0." + "0" * places if places else "0")


def _verify_before(before, statement, tree):
    fail = _verify_entry(before, "before", tree)
    if before["at"] >= statement["from"]:
        fail("it is at %s, not before the period" % before["at"])
    if before["balance"] != statement["opening"]:
        fail("its balance is %s, opening is %s" % (before["balance"], statement["opening"]))


def _verify_entries(source, statement, tree, begin):
    """Returns the first and the last entry, None without entries after no other one, and how many."""
    start, end = statement["from"], statement["to"]
    state = {"first": None, "last": statement["before"], "count": 0}

    def verify(entry, place):
        last = state["last"]
        predecessor = _FIRST if last is None else last
        fail = _verify_entry(
            entry, "entry %d" % place, tree, begin + place - 1, predecessor
        )
        at = entry["at"]
        if at < start:
            fail("it is at %s, before the period" % at)
        if last is not None and at < last["at"]:
            fail("it is at %s, before %s" % (at, last["at"]))
        if at >= end:
            fail("it is at %s, after the period" % at)
        if state["first"] is None:
            state["first"] = entry
        state["last"], state["count"] = entry, place

    _read_entries(Reader(source, statement["entries"]), verify)
    return state["first"], state["last"], state["count"]


def _verify_end(statement, tree, last, end):
    after = statement["after"]
    if after is not None:
        fail = _verify_entry(after, "after", tree, end, _FIRST if last is None else last)
        if after["at"] < statement["to"]:
            fail("it is at %s, in the period" % after["at"])
        return
    if end != tree["size"]:
        raise NotProved("after is null, and the entries end at %d of %d" % (end, tree["size"]))
    if tree["at"] < statement["to"]:
        raise NotProved(
            "after is null, and the checkpoint is at %s, before the end" % tree["at"]
        )


def _fail_consistency(reason):
    raise NotProved("consistency: %s" % reason)


def _verify_growth(consistency, tree, begin, witness):
    """
    Verifies that the proof leads from an earlier size of the tree to the signed root. The witness
    is a verified entry at `begin` or right before it. Returns the root of that size, None if it is
    0.
    """
    size, proof = consistency["from_size"], consistency["proof"]
    if size > tree["size"]:
        _fail_consistency("from_size is %d, the tree has %d entries" % (size, tree["size"]))
    if size < begin:
        _fail_consistency("from_size is %d, %d entries are before the period" % (size, begin))
    if size in (0, tree["size"]):
        if proof:
            _fail_consistency("the proof is not of these sizes")
        return None if size == 0 else tree["root"]
    path = proof
    if size & (size - 1) == 0 and witness is not None:
        of_witness = witness["proof"]
        path = [
            _root_of_first(size, of_witness["index"], _leaf(witness), of_witness["hashes"]),
            *proof,
        ]
    roots = _roots_of_growth(size, tree["size"], path)
    if roots is None or roots[1] != tree["root"]:
        _fail_consistency("the proof does not lead to the signed root")
    return roots[0]


def _verify_continues(previous, statement):
    """That a statement begins where an earlier one ended, in a tree that only grew."""

    def fail(reason):
        raise NotProved("previous: %s" % reason)

    origins = previous["checkpoint"]["origin"], statement["checkpoint"]["origin"]
    if origins[0] != origins[1]:
        fail("it is of %s, not of %s" % origins)
    if previous["to"] != statement["from"]:
        fail(
            "it ends at %s, the statement begins at %s: "
            "take periods that adjoin, with days of one time zone"
            % (previous["to"], statement["from"])
        )
    if previous["tree"]["at"] > statement["tree"]["at"]:
        fail(
            "its checkpoint is at %s, after %s" % (previous["tree"]["at"], statement["tree"]["at"])
        )
    size, from_size = previous["tree"]["size"], statement["consistency"]["from_size"]
    if size != from_size:
        _fail_consistency(
            "the proof is from %d entries, the previous tree has %d" % (from_size, size)
        )
    if statement["old_root"] not in (None, previous["tree"]["root"]):
        _fail_consistency("the tree does not begin with the one of the previous statement")
    end = previous["begin"] + previous["count"]
    if end != statement["begin"]:
        fail(
            "its entries end at %d, those of the statement begin at %d" % (end, statement["begin"])
        )


# --- The command line.


def _refuse(reason):
    sys.stderr.write("%s\n\n%s" % (reason, USAGE))
    raise SystemExit(2)


def _read_arguments(arguments):
    files, named = [], {}
    rest = iter(arguments)
    for argument in rest:
        name, sign, value = argument.partition("=")
        if name in ("--keys", "--previous"):
            value = value if sign else next(rest, "")
            if value == "" or value.startswith("-"):
                _refuse("%s needs a file" % name)
            if name in named:
                _refuse("%s is there twice" % name)
            named[name] = value
        elif argument.startswith("-"):
            _refuse("unknown option %s" % argument)
        else:
            files.append(argument)
    if len(files) != 1:
        _refuse("name the file of one statement")
    if "--keys" not in named:
        _refuse("name the file of the keys: --keys FILE")
    return files[0], named["--keys"], named.get("--previous")


def _open(path):
    try:
        return source_from_file(path)
    except OSError as error:
        return _refuse("%s can't be read: %s" % (path, error.strerror))


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0
    statement, keys, previous = _read_arguments(arguments)
    sources = (_open(statement), _open(keys), None if previous is None else _open(previous))
    try:
        line, code = verify_statement(*sources), 0
    except NotProved as error:
        line, code = error, 1
    except OSError as error:
        return _refuse("a file can't be read: %s" % error.strerror)
    print(line)
    return code
