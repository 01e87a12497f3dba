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

/** The bank's name for people, by its code in the currency's dictionary; only RUB has one. */
export const bankNameIn = (currency: string, code: string): string | undefined =>
  currency === 'RUB' && Object.hasOwn(rubBanks, code) ? rubBanks[code] : undefined;
