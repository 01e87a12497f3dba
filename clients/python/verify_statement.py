"""Verifies statements of a shop's ledger: needs Python 3.8 or newer, and nothing of the gateway."""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone

USAGE = """usage: verify-statement FILE... [--previous FILE] --keys FILE

Verifies an answer of GET /v1/statements: its entries are in the signed tree of the shop, unchanged
and in order, and its sums are right. It needs nothing of the gateway but the files.

  FILE        the statement; with those of all currencies none can be missing between two entries
  --previous  the statement before it: nothing that it showed was changed or removed since
  --keys      the answer of GET /v1/keys or of GET /.well-known/checkpoint-keys

It prints one line. Exit code 0: all holds; 1: the first entry or proof that does not; 2: bad usage.
"""


class NotProved(Exception):
    """What does not hold: one line that names the first entry or proof."""


# --- The hashes and proofs of RFC 9162, section 2.1, with SHA-256.


def _sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


EMPTY_ROOT = _sha256()


def leaf_hash(content):
    return _sha256(b"\0", content)


def _node_hash(left, right):
    return _sha256(b"\1", left, right)


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


def is_consistent(from_size, from_root, to_size, to_root, hashes):
    """Whether the larger tree begins with the smaller one."""
    if from_size > to_size:
        return False
    if from_size == to_size:
        return not hashes and from_root == to_root
    if from_size == 0:
        return not hashes
    node, last = from_size - 1, to_size - 1
    while node % 2 == 1:
        node, last = node // 2, last // 2
    # A smaller tree that is one whole subtree of the larger one is where the path begins.
    path = [from_root, *hashes] if node == 0 else list(hashes)
    if not path:
        return False
    smaller = larger = path[0]
    for each in path[1:]:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            smaller, larger = _node_hash(each, smaller), _node_hash(each, larger)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            larger = _node_hash(larger, each)
        node, last = node // 2, last // 2
    return last == 0 and smaller == from_root and larger == to_root


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


# --- Statements.


def verify_statements(statements, keys, previous=None):
    """Returns one line about what was verified. Raises NotProved."""
    if not statements:
        raise NotProved("there is no statement")
    read = [_read_statement(each, keys) for each in statements]
    first = read[0]
    leaves = sorted(leaf for each in read for leaf in each["leaves"])
    if len(read) > 1:
        _verify_together(read, leaves)
    for each in read:
        _check_sizes(each, first["size"])
    before = None if previous is None else _read_statement(previous, keys)
    if before is not None:
        for each in read:
            _verify_continues(before, each)
        if all(each["currency"] != before["currency"] for each in read):
            raise NotProved("the previous statement is in %s" % before["currency"])
    parts = [
        "%s: %d entries from %s to %s are in the tree of %d"
        % (first["shop_id"], len(leaves), first["from"], first["to"], first["size"])
    ]
    parts += _left_out(leaves, before)
    parts.append(
        "no previous statement was given" if previous is None else "nothing before was changed"
    )
    return "; ".join(parts)


def _left_out(leaves, before):
    """The leaves that no entry shows, from the first one or from the last statement's on."""
    last = before["leaves"][-1:] if before else []
    if last and leaves and leaves[0] <= last[0]:
        raise NotProved("leaf %d comes after leaf %d of the previous statement" % (leaves[0], last[0]))
    every = last + leaves
    missing = every[-1] - every[0] + 1 - len(every) if every else 0
    if missing == 0:
        return []
    which = "since the last entry of the previous statement" if last else "between its entries"
    missing_leaves = "leaves %s that are not in it: %d, of other currencies or left out" % (which, missing)
    return [missing_leaves if last else missing_leaves + ": the files of all currencies show which"]


def _read_statement(given, keys):
    statement = _members(given, "the statement")
    what = "the statement"
    shop_id, currency = _text(statement, "shop_id", what), _text(statement, "currency", what)
    begin, end = _text(statement, "from", what), _text(statement, "to", what)
    if _time(begin, "from") > _time(end, "to"):
        raise NotProved("from is after to")
    size, root = _read_checkpoint(statement.get("checkpoint"), shop_id, keys)
    entries = _list(statement.get("entries"), "entries")
    opening = _amount(_text(statement, "opening", what), "opening")
    closing = _amount(_text(statement, "closing", what), "closing")
    state = {"balance": opening, "reserved": None, "at": begin, "leaf": -1}
    place = {"to": end, "size": size, "root": root}
    leaves = [_verify_entry(entry, state, number, place) for number, entry in enumerate(entries, 1)]
    if state["balance"] != closing:
        raise NotProved(
            "closing is %s, the entries add up to %s"
            % (statement["closing"], _show(state["balance"]))
        )
    consistency = _members(statement.get("consistency"), "consistency")
    return {
        "shop_id": shop_id,
        "currency": currency,
        "from": begin,
        "to": end,
        "opening": opening,
        "closing": closing,
        "leaves": leaves,
        "size": size,
        "root": root,
        "from_size": _count(consistency.get("from_size"), "consistency.from_size"),
        "hashes": _hashes(consistency.get("proof"), "consistency.proof"),
    }


