import { autopilotMs } from '#infra/lab/load/generator/kinds.ts';
import { attemptKey } from '#shared/application/providers/connector.ts';
import { isSignedWithSecret } from '#shared/application/providers/sandbox/signature.ts';
import {
  wirePaths,
  wireSnapshotSchema,
  type WireSnapshot,
} from '#shared/application/providers/sandbox/wire.ts';
import { createLoadClient } from '../load/http-client.ts';
import { variable } from '../targets/serve.ts';
import type { CounterpartOperation } from './statements.ts';

/** As the gateway waits. */
export const timeoutMs = 15_000;
const client = createLoadClient(variable('PROVIDER_URL'), 64, timeoutMs);
const secret = variable('SANDBOX_CALLBACK_SECRET');
const headers = { authorization: `Bearer ${variable('SANDBOX_API_KEY')}` };

/** Under load; a test settles by commands. */
const settlesAlone = variable('SETTLES_ALONE') === '1';

/** @throws when the provider gives no answer: it may have accepted the call */
async function call(method: 'PUT' | 'POST', path: string, body: object): Promise<WireSnapshot> {
  const answer = await client.send({ method, path, headers, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`the provider answered ${answer.status}`);
  return wireSnapshotSchema.parse(JSON.parse(answer.body));
}

type Submission = Pick<
  CounterpartOperation,
  'operation_id' | 'type' | 'method' | 'amount' | 'currency'
> & {
  client_id: string;
  number: string | undefined;
};

export const submit = ({
  operation_id: id,
  type,
  number,
  ...more
}: Submission): Promise<WireSnapshot> =>
  call('PUT', wirePaths.attempt(firstAttemptKey(id)), {
    type,
    ...more,
    ...(number !== undefined && type === 'payout' && { destination: { number } }),
    ...(settlesAlone && { options: { autopilot_ms: autopilotMs[type] } }),
  });

export const withdrawAtProvider = (operationId: string): Promise<WireSnapshot> =>
  call('POST', wirePaths.withdraw(firstAttemptKey(operationId)), {});

/** The state of a submission; one that never arrived is refused from then on. */
export const readAttempt = (operationId: string): Promise<WireSnapshot> =>
  call('POST', wirePaths.resolve(firstAttemptKey(operationId)), {});

/** The content of a callback; undefined without a valid signature. */
export function readCallback(sent: Headers, body: Uint8Array): WireSnapshot | undefined {
  if (!isSignedWithSecret(secret, sent, { body, nowMs: Date.now() })) return undefined;
  return wireSnapshotSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
}

const firstAttemptKey = (operationId: string) => attemptKey(operationId, 1);
