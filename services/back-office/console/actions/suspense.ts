import { findSuspense } from '#projections/suspense/query.ts';
import { isMoney, type SuspenseRow } from '#projections/suspense/table.ts';
import { fitsMoney } from '#shared/domain/ledger/direction.ts';
import { ledgerStream, moneyResolutions } from '#shared/domain/ledger/events.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { formatAmount, html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { resolveBody } from '../../api/suspense/routes.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import type { Action } from './action.ts';

export const resolutionNames = {
  credit_shop: { ru: 'Зачислить магазину', en: 'Credit the shop' },
  charge_shop: { ru: 'Списать с магазина', en: 'Charge the shop' },
  return: { ru: 'Деньги вернулись', en: 'Money returned' },
  write_off: { ru: 'Отнести на счёт шлюза', en: 'Write off to the gateway' },
  acknowledge: { ru: 'Принять к сведению', en: 'Acknowledge' },
} as const satisfies Record<string, Words>;

/** No money moves back for a difference: the provider pays it, or is paid. */
const withProvider = {
  return: { ru: 'Урегулировано с провайдером', en: 'Settled with the provider' },
} as const satisfies Record<string, Words>;

/** The names of resolutions for returned money, and for differences. */
const kindNames: Readonly<
  Partial<Record<SuspenseRow['kind'], Partial<Record<keyof typeof resolutionNames, Words>>>>
> = {
  payout_returned: {
    credit_shop: { ru: 'Зачислить магазину', en: 'Credit the shop' },
    return: { ru: 'Отправлено получателю снова', en: 'Resent to the payee' },
    write_off: { ru: 'Оставить у шлюза', en: 'Kept by the gateway' },
  },
  payment_charged_back: {
    charge_shop: { ru: 'Списать с магазина', en: 'Charge the shop' },
    return: { ru: 'Провайдер вернул деньги', en: 'Returned by the provider' },
    write_off: { ru: 'За счёт шлюза', en: 'Borne by the gateway' },
  },
  transfer_corrected: withProvider,
  return_corrected: withProvider,
  approved_money_missing: withProvider,
};

export const resolutionName = (
  kind: SuspenseRow['kind'],
  resolution: keyof typeof resolutionNames,
): Words => kindNames[kind]?.[resolution] ?? resolutionNames[resolution];

/** The names of late money: money that came in, or was returned in either direction. */
export const suspenseMoneyNames: Readonly<Partial<Record<SuspenseRow['kind'], Words>>> = {
  payout_returned: { ru: 'Выплата вернулась', en: 'Payout returned' },
  payment_charged_back: {
    ru: 'Платёж оспорен, деньги возвращены плательщику',
    en: 'Payment charged back',
  },
  transfer_corrected: { ru: 'Перевод исправлен', en: 'Transfer corrected' },
  return_corrected: { ru: 'Возврат исправлен', en: 'Return corrected' },
  approved_money_missing: {
    ru: 'Одобренные деньги не пришли',
    en: 'Approved money missing',
  },
};

/** What a decision on money does to the shop's balance. */
const effects = {
  credit_shop: { ru: 'баланс магазина вырастет', en: 'the shop’s balance increases' },
  charge_shop: { ru: 'баланс магазина уменьшится', en: 'the shop’s balance decreases' },
  return: { ru: 'баланс магазина прежний', en: 'the shop’s balance does not change' },
  write_off: { ru: 'баланс магазина прежний', en: 'the shop’s balance does not change' },
} as const satisfies Record<string, Words>;

const texts = {
  changed: { ru: 'Учтено → сообщает провайдер', en: 'Counted → the provider reports' },
  beyond: { ru: 'Из них сверх суммы перевода', en: 'Of this, in excess of the transfer' },
} as const satisfies Record<string, Words>;

export const resolveLate: Action = {
  path: '/suspense/:entry_id/resolve',
  route: 'POST /admin/v1/suspense/:entry_id/resolve',
  title: { ru: 'Решение по невыясненной сумме', en: 'Resolve a suspense entry' },
  explain: {
    ru: 'Деньги уходят со счёта невыясненных сумм согласно решению. Решение окончательно; ошибку исправляют корректировкой.',
    en: 'The money leaves the suspense account as you decide. The decision is final; correct a mistake with an adjustment.',
  },
  button: { ru: 'Подтвердить решение', en: 'Confirm the decision' },
  danger: true,
  done: { ru: 'Решение записано.', en: 'The decision is recorded.' },
  prepare: async ({ db, store }, { params, view: { t, language } }) => {
    const row = await fromDatabase(findSuspense(db, readPathId(params['entry_id'])));
    if (!row) throw new Problem('not_found');
    const operation = await fromStore(readOperation(store, row.operation_id));
    const { currency, amount, kind, counted_amount: counted, reported_amount: reported } = row;
    const inCurrency = (value: string | null) =>
      value === null || currency === null ? undefined : formatAmount(language, value, currency);
    const money = operation &&
      amount !== null && {
        operationType: operation.type,
        ofLegId: row.of_leg_id ?? undefined,
        amount,
      };
    const possible = isMoney(row)
      ? moneyResolutions.filter((each) => money && fitsMoney(each, money))
      : (['acknowledge'] as const);
    const name = suspenseMoneyNames[kind];
    const choiceLabel = (value: (typeof possible)[number]) =>
      value === 'acknowledge'
        ? t(resolutionNames.acknowledge)
        : `${t(resolutionName(kind, value))}: ${t(effects[value])}`;
    return {
      about: [
        [
          t(common.operationId),
          html`<a href="/operations/${row.operation_id}"><code>${row.operation_id}</code></a>`,
        ],
        currency !== null && amount !== null
          ? [t(name ?? common.amount), inCurrency(amount)]
          : [
              t({ ru: 'Сообщено', en: 'Reported' }),
              html`<code>${row.reported_status ?? reported ?? ''}</code> ≠
                <code>${row.operation_status ?? counted ?? ''}</code>`,
            ],
        [
          t(texts.changed),
          counted && reported && currency && `${inCurrency(counted)} → ${inCurrency(reported)}`,
        ],
        [t(texts.beyond), inCurrency(row.beyond_amount)],
        [t(common.provider), row.provider],
      ],
      fields: [
        {
          name: 'resolution',
          label: { ru: 'Решение', en: 'Resolution' },
          kind: 'choice',
          choices: possible.map((value) => ({ value, text: choiceLabel(value) })),
        },
        { name: 'note', label: common.note, kind: 'long' },
      ],
    };
  },
  body: (values) => ({
    resolution: formValue(values, 'resolution'),
    note: trimmedValue(values, 'note'),
  }),
  check: (_, body) => void validate(resolveBody, body),
  streams: ({ answer }) => {
    const {
      operation_id: id,
      shop_id: shop,
      currency,
    } = answer as Record<string, string | undefined>;
    return [
      ...(id !== undefined ? [lateStream(id)] : []),
      ...(shop !== undefined && currency !== undefined ? [ledgerStream(shop, currency)] : []),
    ];
  },
};
