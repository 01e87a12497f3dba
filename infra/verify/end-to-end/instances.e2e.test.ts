import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { query } from '#infra/verify/harness/stores/database.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import {
  askAdmin,
  commandSandbox,
  merchantForFile,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

const stack = stackForFile({ instances: 2 });
const merchant = merchantForFile(stack, {
  settings: { rate_limit: { per_second: 1_000, burst: 2_000 } },
});
/** A frozen instance accepts connections but never answers, so clients soon give up. */
const frozenMs = 3_000;
/** Longer than the slowest start of twelve processes on two cores: only a hang takes that long. */
const hangsMs = 20_000;

type Reply = { status: number; body: { operation_id?: string; status?: string } };

/** Sends over a new connection, to the instance that the kernel picks. @throws on a timeout */
function send(
  path: string,
  body: object,
  patienceMs: number,
  apiKey = merchant.apiKey,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const signal = AbortSignal.timeout(patienceMs);
    const sent = httpRequest(
      `${stack.urls.gateway}${path}`,
      { method: 'POST', headers, agent, signal },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as Reply['body'] });
        });
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

const payment = (key: string) => ({
  merchant_operation_id: key,
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
});

/**
 * Repeats the same request until it is answered, as a careful client does. @returns the
 * reasons of the repeats
 */
async function sendUntilAnswered(
  path: string,
  body: object,
  patienceMs: number,
): Promise<{ reply: Reply; repeats: string[] }> {
  const repeats: string[] = [];
  for (;;) {
    const reply = await send(path, body, patienceMs).catch((error: unknown) =>
      String((error as NodeJS.ErrnoException).code),
    );
    if (typeof reply !== 'string' && reply.status !== 503) return { reply, repeats };
    repeats.push(typeof reply === 'string' ? reply : '503');
    await delay(50);
  }
}

async function rowOf(id: string): Promise<string | undefined> {
  const text = 'select status from gateway.operations where operation_id = $1';
  const [row] = await query<{ status: string }>(stack.env['DATABASE_URL'] ?? '', text, [id]);
  return row?.status;
}

/** The time until a completion by the provider is recorded, sent by webhook and visible in SQL. */
async function endToEnd(
  key: string,
): Promise<Record<'created' | 'completed' | 'delivered' | 'in SQL', number>> {
  const beganAt = performance.now();
  const since = () => Math.round(performance.now() - beganAt);
  const { reply } = await sendUntilAnswered('/v1/payment', payment(key), frozenMs);
  expect(reply.status).toBe(200);
  const created = since();
  const id = reply.body.operation_id ?? '';
  await commandSandbox(stack.urls.sandbox, id);
  const within = { intervalMs: 50 };
  const isCompleted = async () =>
    (await sendUntilAnswered('/v1/get_operation_state', { operation_id: id }, frozenMs)).reply.body
      .status === 'completed';
  await eventually('it is completed', isCompleted, within);
  const completed = since();
  await eventually(
    'its webhook is delivered',
    () => merchant.deliveries.some(({ operationId }) => operationId === id),
    within,
  );
  const delivered = since();
  await eventually('it is in SQL', async () => (await rowOf(id)) === 'completed', within);
  return { created, completed, delivered, 'in SQL': since() };
}

/** The only legal decline here: the provider did not answer before the acceptance timeout. */
const waitedOut = { reason: 'acceptance_timeout', early: false };

/**
 * Why a create was declined, and whether that was before its acceptance timeout, according to its
 * events.
 */
async function whyDeclined(id: string): Promise<unknown> {
  let events: { type: string; timestamp: string; data: Record<string, string> }[] = [];
  // The admin service is also restarted.
  await eventually('its events are read', async () => {
    const read = askAdmin(stack, 'GET', `/operations/${id}/events`);
    const { status, body } = await read.catch(() => ({ status: 0, body: undefined }));
    events = status === 200 ? body.events : [];
    return status === 200;
  });
  const admitted = events.find(({ type }) => type === 'OperationAdmitted');
  const end = events.find(({ type }) => type === 'OperationDeclined');
  if (!admitted || !end) return events;
  const early = Date.parse(end.timestamp) < Date.parse(admitted.data['accept_until'] ?? '') - 1_000;
  const reason = end.data['reason'];
  return reason === waitedOut.reason ? { reason, early } : events;
}

/** The processes of an instance: `gateway` runs every service but the read models. */
const kinds = ['gateway', 'projections'] as const;

