import { shopStream } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { html } from '#shared/platform/pages/index.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import type { Console, ConsoleView } from '../env.ts';
import { formValue, type Values } from '#shared/platform/sessions/form.ts';
import { typedAmount } from '../../frame/typed-numbers.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Done, Params } from './action.ts';
import type { FormContent } from '../../frame/actions/form-page.ts';

/** Helpers of the actions on one shop. */

const shopsTrail = ({ t }: ConsoleView) => [{ href: '/shops', text: t(common.shops) }];

/** @throws Problem not_found */
export async function prepareShop(
  { store }: Console,
  { params, view }: { params: Params; view: ConsoleView },
  more: (shop: Shop) => Partial<FormContent> = () => ({}),
): Promise<FormContent> {
  const shop = await readShop(store, readPathId(params['shop_id']));
  const { name } = shop.settings;
  const back = `/shops/${shop.shopId}`;
  const { about = [], ...rest } = more(shop);
  return {
    about: [
      [view.t(common.shop), html`<strong>${name}</strong> <code>${shop.shopId}</code>`],
      ...about,
    ],
    back,
    trail: [...shopsTrail(view), { href: back, text: name }],
    ...rest,
  };
}

export const shopStreams = ({ params }: Done): string[] => [shopStream(params['shop_id'] ?? '')];

/** A form's amount, where there is one. */
export function givenAmount(values: Values, name: string): string | undefined {
  const text = formValue(values, name);
  return text === undefined ? undefined : typedAmount(text);
}

/** A whole number; other text stays as it is, for the API to refuse. */
export function numberOrText(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
