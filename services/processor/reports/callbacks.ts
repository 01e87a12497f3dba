import type { Hono } from 'hono';
import type { EventStore } from '#shared/event-store/index.ts';
import type { AppEnv } from '#shared/http/app.ts';
import { readBytes } from '#shared/http/body.ts';
import { Problem } from '#shared/http/problems.ts';
import { newId } from '#shared/ids.ts';
import type { Providers } from '#shared/providers/connector.ts';
import { takeReport } from '#shared/operations/take-report.ts';

const maxCallbackBytes = 256 * 1024;

/**
 * `POST /callbacks/:provider`: what a provider reports. 204 only once all of it is durable; whatever is undecided is
 * 503, upon which the provider reports again.
 */
export function callbackRoutes(
  app: Hono<AppEnv>,
  { store, providers, now }: { store: EventStore; providers: Providers; now(): number },
): void {
  app.post('/callbacks/:provider', async (c) => {
    const provider = c.req.param('provider');
    const connector = providers.get(provider);
    if (!connector) throw new Problem('route_not_found');
    const body = await readBytes(c, maxCallbackBytes);
    const read = connector.readCallback(c.req.raw.headers, body, now());
    if (!read.ok) {
      throw read.reason === 'signature'
        ? new Problem('signature_invalid')
        : new Problem('invalid_request', { detail: 'this is no callback of this provider' });
    }
    const { operationId, answer, report } = read;
    const taken = await takeReport(
      store,
      { operationId, provider, answer, report },
      { actor: `provider:${provider}`, correlationId: newId(), requestId: c.get('requestId') },
    );
    switch (taken.outcome) {
      case 'taken':
        return c.body(null, 204);
      case 'unknown_operation':
        throw new Problem('operation_not_found');
      case 'too_early':
        throw new Problem('not_ready', { detail: 'the operation is still being created' });
      case 'undecided':
        throw new Problem('not_ready', { detail: 'the report could not be kept yet', cause: taken.cause });
    }
  });
}