describe('two instances of each service', () => {
  // Passes whichever instance leads; freezing each in turn takes half a minute more.
  it.each(process.env['THOROUGH'] ? [1, 2] : [1])(
    'take over when number %i of each is frozen, and continue once it resumes',
    async (number) => {
      const names = kinds.map((kind) => (number === 1 ? kind : `${kind}-${number}`));
      const frozen = names.map((name) => stack.pids()[name] ?? 0);
      expect(frozen).not.toContain(0);
      await Promise.all(frozen.map(freeze));
      try {
        const took = await endToEnd(`frozen-${number}`);
        // oxlint-disable-next-line no-console -- prints the figures of the run
        console.info(`number ${number} of each frozen, ms: ${JSON.stringify(took)}`);
      } finally {
        // The supervisor may have replaced a frozen one.
        for (const pid of frozen)
          if (Object.values(stack.pids()).includes(pid)) process.kill(pid, 'SIGCONT');
      }
      await stack.waitReady();
      await endToEnd(`thawed-${number}`);
    },
  );

  it('restart in turn under load: clients retry, and few creates time out', async () => {
    let sending = true;
    const enough = 20;
    const sent: { id: string; repeats: string[] }[] = [];
    const declined: typeof sent = [];
    const client = async (name: string) => {
      for (let count = 0; sending || sent.length < enough; count += 1) {
        const { reply, repeats } = await sendUntilAnswered(
          '/v1/payment',
          payment(`rolling-${name}-${count}`),
          hangsMs,
        );
        const id = reply.body.operation_id ?? '';
        const { status } = reply;
        const became =
          status === 422 ? await whyDeclined(id) : { status, became: reply.body.status };
        expect([{ status: 200, became: 'pending' }, waitedOut]).toContainEqual(became);
        (status === 200 ? sent : declined).push({ id, repeats });
        await delay(100);
      }
    };
    const clients = ['a', 'b', 'c'].map(client);
    try {
      for (const suffix of ['', '-2']) {
        const names = kinds.map((kind) => `${kind}${suffix}`);
        const old = names.map((name) => stack.pids()[name] ?? 0);
        for (const name of names) stack.kill(name, 'SIGTERM');
        await stack.waitReady(old);
      }
    } finally {
      sending = false;
      await Promise.all(clients);
    }
    const repeats = [...sent, ...declined].flatMap((each) => each.repeats);
    // oxlint-disable-next-line no-console -- prints the figures of the run
    console.info(
      `rolling restart: ${sent.length} creates, ${declined.length} declined, sent again: ${JSON.stringify(repeats)}`,
    );
    // At most the requests in flight when an instance stops.
    expect(declined.length).toBeLessThanOrEqual(2 * clients.length);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    // Only broken connections and 503.
    expect(repeats.filter((why) => !/^(ECONNRESET|ECONNREFUSED|EPIPE|503)$/.test(why))).toEqual([]);
    await endToEnd('after');
  });

  it('share one rate limit and one list of API keys', async () => {
    const [perSecond, burst] = [1, 60];
    const settings = { rate_limit: { per_second: perSecond, burst } };
    const statusFor = async ({ apiKey }: TestMerchant) =>
      (await send('/v1/get_operation_state', {}, hangsMs, apiKey)).status;
    /** How many of three bursts' requests are allowed beyond one burst and its refill. */
    const tooMany = async (): Promise<number> => {
      const fresh = await setUpMerchant(stack, { settings });
      const beganAt = performance.now();
      let allowed = 0;
      for (let count = 0; count < 3 * burst; count += 5) {
        const statuses = await Promise.all(Array.from({ length: 5 }, () => statusFor(fresh)));
        allowed += statuses.filter((status) => status !== 429).length;
      }
      await fresh.close();
      return allowed - burst - (perSecond * (performance.now() - beganAt)) / 1_000;
    };
    // Instances that count separately would allow a whole burst more; a shared count only
    // what they allow before they are synchronised. A restarted one counts alone until it has
    // connected to NATS.
    await eventually('they count together', async () => (await tooMany()) < burst / 2);

    const limited = await setUpMerchant(stack, { settings });
    const ask = () => statusFor(limited);
    expect(await ask()).not.toBe(401);
    const { body } = await askAdmin(stack, 'GET', `/shops/${limited.shopId}/api-keys`);
    const [key] = (body.items ?? body.api_keys) as { key_id: string }[];
    const revoked = await askAdmin(stack, 'DELETE', `/api-keys/${key?.key_id}`);
    expect(revoked.status).toBeLessThan(300);
    expect(new Set(await Promise.all(Array.from({ length: 10 }, ask)))).toEqual(new Set([401]));
    await limited.close();
  });

  it('pass the audit afterwards', async () => {
    await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
  });
});
