import os
import uuid
from urllib.request import Request, urlopen


def multipart(fields, name, file):
    """The body of multipart/form-data with one PDF, and its content type."""
    boundary = uuid.uuid4().hex
    parts = [f'name="{key}"\r\n\r\n{value}\r\n'.encode() for key, value in fields.items()]
    parts.append(
        f'name="{name}"; filename="receipt.pdf"\r\nContent-Type: application/pdf\r\n\r\n'.encode()
        + file + b"\r\n"
    )
    start = f"--{boundary}\r\nContent-Disposition: form-data; ".encode()
    body = b"".join(start + part for part in parts) + f"--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


fields = {"operation_id": os.environ["OPERATION_ID"], "confirmation_type": "receipt"}
with open("receipt.pdf", "rb") as pdf:
    body, content_type = multipart(fields, "receipt", pdf.read())

headers = {"X-API-Key": os.environ["API_KEY"], "Content-Type": content_type}
with urlopen(Request(os.environ["GATEWAY"] + "/v1/confirm_payment", body, headers)) as response:
    print(response.status, response.read().decode())
