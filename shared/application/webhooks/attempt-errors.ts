import type { Words } from '#shared/application/pages/translations.ts';

/** Why an attempt failed; its English text is stored, and reveals no internal addresses. */
const unresolved: Words = {
  ru: 'имя сервера не найдено в DNS',
  en: 'the host name does not resolve',
};
const untrusted: Words = {
  ru: 'сертификату сервера нельзя доверять',
  en: 'the certificate is not one to trust',
};

/** By the code of the error. */
export const connectionErrors: Readonly<Record<string, Words>> = {
  ENOTFOUND: unresolved,
  ENODATA: unresolved,
  EAI_AGAIN: {
    ru: 'имя сервера сейчас не находится в DNS',
    en: 'the host name does not resolve for now',
  },
  ETIMEOUT: { ru: 'сервер DNS не отвечает', en: 'the name server does not answer' },
  ECONNREFUSED: { ru: 'сервер не принял соединение', en: 'the connection was refused' },
  ECONNRESET: {
    ru: 'соединение закрыто до ответа',
    en: 'the connection was closed before an answer',
  },
  EPIPE: { ru: 'соединение закрыто', en: 'the connection was closed' },
  EHOSTUNREACH: { ru: 'сервер недоступен', en: 'the host can not be reached' },
  ENETUNREACH: { ru: 'сеть недоступна', en: 'the network can not be reached' },
  ETIMEDOUT: { ru: 'соединение не установлено вовремя', en: 'the connection timed out' },
  HPE_HEADER_OVERFLOW: {
    ru: 'в ответе слишком много заголовков',
    en: 'the answer has too many headers',
  },
  ERR_INTERIM_OVERFLOW: {
    ru: 'слишком много промежуточных ответов',
    en: 'the answer has too many interim responses',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    ru: 'сертификат выдан другому серверу',
    en: 'the certificate is of another host',
  },
  CERT_HAS_EXPIRED: { ru: 'срок сертификата истёк', en: 'the certificate has expired' },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** Why the gateway sends nothing to a URL. */
export const urlRefusals = {
  stray: {
    ru: 'в адресе есть недопустимые знаки',
    en: 'it contains characters that no URL may have',
  },
  noUrl: { ru: 'это не адрес (URL)', en: 'it is not a URL' },
  noTls: { ru: 'адрес должен начинаться с https://', en: 'it must start with https://' },
  credentials: {
    ru: 'в адресе не должно быть имени и пароля',
    en: 'it must not contain a user name or password',
  },
  notPublic: {
    ru: 'это адрес внутренней сети: нужен доступный из интернета',
    en: 'its address is not public',
  },
} as const satisfies Record<string, Words>;

const redirected: Words = {
  ru: 'перенаправление: вебхуки за ним не идут',
  en: 'redirects are not followed',
};

/** Why an answer is no success. */
export const responseStatusError = (status: number): Words =>
  status >= 300 && status < 400
    ? redirected
    : { ru: `ответ со статусом ${status}`, en: `the endpoint answered ${status}` };

export const noAnswer = (seconds: number): Words => ({
  ru: `нет ответа за ${seconds} с`,
  en: `no answer within ${seconds} s`,
});

/** An error that has no text of its own. */
export const otherError = (code: string): Words => ({
  ru: `запрос не удался (${code})`,
  en: `the request failed (${code})`,
});

export const destinationRefused = ({ ru, en }: Words): Words => ({
  ru: `не отправлено: ${ru}`,
  en: `destination refused: ${en}`,
});

const fixed = [
  ...Object.values(connectionErrors),
  ...Object.values(urlRefusals).flatMap((refusal) => [refusal, destinationRefused(refusal)]),
  redirected,
];
const variable: readonly [RegExp, (part: string) => Words][] = [
  [/^the endpoint answered (\d+)$/, (status) => responseStatusError(Number(status))],
  [/^no answer within ([\d.]+) s$/, (seconds) => noAnswer(Number(seconds))],
  [/^the request failed \((.*)\)$/, otherError],
];

/** The words of a stored error; undefined for one that an earlier version worded differently. */
export function attemptErrorWords(stored: string): Words | undefined {
  const found = fixed.find(({ en }) => en === stored);
  if (found) return found;
  for (const [pattern, words] of variable) {
    const [, part] = pattern.exec(stored) ?? [];
    if (part !== undefined) return words(part);
  }
  return undefined;
}
