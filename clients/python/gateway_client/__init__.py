"""A client of the merchant API of the payment gateway. Needs nothing but Python 3.8 or newer.

    gateway = Gateway("https://gateway.example", api_key)
    created = gateway.create_payment_link(
        merchant_operation_id="order-1", client_id="client-1",
        method="WT_RUB_C2C", amount="100.00", currency="RUB")
    print(created["status"], created["payment_url"], created.replayed)

A request about operations may be sent again as it is: a call repeats until it has an answer that
stays, or its deadline comes, and never before `Retry-After`. What would be another change
the second time, such as a webhook endpoint, is not repeated once it may have been carried out. What
fails is a GatewayError.
"""

import http.client
import json
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal

from .verify import verify_webhook

__all__ = ["Answer", "CsvFile", "Gateway", "GatewayError", "verify_webhook"]

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0


class Answer(dict):
    """The body of an answer; numbers with a fraction are Decimal."""

    replayed = False  #: The create had been answered before: this is the operation as it is now.
    request_id = ""  #: What to quote to the gateway's operator.
    attempts = 1  #: How often the request was sent.


class CsvFile(str):
    """The text of a file of rows, whole."""

    replayed = False
    request_id = ""
    attempts = 1


class GatewayError(Exception):
    """A call that failed.

    code        of the gateway's table, or `no_answer`, or `unexpected_answer` of something on the way
    status      of the last answer; None without one
    outcome     `not_done`, or `unknown`: it may have been carried out; send the same request again
    problem     the body of the gateway's refusal, with `errors` or `operation_id`; else empty
    """

    def __init__(self, failed, outcome, request_id, attempts):
        super().__init__(f"{failed.detail} ({failed.code}, request {request_id})")
        self.code = failed.code
        self.detail = failed.detail
        self.status = failed.status
        self.problem = failed.problem
        self.outcome = outcome
        self.request_id = request_id
        self.attempts = attempts


