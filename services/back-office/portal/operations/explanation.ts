import { hasMoney, type Operation, type OperationStatus } from '#shared/domain/operation/state.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { PortalView } from '../env.ts';

/** What happened to an operation, and what support can tell the payer or the payee. */
type Explanations = Readonly<
  Partial<Record<OperationStatus | 'some_money' | 'receipt_under_review', Words>>
>;

const ofPayment: Explanations = {
  pending: {
    ru: 'Деньги ещё не пришли. Если плательщик уже перевёл, сверьте по его чеку время, сумму и номер получателя.',
    en: 'No money has come yet. If the payer has transferred, compare the time, the amount and the payee’s number on the receipt.',
  },
  some_money: {
    ru: 'Пришла часть суммы. Остальное можно перевести по тем же реквизитам.',
    en: 'Part of the amount has come. The rest can be transferred to the same requisites.',
  },
  awaiting_confirmation: {
    ru: 'Платёж ждёт чека. Плательщику: перевести деньги и загрузить чек на странице оплаты.',
    en: 'The payment waits for a receipt. The payer should transfer the money, and upload the receipt on the payment page.',
  },
  receipt_under_review: {
    ru: 'Чек получен и проверяется. Плательщику ничего делать не нужно.',
    en: 'The receipt has arrived and is being reviewed. The payer has nothing to do.',
  },
  manual_check: {
    ru: 'Чек проверяет оператор шлюза. Плательщику ничего делать не нужно; платить второй раз не надо.',
    en: 'An operator of the gateway is checking the receipt. The payer has nothing to do, and should not pay again.',
  },
  completed: { ru: 'Деньги пришли полностью.', en: 'All the money has come.' },
  partially_completed: {
    ru: 'Пришла только часть суммы, она зачислена. Остальное — новым платежом.',
    en: 'Only part of the amount came, and was credited. The rest needs a new payment.',
  },
  declined: {
    ru: 'Платёж отклонён, денег по нему нет. Если плательщик перевёл, попросите у него чек и обратитесь к оператору шлюза.',
    en: 'The payment was declined; there is no money for it. If the payer did transfer, ask for the receipt, and contact an operator of the gateway.',
  },
  expired: {
    ru: 'Срок оплаты вышел, а деньги не пришли. Если плательщик перевёл, попросите у него чек и обратитесь к оператору шлюза.',
    en: 'The time to pay ended, and no money had come. If the payer did transfer, ask for the receipt, and contact an operator of the gateway.',
  },
  cancelled: {
    ru: 'Магазин отменил платёж. Если плательщик успел перевести, попросите у него чек и обратитесь к оператору шлюза.',
    en: 'The shop cancelled the payment. If the payer had transferred by then, ask for the receipt, and contact an operator of the gateway.',
  },
};

const ofPayout: Explanations = {
  pending: {
    ru: 'Выплата отправляется, деньги на балансе зарезервированы. Повторять её не нужно.',
    en: 'The payout is on its way; the money is reserved on the balance. Do not repeat it.',
  },
  completed: {
    ru: 'Деньги отправлены получателю полностью.',
    en: 'All the money was sent to the payee.',
  },
  partially_completed: {
    ru: 'Получателю отправлена только часть суммы; остальное вернулось на баланс.',
    en: 'Only part of the amount was sent to the payee; the rest is back on the balance.',
  },
  declined: {
    ru: 'Выплата не прошла, резерв снят. Её можно создать снова с другим номером в магазине.',
    en: 'The payout failed; its reserve is released. It can be created anew with another merchant operation ID.',
  },
};

const lateMoney: Words = {
  ru: 'Деньги пришли уже после завершения. Что с ними делать, решает оператор шлюза: решение видно в таблице ниже.',
  en: 'Money came after the end. An operator of the gateway decides what to do with it: the table below shows the decision.',
};

export function explanation(
  { t }: PortalView,
  operation: Operation,
  { type, status, hasLateMoney }: OperationView & { hasLateMoney: boolean },
): string {
  if (hasLateMoney) return t(lateMoney);
  const explanations = type === 'payment' ? ofPayment : ofPayout;
  const key =
    status === 'awaiting_confirmation' && operation.receiptUnderReview !== undefined
      ? 'receipt_under_review'
      : status === 'pending' && type === 'payment' && hasMoney(operation)
        ? 'some_money'
        : status;
  const words = explanations[key];
  return words ? t(words) : '';
}
