import { rubBanks } from '#shared/domain/methods/index.ts';
import type { Language } from '#shared/platform/pages/index.ts';
import type { VisibleDestination } from './visible-payment.ts';

/** The banks' own names in Latin letters; payers' banking apps list them in Russian. */
const latin: Readonly<Record<string, string>> = {
  akbars: 'Ak Bars Bank',
  alfabank: 'Alfa-Bank',
  gazprombank: 'Gazprombank',
  mkb: 'Credit Bank of Moscow',
  mtsbank: 'MTS Bank',
  otpbank: 'OTP Bank',
  ozonbank: 'Ozon Bank',
  pochtabank: 'Post Bank',
  psb: 'PSB',
  raiffeisen: 'Raiffeisenbank',
  rosbank: 'Rosbank',
  rshb: 'Russian Agricultural Bank',
  sberbank: 'Sberbank',
  sovcombank: 'Sovcombank',
  tbank: 'T-Bank',
  unicredit: 'UniCredit Bank',
  vtb: 'VTB',
  yandexbank: 'Yandex Bank',
};

/**
 * A bank's name: the provider's own, else the dictionary's; in English with the Latin name after
 * it.
 */
export function bankInWords(
  language: Language,
  { code = '', name }: NonNullable<VisibleDestination['bank']>,
): { russian: string; latin?: string } {
  const russian = name ?? (Object.hasOwn(rubBanks, code) ? (rubBanks[code] ?? code) : code);
  const other = language === 'en' && Object.hasOwn(latin, code) ? latin[code] : undefined;
  return { russian, ...(other !== undefined && other !== russian && { latin: other }) };
}
