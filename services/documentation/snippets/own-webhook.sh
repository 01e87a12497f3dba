curl -sSw '\n' -X PUT "$ADMIN/admin/v1/shops/$SHOP_ID/webhook" \
  -H "Authorization: Bearer $ADMIN_TOKEN" -H 'Content-Type: application/json' \
  -d '{"url":"http://127.0.0.1:4000/"}'

export WEBHOOK_SECRET=$(curl -sS -X POST "$ADMIN/admin/v1/shops/$SHOP_ID/webhook/rotate-secret" \
  -H "Authorization: Bearer $ADMIN_TOKEN" | sed 's/.*"secret":"\([^"]*\)".*/\1/')
echo "$WEBHOOK_SECRET"