def _read_checkpoint(given, shop_id, keys):
    checkpoint = _members(given, "checkpoint")
    size = _count(checkpoint.get("tree_size"), "checkpoint.tree_size")
    root = _bytes(_text(checkpoint, "root", "checkpoint"), 32, "checkpoint.root")
    signature = _bytes(_text(checkpoint, "signature", "checkpoint"), 64, "checkpoint.signature")
    key_id = _text(checkpoint, "key_id", "checkpoint")
    listed = [_members(each, "a key") for each in _list(_members(keys, "the keys").get("keys"), "keys")]
    known = next((each for each in listed if each.get("key_id") == key_id), None)
    if known is None:
        raise NotProved("checkpoint: the key %s is unknown" % key_id)
    at = _text(checkpoint, "at", "checkpoint")
    time = _time(at, "checkpoint.at")
    until = known.get("valid_until")
    if time < _time(str(known.get("valid_from")), "valid_from of key %s" % key_id) or (
        isinstance(until, str) and time > _time(until, "valid_until of key %s" % key_id)
    ):
        raise NotProved("checkpoint: the key %s was not valid at %s" % (key_id, at))
    x = known.get("x")
    if known.get("kty") != "OKP" or known.get("crv") != "Ed25519" or not isinstance(x, str):
        raise NotProved("the key %s is no Ed25519 key" % key_id)
    signed = "%s\n%d\n%s\n" % (shop_id, size, base64.b64encode(root).decode("ascii"))
    public_key = _bytes(x, 32, "the key %s" % key_id)
    if not is_signed(public_key, _utf8(signed, "checkpoint"), signature):
        raise NotProved("checkpoint: the signature does not hold")
    if size == 0 and root != EMPTY_ROOT:
        raise NotProved("checkpoint: the root of an empty tree is another one")
    return size, root


def _verify_entry(given, state, number, place):
    entry = _members(given, "entry %d" % number)
    name = "entry %d (%s)" % (number, entry.get("entry_id"))

    def check(holds, reason):
        if not holds:
            raise NotProved("%s: %s" % (name, reason))

    content = {key: value for key, value in entry.items() if key not in ("leaf", "proof")}
    proof = _members(entry.get("proof"), "%s: proof" % name)
    index = _count(proof.get("index"), "%s: proof.index" % name)
    leaf = leaf_hash(_utf8(_canonical_json(content), name))
    check(entry.get("leaf") == _base64url(leaf), "its content is not what its leaf is made of")
    check(index > state["leaf"], "it is leaf %d, and comes after leaf %d" % (index, state["leaf"]))
    hashes = _hashes(proof.get("hashes"), "%s: proof.hashes" % name)
    root = root_of_inclusion(index, place["size"], leaf, hashes)
    check(root == place["root"], "its proof does not lead to the signed root")
    at = _text(entry, "at", name)
    time = _time(at, "%s: at" % name)
    check(time >= _time(state["at"], "at"), "it is at %s, before %s" % (at, state["at"]))
    check(time < _time(place["to"], "to"), "it is at %s, after the period" % at)
    amount = _amount(_text(entry, "amount", name), "%s: amount" % name)
    balance = _amount(_text(entry, "balance", name), "%s: balance" % name)
    check(
        state["balance"] + amount == balance,
        "%s and %s are not %s" % (_show(state["balance"]), _show(amount), _show(balance)),
    )
    reserved = _amount(_text(entry, "reserved", name), "%s: reserved" % name)
    kind = _text(entry, "kind", name)
    if state["reserved"] is not None:
        check(
            _moves_reserved(kind, amount, reserved - state["reserved"]),
            "a %s does not change the reserved amount from %s to %s"
            % (kind, _show(state["reserved"]), _show(reserved)),
        )
    state.update(balance=balance, reserved=reserved, at=at, leaf=index)
    return index


def _moves_reserved(kind, amount, moved):
    """How each kind of entry moves the reserved funds."""
    if kind in ("reserve", "release"):
        return moved == -amount
    return moved <= 0 if kind == "capture" else moved == 0


def _check_sizes(statement, size):
    if statement["from_size"] > size:
        raise NotProved("consistency of %s: from_size is larger than the tree" % statement["currency"])
    trivial = statement["from_size"] in (0, size)
    if trivial == bool(statement["hashes"]):
        raise NotProved("consistency of %s: the proof is not of these sizes" % statement["currency"])


def _verify_together(statements, leaves):
    """Statements of one shop and period: their entries are next to each other in the tree."""
    same = ("shop_id", "from", "to", "size", "root")
    if any(each[name] != statements[0][name] for each in statements for name in same):
        raise NotProved("the statements are not of one shop, period and checkpoint")
    for before, leaf in zip(leaves, leaves[1:]):
        if leaf == before:
            raise NotProved("leaf %d is in two entries" % leaf)
        if leaf != before + 1:
            raise NotProved("leaf %d is in no entry" % (before + 1))


