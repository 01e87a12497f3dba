import { isIP } from 'node:net';
import { keyScopes, type KeyScope } from '#shared/domain/shop/events.ts';
import { isExpired, type ApiKey } from '#shared/domain/shop/state.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { trimmedValue, type Values } from '#shared/platform/sessions/form.ts';
import { keyLabelHint } from './action-texts.ts';
import { allOrSomeFields, readAllOrSome } from './all-or-some.ts';
import { at, type View } from './components.ts';
import type { Field } from './form-fields.ts';
import { typedTime } from './typed-time.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

/** The texts and forms of API keys in the console and the portal. */

const texts = {
  expires: { ru: 'Действует до', en: 'Works until' },
  expiresHint: {
    ru: 'Если пусто, ключ действует, пока его не отзовут.',
    en: 'If empty, the key works until it is revoked.',
  },
  ips: { ru: 'С каких адресов принимать запросы', en: 'Addresses that may use the key' },
  ipsHint: {
    ru: 'IP-адреса или подсети (CIDR), по одной на строке. Если пусто, подходит любой адрес.',
    en: 'IP addresses or ranges (CIDR), one per line. If empty, any address may.',
  },
  scopes: { ru: 'Что можно делать с этим ключом', en: 'What the key may be used for' },
  everything: {
    ru: 'Всё, в том числе настраивать вебхуки',
    en: 'Everything, including webhook settings',
  },
  some: { ru: 'Только выбранное', en: 'Only these' },
  only: { ru: 'Только', en: 'Only' },
  until: { ru: 'до', en: 'until' },
  from: { ru: 'с', en: 'from' },
  expired: { ru: 'истёк', en: 'expired' },
} as const satisfies Record<string, Words>;

const scopeNames: Readonly<Record<KeyScope, Words>> = {
  payments: {
    ru: 'Платежи: создавать, подтверждать, отменять',
    en: 'Payments: create, confirm, cancel',
  },
  payouts: { ru: 'Выплаты: создавать', en: 'Payouts: create' },
  read: {
    ru: 'Чтение: операции, балансы, выписки',
    en: 'Reading: operations, balances, statements',
  },
};

const scopeShortNames: Readonly<Record<KeyScope, Words>> = {
  payments: { ru: 'платежи', en: 'payments' },
  payouts: { ru: 'выплаты', en: 'payouts' },
  read: { ru: 'чтение', en: 'reading' },
};

const rangesIn = (text: string): string[] => text.split(/[\s,;]+/).filter((range) => range !== '');

/** The fields of a new key. */
export const keyFields = (view: Pick<View, 't'>): readonly Field[] => [
  { name: 'label', label: common.label, hint: keyLabelHint, kind: 'text' },
  ...allOrSomeFields(view, {
    name: 'scopes',
    label: texts.scopes,
    all: texts.everything,
    some: texts.some,
    options: scopeNames,
  }),
  {
    name: 'expires_at',
    label: texts.expires,
    hint: texts.expiresHint,
    kind: 'time',
    optional: true,
  },
  {
    name: 'allowed_ips',
    label: texts.ips,
    hint: texts.ipsHint,
    kind: 'long',
    optional: true,
    entries: rangesIn,
  },
];

/** The body of the command, from a form with these fields. */
export function toKeyBody(values: Values, view: Pick<View, 'zone'>): object {
  const { expires_at: until = '', allowed_ips: ips = '' } = values;
  const ranges = rangesIn(ips);
  const scopes = readAllOrSome(values, 'scopes', keyScopes);
  return {
    label: trimmedValue(values, 'label'),
    ...(until !== '' && { expires_at: typedTime(until, view) }),
    ...(ranges.length > 0 && { allowed_ips: ranges.map(rangeIn) }),
    ...(scopes && { scopes }),
  };
}

/** A single address is a range of one. */
function rangeIn(text: string): string {
  const family = isIP(text);
  return family === 0 ? text : `${text}/${family === 4 ? 32 : 128}`;
}

/** A key's label, with what limits it below. */
export function keyLabel(view: View, { label, limits }: Pick<ApiKey, 'label' | 'limits'>): Html {
  const { t } = view;
  const { expires_at: until, allowed_ips: ips = [], scopes = [] } = limits;
  const lines = [
    ...(scopes.length > 0
      ? [html`${t(texts.only)}: ${scopes.map((scope) => t(scopeShortNames[scope])).join(', ')}`]
      : []),
    ...(ips.length > 0 ? [html`${t(texts.from)} ${ips.join(', ')}`] : []),
    ...(until === undefined ? [] : [html`${t(texts.until)} ${at(view, until)}`]),
  ];
  return html`${label}${lines.map((line) => html`<div class="muted small">${line}</div>`)}`;
}

/** Whether a key is in force; of a revoked one, since when it is not. */
export function keyBadge(
  view: View,
  { revokedAt, limits }: { revokedAt: string | undefined } & Pick<ApiKey, 'limits'>,
  nowMs: number,
): Html {
  const { t } = view;
  if (revokedAt !== undefined)
    return html`${badge('neutral', t(common.revoked), 'slash')}
      <div class="muted small">${at(view, revokedAt)}</div>`;
  return isExpired(limits, new Date(nowMs).toISOString())
    ? badge('neutral', t(texts.expired), 'slash')
    : badge('success', t(common.inForce));
}
