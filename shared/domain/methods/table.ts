import type { Currency } from '../currencies.ts';
import { rubBanks } from './banks.ts';
import type { DestinationKind } from './destinations.ts';

type InTwoLanguages = { ru: string; en: string };

/** Everything that the gateway has to know about a payment method. */
export type MethodEntry = {
  /** The only currency that the method takes. */
  currency: Currency;
  /** The kind of `number`: a card number is masked, a phone number is not (`destinations.ts`). */
  destination: DestinationKind;
  /** The banks that a payout may name, by code; empty if it names none. */
  banks: Readonly<Record<string, string>>;
  /** Texts of the hosted page: what the number is, and how to make the transfer. */
  payer: { number: InTwoLanguages; start: InTwoLanguages };
  /** Examples of the API's documents: their name, what they show, and a payout's destination. */
  example: {
    name: string;
    payment: string;
    payout: string;
    destination: { number: string; name?: string; bankname?: string };
  };
};

/** The payment methods. Adding one begins with an entry (CONTRIBUTING.md). */
export const table = {
  WT_RUB_C2C: {
    currency: 'RUB',
    destination: 'card',
    banks: {},
    payer: {
      number: { ru: 'Номер карты', en: 'Card number' },
      start: {
        ru: 'В приложении своего банка выберите перевод по номеру карты.',
        en: 'In your bank’s app, choose a transfer by card number.',
      },
    },
    example: {
      name: 'card',
      payment: 'By card number',
      payout: 'To a card',
      destination: { number: '2200 1234 5678 9012' },
    },
  },
  WT_RUB_PHONE: {
    currency: 'RUB',
    destination: 'phone',
    banks: rubBanks,
    payer: {
      number: { ru: 'Номер телефона', en: 'Phone number' },
      start: {
        ru: 'В приложении своего банка выберите перевод по номеру телефона (СБП) и укажите банк получателя.',
        en: 'In your bank’s app, choose a transfer by phone number (SBP) and select the recipient’s bank.',
      },
    },
    example: {
      name: 'phone',
      payment: 'By phone number',
      payout: 'To a phone number',
      destination: { number: '+79001234567', name: 'Иван И.', bankname: 'sberbank' },
    },
  },
} as const satisfies Record<string, MethodEntry>;
