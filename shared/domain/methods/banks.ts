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
