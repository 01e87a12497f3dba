# --- key
import json
import os
import time
import urllib.error
import urllib.request
from decimal import Decimal

GATEWAY = os.environ["GATEWAY"]
API_KEY = os.environ["API_KEY"]


def call(path, body=None):
    """Every request may be sent again as it is, so it is, until there is an answer that stays."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-API-Key": API_KEY, "Content-Type": "application/json"}
    for attempt in range(8):
        request = urllib.request.Request(GATEWAY + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                replayed = answer.headers.get("Idempotent-Replayed") == "true"
                return json.load(answer, parse_float=Decimal), replayed
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            if not problem["retryable"]:
                raise SystemExit(f"{problem['code']}: {problem['detail']}")
        except OSError:
            pass  # no answer is unknown, not failed
        time.sleep(2**attempt / 4)
    raise SystemExit("no answer: unknown, send the same request again later")


print(call("/v1/balances")[0])

# --- create
payment = {
    "merchant_operation_id": f"order-{time.time_ns()}",
    "client_id": "client-1",
    "method": "WT_RUB_C2C",
    "amount": "100.00",
    "currency": "RUB",
}

created, _ = call("/v1/payment/link", payment)
print(created["status"], created["payment_url"])

# --- repeat
again, replayed = call("/v1/payment/link", payment)
print("replayed:", replayed)

# --- state
reference = {"merchant_operation_id": payment["merchant_operation_id"]}
state, _ = call("/v1/get_operation_state", reference)
while state["status"] == "pending":
    time.sleep(1)
    state, _ = call("/v1/get_operation_state", reference)
print(state["status"], state["actual_amount"], state["receipts"])

# --- balance
print(call("/v1/balances")[0])
