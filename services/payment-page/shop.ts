import type { Operation } from '#shared/domain/operation/state.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import { fillReturnUrl } from '#shared/domain/shop/return-url.ts';

/** The shop's details on a page, and the number by which the shop finds the payment. */
export type ShownShop = {
  name?: string | undefined;
  support?: string | undefined;
  /** The shop's return link, filled in for this payment. */
  returnUrl?: string | undefined;
  /** The shop's own number of the payment, if it is short enough to be read out. */
  order?: string | undefined;
};

const longestOrder = 64;

export function shownShop(settings: ShopSettings, operation: Operation): ShownShop {
  const { display_name: name, support, return_url: template } = settings;
  const { operationId, merchantOperationId } = operation;
  const isShort = Array.from(merchantOperationId).length <= longestOrder;
  return {
    name,
    support,
    returnUrl: template && fillReturnUrl(template, { operationId, merchantOperationId }),
    order: isShort ? merchantOperationId : undefined,
  };
}
