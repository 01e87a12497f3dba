ENDPOINT=$(curl -sS "$GATEWAY/v1/webhook-endpoints" \
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \
  -d '{"url":"http://127.0.0.1:4000/"}')
echo "$ENDPOINT"

export ENDPOINT_ID=$(echo "$ENDPOINT" | sed 's/.*"endpoint_id":"\([^"]*\)".*/\1/')
export WEBHOOK_SECRET=$(echo "$ENDPOINT" | sed 's/.*"secret":"\([^"]*\)".*/\1/')
echo "$WEBHOOK_SECRET"
