import { isIP } from 'node:net';
import { keyScopes, type KeyScope } from '#shared/domain/shop/events.ts';
import { isExpired, type ApiKey } from '#shared/domain/shop/state.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { trimmedValue, type Values } from '#shared/platform/sessions/form.ts';
import { keyLabelHint } from './action-texts.ts';
import type { View } from './components.ts';
import type { Field } from './form-fields.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

/** The texts and forms of API keys in the console and the portal. */

const texts = {
  expires: { ru: 'Действует до (UTC)', en: 'Works until (UTC)' },
  expiresHint: { ru: 'Без срока, если пусто.', en: 'Empty: until it is revoked.' },
  ips: { ru: 'Только с адресов', en: 'Only from these addresses' },
  ipsHint: {
    ru: 'Адреса или подсети (CIDR), по одной на строке. Пусто: с любых.',
    en: 'Addresses or ranges (CIDR), one a line. Empty: from any.',
  },
  only: { ru: 'Только для', en: 'Only for' },
  until: { ru: 'до', en: 'until' },
  from: { ru: 'с', en: 'from' },
  expired: { ru: 'истёк', en: 'expired' },
} as const satisfies Record<string, Words>;

const scopeNames: Readonly<Record<KeyScope, Words>> = {
  payments: {
    ru: 'Платежи: создание, подтверждение, отмена',
    en: 'Payments: create, confirm, cancel',
  },
  payouts: { ru: 'Выплаты: создание', en: 'Payouts: create' },
  read: { ru: 'Чтение', en: 'Read' },
};

const scopeHint: Words = {
  ru: 'Если не выбрана ни одна область, ключ работает для всего.',
  en: 'With no scope chosen the key works for everything.',
};

/** The fields of a new key. */
export const keyFields: readonly Field[] = [
  { name: 'label', label: common.label, hint: keyLabelHint, kind: 'text' },
  {
    name: 'expires_at',
    label: texts.expires,
    hint: texts.expiresHint,
    kind: 'time',
    optional: true,
  },
  { name: 'allowed_ips', label: texts.ips, hint: texts.ipsHint, kind: 'long', optional: true },
  ...keyScopes.map((scope, index): Field => ({
    name: `scope_${scope}`,
    label: scopeNames[scope],
    kind: 'switch',
    ...(index === keyScopes.length - 1 && { hint: scopeHint }),
  })),
];

/** The body of the command, from a form with these fields. */
export function keyBodyOf(values: Values): object {
  const { expires_at: until = '', allowed_ips: ips = '' } = values;
  const ranges = ips.split(/[\s,;]+/).filter((text) => text !== '');
  const scopes = keyScopes.filter((scope) => Boolean(values[`scope_${scope}`]));
  return {
    label: trimmedValue(values, 'label'),
    ...(until !== '' && { expires_at: timeIn(until) }),
    ...(ranges.length > 0 && { allowed_ips: ranges.map(rangeIn) }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** A browser leaves seconds out where they are zero. */
const timeIn = (local: string): string => `${local}${local.length === 16 ? ':00' : ''}Z`;

/** A single address is a range of one. */
function rangeIn(text: string): string {
  const family = isIP(text);
  return family === 0 ? text : `${text}/${family === 4 ? 32 : 128}`;
}

/** A key's label, with what limits it below. */
export function keyLabel({ t }: View, { label, limits }: Pick<ApiKey, 'label' | 'limits'>): Html {
  const { expires_at: until, allowed_ips: ips = [], scopes = [] } = limits;
  const lines = [
    ...(scopes.length > 0 ? [html`${t(texts.only)}: ${scopes.join(', ')}`] : []),
    ...(ips.length > 0 ? [html`${t(texts.from)} ${ips.join(', ')}`] : []),
    // With its year, which may be any.
    ...(until === undefined
      ? []
      : [html`${t(texts.until)} ${until.slice(0, 16).replace('T', ' ')} UTC`]),
  ];
  return html`${label}${lines.map((line) => html`<div class="muted small">${line}</div>`)}`;
}

export function keyBadge(
  { t }: View,
  { revokedAt, limits }: { revokedAt: string | undefined } & Pick<ApiKey, 'limits'>,
  nowMs: number,
): Html {
  if (revokedAt !== undefined) return badge('neutral', t(common.revoked), 'slash');
  return isExpired(limits, new Date(nowMs).toISOString())
    ? badge('neutral', t(texts.expired), 'slash')
    : badge('success', t(common.inForce));
}
