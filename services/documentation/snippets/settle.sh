export OPERATION_ID=$(curl -sS "$GATEWAY/v1/payment" \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \
  -d '{"merchant_operation_id":"waits-'$(date +%s)'","client_id":"client-1","method":"WT_RUB_C2C","amount":"1009.00","currency":"RUB"}' \
  | sed 's/.*"operation_id":"\([^"]*\)".*/\1/')

curl -sS -H 'Content-Type: application/json' -d '{"result":"completed"}' \
  "$PROVIDER/control/operations/$OPERATION_ID/settle"
