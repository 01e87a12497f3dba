import { Pool, type Dispatcher } from 'undici';
import type { Logger } from '#shared/logger.ts';
import { callProvider } from '../http-call.ts';
import { attemptKey, type CallBounds, type ProviderConnector } from '../connector.ts';
import { isSignedBy } from './signature.ts';
import { answerOf, reportOf, toWire } from './translate.ts';
import { wirePaths, wireSnapshotSchema, type WireSnapshot } from './wire.ts';

const maxAnswerBytes = 256 * 1024;
/** Calls that hang hold a connection each; a bound on them all. */
const maxConnections = 512;

export type SandboxSettings = { url: string; apiKey: string; callbackSecret: string; logger: Logger };

type Reply = { ok: true; snapshot: WireSnapshot } | { ok: false; cause: 'timeout' | 'error' };

/** The sandbox provider over HTTP (docs/sandbox-provider.md). */
export function createSandboxConnector({ url, apiKey, callbackSecret, logger }: SandboxSettings): {
  connector: ProviderConnector;
  close(): Promise<void>;
} {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const pool: Dispatcher = new Pool(origin, { connections: maxConnections, pipelining: 1 });
  const authorization = `Bearer ${apiKey}`;

  async function call(
    request: { method: 'POST' | 'PUT'; path: string; key: string; body?: unknown },
    bounds: CallBounds,
  ): Promise<Reply> {
    const outcome = await callProvider(
      pool,
      {
        method: request.method,
        path: `${prefix}${request.path}`,
        headers: { authorization, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(request.body ?? {}),
        maxAnswerBytes,
      },
      bounds,
    );
    const read = outcome.ok ? readSnapshot(outcome, request.key) : outcome;
    if ('snapshot' in read) return { ok: true, snapshot: read.snapshot };
    logger.warn({ provider: 'sandbox', key: request.key, fault: read.fault }, 'no answer of the provider');
    return { ok: false, cause: outcome.ok ? 'error' : outcome.cause };
  }

  const connector: ProviderConnector = {
    name: 'sandbox',

    async submit(submission, bounds) {
      const key = attemptKey(submission.operationId, submission.attempt);
      const path = wirePaths.attempt(key);
      const reply = await call({ method: 'PUT', path, key, body: toWire(submission) }, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      return answerOf(reply.snapshot) ?? { outcome: 'unknown', cause: 'error' };
    },

    async ask({ operationId, attempt }, bounds) {
      const key = attemptKey(operationId, attempt);
      const reply = await call({ method: 'POST', path: wirePaths.resolve(key), key }, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      if (reply.snapshot.acceptance === 'void') return { outcome: 'never_submitted' };
      const answer = answerOf(reply.snapshot);
      if (!answer) return { outcome: 'unknown', cause: 'undecided' };
      return { outcome: 'known', answer, report: reportOf(reply.snapshot) };
    },

    async withdraw({ operationId, attempt }, bounds) {
      const key = attemptKey(operationId, attempt);
      const reply = await call({ method: 'POST', path: wirePaths.withdraw(key), key }, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      const { status } = reply.snapshot;
      if (status === 'open') return { outcome: 'unknown', cause: 'still open' };
      if (status === 'completed' || status === 'partially_completed')
        return { outcome: 'refused', reason: status };
      return { outcome: 'withdrawn' };
    },

    readCallback(headers, body, nowMs) {
      if (!isSignedBy(callbackSecret, headers, { body, nowMs })) return { ok: false, reason: 'signature' };
      const snapshot = parseSnapshot(body);
      const answer = snapshot && answerOf(snapshot);
      if (!snapshot || !answer || snapshot.acceptance === 'void') return { ok: false, reason: 'malformed' };
      return { ok: true, operationId: snapshot.operation_id, answer, report: reportOf(snapshot) };
    },
  };

  return { connector, close: () => pool.destroy() };
}

/** Only a 200 with JSON of the right shape about the attempt that was asked for is an answer of the provider. */
function readSnapshot(
  answer: { status: number; contentType: string; body: Uint8Array },
  key: string,
): { snapshot: WireSnapshot } | { fault: string } {
  if (answer.status !== 200) return { fault: `status ${answer.status}` };
  if (answer.contentType !== 'application/json') return { fault: 'not application/json' };
  const snapshot = parseSnapshot(answer.body);
  if (!snapshot) return { fault: 'not a snapshot' };
  return snapshot.key === key ? { snapshot } : { fault: 'a snapshot of another attempt' };
}

function parseSnapshot(body: Uint8Array): WireSnapshot | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  const parsed = wireSnapshotSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { key, operation_id, attempt } = parsed.data;
  return key === attemptKey(operation_id, attempt) ? parsed.data : undefined;
}
