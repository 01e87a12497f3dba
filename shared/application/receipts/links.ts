import { createHmac, timingSafeEqual } from 'node:crypto';

export type ReceiptLinks = {
  /** An absolute URL that returns the receipt without an API key, for `lifetimeMs` (R10.8). */
  urlOf(operationId: string, receiptId: string): string;
  /** Whether `urlOf` made this path with its query, byte by byte, and it has not expired. */
  isValid(pathAndQuery: string): boolean;
};

export const receiptLinkLifetimeMs = 15 * 60_000;

export const receiptPath = '/receipts/:operation_id/:receipt_id';

type LinkSettings = {
  /** Without a slash at its end. */
  baseUrl: string;
  secret: string;
  /** During a rotation: links signed with it are valid too. */
  previousSecret?: string | undefined;
  lifetimeMs?: number;
  now?: () => number;
};

/** Signs links with HMAC-SHA256 over everything in them. */
export function createReceiptLinks({
  baseUrl,
  secret,
  previousSecret,
  lifetimeMs = receiptLinkLifetimeMs,
  now = Date.now,
}: LinkSettings): ReceiptLinks {
  const signed = (unsigned: string, key = secret) => {
    // With a name, so that nothing else that this secret may sign one day passes as a link.
    const signature = createHmac('sha256', key)
      .update(`receipt-link ${unsigned}`)
      .digest('base64url');
    return `${unsigned}&signature=${signature}`;
  };
  return {
    urlOf: (operationId, receiptId) => {
      const expires = Math.floor((now() + lifetimeMs) / 1000);
      return `${baseUrl}${signed(`/receipts/${operationId}/${receiptId}?expires=${expires}`)}`;
    },
    isValid: (pathAndQuery) => {
      const [, unsigned, expires] =
        /^(\/receipts\/[0-9a-f-]{36}\/[0-9a-f-]{36}\?expires=(\d{1,12}))&signature=[\w-]{43}$/.exec(
          pathAndQuery,
        ) ?? [];
      // The texts are compared, not the decoded bytes: a signature has only one spelling.
      const keys = previousSecret === undefined ? [secret] : [secret, previousSecret];
      const genuine =
        unsigned !== undefined && keys.some((key) => equal(signed(unsigned, key), pathAndQuery));
      return genuine && now() < Number(expires) * 1000;
    },
  };
}

function equal(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
