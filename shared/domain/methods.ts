/** The RUB bank dictionary (R3.10): the stable code and the bank's name for people. */
export const rubBanks: Readonly<Record<string, string>> = {
  akbars: 'Ак Барс Банк',
  alfabank: 'Альфа-Банк',
  gazprombank: 'Газпромбанк',
  mkb: 'Московский кредитный банк',
  mtsbank: 'МТС Банк',
  otpbank: 'ОТП Банк',
  ozonbank: 'Озон Банк',
  pochtabank: 'Почта Банк',
  psb: 'Банк ПСБ',
  raiffeisen: 'Райффайзенбанк',
  rosbank: 'Росбанк',
  rshb: 'Россельхозбанк',
  sberbank: 'Сбербанк',
  sovcombank: 'Совкомбанк',
  tbank: 'Т-Банк',
  unicredit: 'ЮниКредит Банк',
  vtb: 'ВТБ',
  yandexbank: 'Яндекс Банк',
};

/** The bank's name for people, by a code of the RUB dictionary. */
export const rubBankName = (code: string): string | undefined =>
  Object.hasOwn(rubBanks, code) ? rubBanks[code] : undefined;

export const methods = {
  WT_RUB_C2C: { currency: 'RUB', destination: 'card', banks: {} },
  WT_RUB_PHONE: { currency: 'RUB', destination: 'phone', banks: rubBanks },
} as const satisfies Record<
  string,
  { currency: string; destination: 'card' | 'phone'; banks: Readonly<Record<string, string>> }
>;

export type Method = keyof typeof methods;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(methods, name);
}

/** The bank's name for people, where the method has banks and knows the code. */
export function bankName(method: Method, code: string): string | undefined {
  const banks: Readonly<Record<string, string>> = methods[method].banks;
  return Object.hasOwn(banks, code) ? banks[code] : undefined;
}

export const currencies = ['EUR', 'RUB', 'USD', 'USDT'] as const;

/** What a payout's recipient is called when the merchant names none (R3.9). */
export const defaultRecipientName = 'аноним';
