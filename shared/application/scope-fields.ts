import type { UnknownFields } from '#shared/platform/http/validate.ts';

const forbidden = { code: 'scope_field_forbidden', detail: 'the API key determines the scope' };

/** `merchant_id` and `shop_id` come from the key and must not be sent (R1.3). */
export const forbiddenScopeFields: UnknownFields = { merchant_id: forbidden, shop_id: forbidden };