def _verify_continues(before, statement):
    """That a statement begins where an earlier one ended, in a tree that only grew."""
    if before["shop_id"] != statement["shop_id"]:
        raise NotProved(
            "the previous statement is of %s, not of %s" % (before["shop_id"], statement["shop_id"])
        )
    if _time(before["to"], "to") != _time(statement["from"], "from"):
        raise NotProved(
            "the previous statement ends %s, this begins %s" % (before["to"], statement["from"])
        )
    if before["currency"] == statement["currency"] and before["closing"] != statement["opening"]:
        raise NotProved(
            "opening is %s, the previous closing is %s"
            % (_show(statement["opening"]), _show(before["closing"]))
        )
    if before["size"] != statement["from_size"]:
        raise NotProved(
            "consistency: the proof is from %d entries, the previous statement has %d"
            % (statement["from_size"], before["size"])
        )
    to = (statement["size"], statement["root"])
    if not is_consistent(before["size"], before["root"], *to, statement["hashes"]):
        raise NotProved(
            "consistency: the tree does not begin with the one of the previous statement"
        )


def _canonical_json(value):
    """RFC 8785."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))
        return "{%s}" % ",".join(
            "%s:%s" % (_canonical_json(key), _canonical_json(member)) for key, member in members
        )
    if isinstance(value, list):
        return "[%s]" % ",".join(_canonical_json(each) for each in value)
    return json.dumps(value, ensure_ascii=False)


def _utf8(text, what):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotProved("%s has half of a surrogate pair" % what) from None


def _members(value, what):
    if not isinstance(value, dict):
        raise NotProved("%s is no object" % what)
    return value


def _list(value, what):
    if not isinstance(value, list):
        raise NotProved("%s is no list" % what)
    return value


def _text(members, name, what):
    if not isinstance(members.get(name), str):
        raise NotProved("%s: %s is no text" % (what, name))
    return members[name]


def _count(value, what):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise NotProved("%s is no count" % what)
    return value


def _base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def _bytes(text, length, what):
    # The bytes have a single encoding: a text that differs from it was changed.
    if isinstance(text, str) and re.fullmatch("[A-Za-z0-9_-]*", text) and len(text) % 4 != 1:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if len(content) == length and _base64url(content) == text:
            return content
    raise NotProved("%s is not %d bytes in base64url" % (what, length))


def _hashes(value, what):
    return [_bytes(each, 32, what) for each in _list(value, what)]


_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(?:(Z)|([+-])([0-9]{2}):([0-9]{2}))"
)


def _time(text, what):
    found = _TIME.fullmatch(text)
    try:
        whole, fraction, _, sign, hours, minutes = found.groups()
        moment = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except (AttributeError, ValueError):
        raise NotProved("%s is no time" % what) from None
    if sign is not None:
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        moment = moment - offset if sign == "+" else moment + offset
    return moment + timedelta(seconds=float(fraction or 0))


def _amount(text, what):
    """Decimal with two places, as hundredths."""
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)\.[0-9]{2}", text):
        raise NotProved("%s is no amount" % what)
    return int(text.replace(".", ""))


def _show(hundredths):
    digits = str(abs(hundredths)).rjust(3, "0")
    return "%s%s.%s" % ("-" if hundredths < 0 else "", digits[:-2], digits[-2:])


# --- The command line.


def _refuse(reason):
    sys.stderr.write("%s\n\n%s" % (reason, USAGE))
    raise SystemExit(2)


def _options(arguments):
    files, named = [], {}
    rest = iter(arguments)
    for argument in rest:
        name, _, value = argument.partition("=")
        if name in ("--previous", "--keys"):
            value = value or next(rest, "")
            if not value:
                _refuse("%s needs a file" % name)
            named[name] = value
        elif argument.startswith("-"):
            _refuse("Unknown option '%s'" % argument)
        else:
            files.append(argument)
    if not files:
        _refuse("name the file of a statement")
    if "--keys" not in named:
        _refuse("name the file of the keys: --keys FILE")
    return files, named["--keys"], named.get("--previous")


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        return _refuse("%s can't be read: %s" % (path, error.strerror))


def _parse(text, path):
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NotProved("%s is no JSON" % path) from None


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(USAGE)
        return 0
    files, keys, previous = _options(arguments)
    texts = [(path, _read(path)) for path in files]
    text_of_keys = _read(keys)
    text_before = None if previous is None else _read(previous)
    try:
        line = verify_statements(
            [_parse(text, path) for path, text in texts],
            _parse(text_of_keys, keys),
            None if text_before is None else _parse(text_before, previous),
        )
    except NotProved as error:
        print(error)
        return 1
    print(line)
    return 0
