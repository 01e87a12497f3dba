# --- receive
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

sys.path.insert(0, "gateway-client/python")
from gateway_client import verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        # Verify the bytes exactly as they came, then read them.
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        refusal = verify_webhook(headers, body, SECRET)
        if refusal is None:
            event = json.loads(body)
            operation = event["data"].get("operation")
            if operation:
                # Store it under event["id"]: the same one may come again.
                print(event["type"], operation["merchant_operation_id"], operation["actual_amount"], flush=True)
        else:
            print("refused:", refusal, flush=True)
        self.send_response(204 if refusal is None else 401)
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", 4000))), Webhooks).serve_forever()
