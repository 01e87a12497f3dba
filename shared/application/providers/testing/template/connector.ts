import { z } from 'zod';
import { amountPattern } from '#shared/domain/money.ts';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import {
  attemptKey,
  type AttemptKnown,
  type CallBounds,
  type ProviderConnector,
} from '#shared/application/providers/connector.ts';
import {
  secretText,
  type CredentialsForm,
} from '#shared/application/providers/accounts/credentials.ts';
import { everyMethod } from '#shared/application/providers/facts.ts';
import {
  callProvider,
  type HttpAnswer,
  type ProviderHttpRequest,
} from '#shared/application/providers/http-call.ts';

const json = { 'content-type': 'application/json', accept: 'application/json' };

/** The credentials of an account with the provider; the console shows these names. */
export const templateCredentials = {
  schema: z.strictObject({ key: secretText }),
  identity: [],
  callbacks: [],
  example: { key: 'template-example-key' },
} as const satisfies CredentialsForm;
const maxAnswerBytes = 64 * 1024;

/** An order as the provider returns it. */
const orderSchema = z.object({
  id: z.string().min(1),
  state: z.enum(['open', 'refused', 'done', 'failed']),
  reason: z.string().optional(),
  pay_to: z.string().optional(),
  paid: z.array(
    z.object({ id: z.string(), amount: z.string().regex(amountPattern), at: z.iso.datetime() }),
  ),
});
type Order = z.infer<typeof orderSchema>;

const checkedSchema = z.object({ opens: z.boolean() });

/** A provider that uses the gateway's keys as idempotency keys and is polled by them. */
export function createTemplateConnector({ url, key }: { url: string; key: string }): {
  connector: ProviderConnector;
  close(): Promise<void>;
} {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const client = createHttpClient(origin, { maxConnections: 64 });
  const headers = { ...json, authorization: `Bearer ${key}` };
  const call = (
    request: Pick<ProviderHttpRequest, 'method' | 'path' | 'body'>,
    bounds: CallBounds,
  ) => {
    const path = `${prefix}${request.path}`;
    return callProvider(
      client,
      { ...request, path, headers, maxAnswerBytes, repeatable: true },
      bounds,
    );
  };

  const connector: ProviderConnector = {
    name: 'template',
    carries: everyMethod,
    submissions: { repeatable: true, mayArriveForMs: 60_000 },
    reports: { by: 'polling', rhythm: { firstAfterMs: 2_000, everyMs: 3_000, longestMs: 10_000 } },

    async submit({ operationId, attempt, type, request }, bounds) {
      const { amount, currency, destination } = request;
      const body = JSON.stringify({
        type,
        amount,
        currency,
        ...(destination && { to: destination.number }),
      });
      const answer = await call(
        { method: 'PUT', path: pathOf(operationId, attempt), body },
        bounds,
      );
      if (!answer.ok) return { outcome: 'unknown', cause: answer.cause };
      return knownOf(readOrder(answer), attempt)?.answer ?? { outcome: 'unknown', cause: 'error' };
    },

    async ask({ operationId, attempt }, bounds) {
      const answer = await call({ method: 'GET', path: pathOf(operationId, attempt) }, bounds);
      if (!answer.ok) return { outcome: 'unknown', cause: answer.cause };
      if (isNotFound(answer)) return { outcome: 'not_found' };
      const known = knownOf(readOrder(answer), attempt);
      return known ? { outcome: 'known', ...known } : { outcome: 'unknown', cause: 'no order' };
    },

    async check(bounds) {
      const answer = await call({ method: 'GET', path: '/account' }, bounds);
      if (!answer.ok) return { outcome: 'unknown', cause: answer.cause };
      const response = checkedSchema.safeParse(jsonOf(answer)).data;
      if (answer.status === 200 && response?.opens === true) return { outcome: 'ok' };
      const refused = answer.status === 401 && response?.opens === false;
      return refused
        ? { outcome: 'refused' }
        : { outcome: 'unknown', cause: `status ${answer.status}` };
    },
  };
  return { connector, close: () => client.close() };
}

const pathOf = (operationId: string, attempt: number) =>
  `/orders/${attemptKey(operationId, attempt)}`;

/** The provider's response; undefined unless it is clearly the provider's own. */
function readOrder(answer: HttpAnswer): Order | undefined {
  const body = answer.status === 200 ? jsonOf(answer) : undefined;
  return orderSchema.safeParse(body).data;
}

/** Whether the provider itself has no such order; a 404 of a proxy does not prove it. */
function isNotFound(answer: HttpAnswer): boolean {
  return (
    answer.status === 404 &&
    z.object({ error: z.literal('no_such_order') }).safeParse(jsonOf(answer)).success
  );
}

function jsonOf({ contentType, body }: HttpAnswer): unknown {
  if (contentType !== 'application/json') return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const statusOf = {
  open: 'open',
  refused: 'declined',
  done: 'completed',
  failed: 'declined',
} as const;

function knownOf(order: Order | undefined, attempt: number): AttemptKnown | undefined {
  if (!order) return undefined;
  const { id, state, reason = 'no reason given', pay_to: number, paid } = order;
  const legs = paid.map((each) => ({
    // A leg id must be unique in its operation, whatever the scope of the provider's own ids.
    leg_id: `${id}/${each.id}`,
    amount: each.amount,
    completed_at: new Date(each.at).toISOString(),
    file: false,
  }));
  return {
    answer:
      state === 'refused'
        ? { outcome: 'refused', reason }
        : { outcome: 'accepted', providerReference: id, ...(number && { requisites: { number } }) },
    report: { attempt, status: statusOf[state], legs },
  };
}
