# --- key
import os
import sys
import time

sys.path.insert(0, "gateway-client/python")
from gateway_client import Gateway

gateway = Gateway(os.environ["GATEWAY"], os.environ["API_KEY"])

print(gateway.get_balances())

# --- create
payment = {
    "merchant_operation_id": f"order-{time.time_ns()}",
    "client_id": "client-1",
    "method": "WT_RUB_C2C",
    "amount": "100.00",
    "currency": "RUB",
}

created = gateway.create_payment_link(**payment)
print(created["status"], created["payment_url"])

# --- repeat
again = gateway.create_payment_link(**payment)
print("replayed:", again.replayed)

# --- state
reference = {"merchant_operation_id": payment["merchant_operation_id"]}
state = gateway.get_operation_state(**reference)
while state["status"] == "pending":
    time.sleep(1)
    state = gateway.get_operation_state(**reference)
print(state["status"], state["actual_amount"], state["receipts"])

# --- balance
print(gateway.get_balances())

# --- receipt
from urllib.request import urlopen

receipt = urlopen(os.environ["GATEWAY"] + "/docs/sample-receipt.pdf").read()

with_receipt = {
    **payment,
    "merchant_operation_id": f"receipt-{time.time_ns()}",
    "amount": "1051.00",
}
waiting = gateway.create_payment(**with_receipt)
confirmed = gateway.confirm_payment(receipt, operation_id=waiting["operation_id"])
print("receipt:", confirmed["status"])
