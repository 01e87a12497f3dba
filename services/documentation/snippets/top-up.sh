curl -sSw '\n' "$ADMIN/admin/v1/shops/$SHOP_ID/adjustments" \
  -H "Authorization: Bearer $ADMIN_TOKEN" -H 'Content-Type: application/json' \
  -d '{"adjustment_id":"top-up-'$(date +%s)'","currency":"RUB","amount":"500.00","reason":"Top-up"}'
