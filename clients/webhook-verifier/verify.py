"""Verifies webhooks of the payment gateway. For merchants: needs nothing but Python 3.8 or newer."""

import base64
import hashlib
import hmac
import re
import time


def verify_webhook(headers, body, secret, now=None, tolerance=300):
    """Returns None for a webhook that can be trusted, else why not:

    headers_missing         not from the gateway, or a proxy dropped its headers
    timestamp_out_of_range  sent minutes ago, or your clock is off
    wrong_secret            signed with another secret than yours
    content_changed         signed with yours, but over another body: was it parsed and written again?
    signature_mismatch      one of the last two; the sender gave no hint which

    headers: a mapping by lower-case name; body: the bytes exactly as received.
    """
    message_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        return "headers_missing"
    now = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(int(timestamp) - now) > tolerance:
        return "timestamp_out_of_range"

    key = base64.b64decode(secret[len("whsec_"):])
    if len(key) < 24 or "whsec_" + base64.b64encode(key).decode() != secret:
        raise ValueError("a webhook secret must be whsec_ and at least 24 bytes in base64")
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures.split(" ")[:10]):
        return None

    hints = headers.get("webhook-secret-hint")
    if not hints:
        return "signature_mismatch"
    mine = hashlib.sha256(key).hexdigest()[:8]
    return "content_changed" if mine in hints.split(" ") else "wrong_secret"
