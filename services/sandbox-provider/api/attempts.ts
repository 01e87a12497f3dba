import type { Context, Hono } from 'hono';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import {
  wireQuoteRequestSchema,
  wireSubmissionSchema,
  type WireQuote,
} from '#shared/application/providers/sandbox/wire.ts';
import { quoteFor } from '../attempt/quote.ts';
import { parseKey } from '../attempt/record.ts';
import type { SandboxEnv } from '../env.ts';
import type { SandboxAttemptRef, Sandbox } from '../sandbox.ts';

// The answer of a broken server: not JSON, and no hint whether the request was carried out.
const brokenPage = '<!doctype html><html><body><h1>500 Internal Server Error</h1></body></html>\n';

/** More than a merchant can send: the provider must accept what the gateway accepted. */
const maxSubmissionBytes = 256 * 1024;

/** The provider's own API for attempts: submit, quote, read, resolve, withdraw, each by key. */
export function registerAttempts(app: Hono<SandboxEnv>, sandbox: Sandbox): void {
  app.put('/v1/attempts/:key', async (c) => {
    const ref = parseAttemptRef(c);
    const body = validate(wireSubmissionSchema, await readJson(c, maxSubmissionBytes));
    const submitting = await sandbox.submit(ref, body, c.req.raw.signal);
    switch (submitting.outcome) {
      case 'answer':
        return c.json(submitting.snapshot);
      case 'failure':
        return c.html(brokenPage, 500);
      case 'gone':
        throw new Problem('not_ready', { detail: 'the service is stopping' });
      case 'other_body':
        throw new Problem('idempotency_body_mismatch', {
          detail: 'the key was used with another body',
        });
    }
  });

  app.get('/v1/attempts/:key', (c) => {
    const snapshot = sandbox.read(parseAttemptRef(c));
    if (!snapshot) throw new Problem('not_found', { detail: 'this key is unknown' });
    return c.json(snapshot);
  });
  app.post('/v1/attempts/:key/quote', async (c) => {
    const { key } = parseAttemptRef(c);
    const request = validate(wireQuoteRequestSchema, await readJson(c, maxSubmissionBytes));
    return c.json<WireQuote>({ key, ...quoteFor(request) });
  });
  app.post('/v1/attempts/:key/resolve', (c) => c.json(sandbox.resolve(parseAttemptRef(c))));
  app.post('/v1/attempts/:key/withdraw', (c) => c.json(sandbox.withdraw(parseAttemptRef(c))));
}

/**
 * The attempt and the calling account.
 * @throws Problem invalid_request when the key is not `<operation_id>.<attempt>`
 */
export function parseAttemptRef(c: Context<SandboxEnv>): SandboxAttemptRef {
  const key = c.req.param('key') ?? '';
  const parsed = parseKey(key);
  if (!parsed)
    throw new Problem('invalid_request', { detail: 'a key is <operation_id>.<attempt>' });
  const account = c.get('account');
  return { key, ...parsed, ...(account !== undefined && { account }) };
}
