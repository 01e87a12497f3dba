import type { MiddlewareHandler } from 'hono';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { MultipartForm } from '#shared/platform/http/multipart.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { KeyUse } from './key-use.ts';

export type MerchantEnv = AppEnv<{
  shop: Shop;
  keyId: string;
  /** The body, read before the request is handled: JSON text, or the form of a confirmation. */
  body?: Uint8Array;
  form?: MultipartForm;
}>;

/**
 * Binds the request to the shop of its API key, before anything else of it is read (R1.1).
 * @throws Problem api_key_required, api_key_invalid; not_ready when the log can't be read
 */
export function authenticate(
  directory: Pick<Directory, 'byApiKey'>,
  { keyUse, refused }: { keyUse?: Pick<KeyUse, 'seen'> | undefined; refused: RefusedCredentials },
): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    const apiKey = c.req.header('x-api-key');
    if (apiKey === undefined || apiKey === '') throw unauthorized('api_key_required');
    const found = await directory.byApiKey(apiKey).catch((cause: unknown) => {
      if (cause instanceof Problem) throw cause;
      throw new Problem('not_ready', { detail: 'the API key could not be checked', cause });
    });
    if (!found) {
      await refused.note(c, apiKey);
      throw unauthorized('api_key_invalid');
    }
    c.set('shop', found.shop);
    c.set('keyId', found.keyId);
    keyUse?.seen(found.keyId);
    await next();
    // A cache ignores X-API-Key, and could return one shop's balances to another.
    setAnswerHeader(c, 'cache-control', 'no-store');
  };
}

/** RFC 9110 asks for a challenge; no scheme is registered for a key in a header of its own. */
function unauthorized(code: 'api_key_required' | 'api_key_invalid'): Problem {
  return new Problem(code, { headers: { 'www-authenticate': 'ApiKey' } });
}
