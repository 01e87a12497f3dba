# --- key
curl -sS "$GATEWAY/v1/balances" -H "X-API-Key: $API_KEY"

# --- create
ORDER="order-$(date +%s)"

cat > payment.json <<END
{
  "merchant_operation_id": "$ORDER",
  "client_id": "client-1",
  "method": "WT_RUB_C2C",
  "amount": "100.00",
  "currency": "RUB"
}
END

CREATED=$(curl -sS "$GATEWAY/v1/payment/link" -d @payment.json \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json')
echo "$CREATED"

export OPERATION_ID=$(echo "$CREATED" | sed 's/.*"operation_id":"\([^"]*\)".*/\1/')

# --- repeat
curl -sSi "$GATEWAY/v1/payment/link" -d @payment.json \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \
  | grep -i 'idempotent-replayed'

# --- state
until curl -sS "$GATEWAY/v1/get_operation_state" \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \
  -d "{\"merchant_operation_id\": \"$ORDER\"}" \
  | grep '"status":"completed"'
do sleep 1; done

# --- balance
curl -sS "$GATEWAY/v1/balances" -H "X-API-Key: $API_KEY"

# --- receipt
curl -sS "$GATEWAY/docs/sample-receipt.pdf" -o receipt.pdf

export OPERATION_ID=$(curl -sS "$GATEWAY/v1/payment" \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \
  -d '{"merchant_operation_id":"receipt-'$(date +%s)'","client_id":"client-1","method":"WT_RUB_C2C","amount":"1051.00","currency":"RUB"}' \
  | sed 's/.*"operation_id":"\([^"]*\)".*/\1/')

curl -sS "$GATEWAY/v1/confirm_payment" -H "X-API-Key: $API_KEY" \
  -F operation_id=$OPERATION_ID -F confirmation_type=receipt -F receipt=@receipt.pdf