class Gateway:
    """One method for each endpoint; see the reference for their fields.

    A field whose name is a word of Python's has a `_` behind it: `from_`.
    """

    def __init__(self, base_url, api_key, deadline=60.0, attempt=20.0, on_retry=None,
                 allow_http=False, sleep=time.sleep):
        """deadline: seconds for a whole call; attempt: for each attempt.

        on_retry: called before every retry with (code, pause in seconds).
        """
        url = urllib.parse.urlsplit(base_url)
        here = re.fullmatch(r"localhost|127(\.\d+){3}|::1", url.hostname or "")
        if url.scheme != "https" and not (url.scheme == "http" and (here or allow_http)):
            raise ValueError("base_url must be https: the API key is for nobody else to read")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key is empty or has characters that no key has")
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._deadline = deadline
        self._attempt = attempt
        self._on_retry = on_retry
        self._sleep = sleep

    def create_payment(self, **payment):
        return self._post("/v1/payment", payment)

    def create_payment_link(self, **payment):
        return self._post("/v1/payment/link", payment)

    def create_payout(self, **payout):
        return self._post("/v1/payout", payout)

    def get_operation_state(self, **reference):
        """reference: operation_id or merchant_operation_id"""
        return self._post("/v1/get_operation_state", reference, reads=True)

    def cancel_operation(self, **cancel):
        """cancel: operation_id or merchant_operation_id, and a reason"""
        return self._post("/v1/cancel_operation", cancel)

    def confirm_payment(self, receipt, **reference):
        """receipt: the bytes of the PDF; reference: operation_id or merchant_operation_id"""
        fields = {"confirmation_type": "receipt", **reference}
        boundary = uuid.uuid4().hex
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        parts.append(b'name="receipt"; filename="receipt.pdf"\r\n'
                     b"Content-Type: application/pdf\r\n\r\n" + receipt)
        start = f"--{boundary}\r\nContent-Disposition: form-data; ".encode()
        body = b"".join(start + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()
        return self._call("/v1/confirm_payment", body, f"multipart/form-data; boundary={boundary}")

    def list_operations(self, **filters):
        return self._get("/v1/operations", filters)

    def get_balances(self):
        return self._get("/v1/balances")

    def list_methods(self):
        return self._get("/v1/methods")

    def check_payout_batch(self, file):
        """file: CSV as text or bytes, or the bytes of .xlsx; nothing is created before it is confirmed"""
        body = file.encode() if isinstance(file, str) else file
        return self._call("/v1/payout-batches", body, "text/csv")

    def confirm_payout_batch(self, batch_id):
        return self._call(f"/v1/payout-batches/{_part(batch_id)}/confirm", method="POST")

    def get_payout_batch(self, batch_id):
        return self._get(f"/v1/payout-batches/{_part(batch_id)}")

    def get_payout_batch_result(self, batch_id):
        """The result of each row so far, as a CsvFile."""
        return self._get(f"/v1/payout-batches/{_part(batch_id)}/result.csv")

    def create_webhook_endpoint(self, **endpoint):
        return self._post("/v1/webhook-endpoints", endpoint, once=True)

    def list_webhook_endpoints(self):
        return self._get("/v1/webhook-endpoints")

    def get_webhook_endpoint(self, endpoint_id):
        return self._get(f"/v1/webhook-endpoints/{_part(endpoint_id)}")

    def change_webhook_endpoint(self, endpoint_id, **change):
        return self._post(f"/v1/webhook-endpoints/{_part(endpoint_id)}", change, method="PATCH")

    def delete_webhook_endpoint(self, endpoint_id):
        path = f"/v1/webhook-endpoints/{_part(endpoint_id)}"
        return self._call(path, method="DELETE", once=True)

    def rotate_webhook_secret(self, endpoint_id):
        path = f"/v1/webhook-endpoints/{_part(endpoint_id)}/rotate-secret"
        return self._call(path, method="POST", once=True)

    def export_operations(self, **filters):
        """A CsvFile, as the other exports."""
        return self._get("/v1/operations.csv", filters)

    def export_journal(self, **filters):
        return self._get("/v1/journal.csv", filters)

    def export_deliveries(self, **filters):
        return self._get("/v1/webhook-deliveries.csv", filters)

    def get_statement(self, **period):
        """period: from_ and to, and the currency where the shop has several"""
        return self._get("/v1/statements", period)

    def export_statement(self, **period):
        return self._get("/v1/statements.csv", period)

    def list_checkpoints(self, **filters):
        return self._get("/v1/checkpoints", filters)

    def list_checkpoint_keys(self):
        return self._get("/v1/keys")

    def _get(self, path, query=None):
        sent = {name.rstrip("_"): value for name, value in (query or {}).items()
                if value is not None}
        return self._call(f"{path}?{urllib.parse.urlencode(sent)}" if sent else path, reads=True)

    def _post(self, path, body, **how):
        return self._call(path, json.dumps(body).encode(), "application/json", **how)

    def _call(self, path, body=None, content_type=None, reads=False, method=None, once=False):
        """reads: it changes nothing; once: it is not idempotent"""
        request_id = str(uuid.uuid4())
        headers = {"Accept": "application/json, text/csv", "X-API-Key": self._api_key,
                   "X-Request-Id": request_id}
        if content_type:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(self._base_url + path, body, headers, method=method)
        ends_at = time.monotonic() + self._deadline
        unknown = False
        attempt = 0
        while True:
            attempt += 1
            left = max(0.001, ends_at - time.monotonic())
            try:
                answer = _exchange(request, min(self._attempt, left))
                answer.request_id, answer.attempts = request_id, attempt
                return answer
            except _Failed as failed:
                unknown = not reads and not failed.settles and (unknown or failed.maybe_done)
                pause = max(failed.retry_after, _backoff(attempt))
                again = failed.repeats or (failed.code == "internal_error" and attempt == 1)
                again = again and not (once and failed.maybe_done)
                if not again or time.monotonic() + pause >= ends_at:
                    outcome = "unknown" if unknown else "not_done"
                    raise GatewayError(failed, outcome, request_id, attempt) from None
                if self._on_retry:
                    self._on_retry(failed.code, pause)
            self._sleep(pause)


class _Failed(Exception):
    """The outcome of an attempt that got no valid answer."""

    def __init__(self, code, detail, status=None, problem=None, retry_after=0.0, delivered=True):
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.problem = problem or {}
        self.retry_after = retry_after
        refused = problem is not None
        # The request was judged by what it holds: no earlier attempt with it was done either.
        self.settles = refused and status in (400, 404, 412, 413, 415, 422)
        self.maybe_done = delivered if status is None else status >= 500 or status < 400
        self.repeats = (status is None or (status in (429, 503) if refused else status >= 500))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The gateway never redirects: the key must not be sent to another host."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _exchange(request, timeout):
    """Sends a request once and reads the answer to its end."""
    try:
        with _opener.open(request, timeout=timeout) as response:
            return _read(response, response.read())
    except urllib.error.HTTPError as error:
        with error:
            try:
                text = error.read()
            except (OSError, http.client.HTTPException):
                text = b""  # The status is known, the rest is lost.
        raise _refusal(error.code, error.headers, text) from None
    except urllib.error.URLError as error:
        delivered = not isinstance(error.reason, (ConnectionRefusedError, socket.gaierror))
        raise _Failed("no_answer", f"the connection failed: {error.reason}",
                      delivered=delivered) from None
    except (OSError, http.client.HTTPException) as error:
        raise _Failed("no_answer", f"the connection broke: {error}") from None


def _read(response, text):
    kind = response.headers.get("Content-Type", "")
    if response.status == 204:
        answer = Answer()
    elif response.status == 200 and kind.startswith("text/csv"):
        answer = CsvFile(text.decode())
    else:
        body = _json(text)
        if response.status not in (200, 201, 202) or not kind.startswith("application/json") or body is None:
            raise _refusal(response.status, response.headers, text)
        answer = Answer(body)
    answer.replayed = response.headers.get("Idempotent-Replayed") == "true"
    return answer


def _part(text):
    """A part of a path."""
    return urllib.parse.quote(str(text), safe="")


def _refusal(status, headers, text):
    after = headers.get("Retry-After") or ""
    # The gateway sends seconds; a date, which a proxy may send, is ignored for the backoff.
    retry_after = float(after) if re.fullmatch(r"[0-9]{1,6}", after) else 0.0
    problem = _json(text)
    if headers.get("Content-Type", "").startswith("application/problem+json") and problem:
        code, detail = problem.get("code"), problem.get("detail", "")
        if isinstance(code, str) and problem.get("status") == status:
            return _Failed(code, detail, status, problem, retry_after)
    detail = f"an answer with status {status} that is none of this endpoint's"
    return _Failed("unexpected_answer", detail, status, retry_after=retry_after)


def _json(text):
    try:
        value = json.loads(text, parse_float=Decimal)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _backoff(attempt):
    """Clients that failed together must not retry together."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt - 1, 10))
    return longest / 2 + longest / 2 * random.random()
