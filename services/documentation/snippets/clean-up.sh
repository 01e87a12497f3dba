curl -sS -X DELETE "$GATEWAY/v1/webhook-endpoints/$ENDPOINT_ID" -H "X-API-Key: $API_KEY"

curl -sSw '\n' "$ADMIN/admin/v1/shops/$SHOP_ID/adjustments" \
  -H "Authorization: Bearer $ADMIN_TOKEN" -H 'Content-Type: application/json' \
  -d '{"adjustment_id":"take-back-'$(date +%s)'","currency":"RUB","amount":"-500.00","reason":"Take back"}'
