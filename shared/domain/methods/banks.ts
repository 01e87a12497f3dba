type InTwoLanguages = Readonly<Record<'ru' | 'en', string>>;

/** The RUB bank dictionary (R3.10): the stable code, and the bank's own names for people. */
const names: Readonly<Record<string, InTwoLanguages>> = {
  akbars: { ru: 'Ак Барс Банк', en: 'Ak Bars Bank' },
  alfabank: { ru: 'Альфа-Банк', en: 'Alfa-Bank' },
  gazprombank: { ru: 'Газпромбанк', en: 'Gazprombank' },
  mkb: { ru: 'Московский кредитный банк', en: 'Credit Bank of Moscow' },
  mtsbank: { ru: 'МТС Банк', en: 'MTS Bank' },
  otpbank: { ru: 'ОТП Банк', en: 'OTP Bank' },
  ozonbank: { ru: 'Озон Банк', en: 'Ozon Bank' },
  pochtabank: { ru: 'Почта Банк', en: 'Post Bank' },
  psb: { ru: 'Банк ПСБ', en: 'PSB' },
  raiffeisen: { ru: 'Райффайзенбанк', en: 'Raiffeisenbank' },
  rosbank: { ru: 'Росбанк', en: 'Rosbank' },
  rshb: { ru: 'Россельхозбанк', en: 'Russian Agricultural Bank' },
  sberbank: { ru: 'Сбербанк', en: 'Sberbank' },
  sovcombank: { ru: 'Совкомбанк', en: 'Sovcombank' },
  tbank: { ru: 'Т-Банк', en: 'T-Bank' },
  unicredit: { ru: 'ЮниКредит Банк', en: 'UniCredit Bank' },
  vtb: { ru: 'ВТБ', en: 'VTB' },
  yandexbank: { ru: 'Яндекс Банк', en: 'Yandex Bank' },
};

/** The names that the API and the events have. */
export const rubBanks: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(names).map(([code, { ru }]) => [code, ru]),
);

/** The bank's name for people, by its code in the currency's dictionary; only RUB has one. */
export const bankNameIn = (currency: string, code: string): string | undefined =>
  currency === 'RUB' && Object.hasOwn(rubBanks, code) ? rubBanks[code] : undefined;

/**
 * A bank's name on a page. Providers name banks in Russian, as the payers' banking apps do, so the
 * dictionary's English name comes first.
 */
export function bankLabel(
  language: keyof InTwoLanguages,
  { code, name }: { code?: string | null | undefined; name?: string | null | undefined },
): string {
  const known = code && Object.hasOwn(names, code) ? names[code] : undefined;
  const own = name ?? undefined;
  const label = language === 'en' ? (known?.en ?? own) : (own ?? known?.ru);
  return label ?? code ?? '';
}
