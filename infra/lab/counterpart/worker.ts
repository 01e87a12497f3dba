import { Client } from 'pg';
import { signCallback } from '#shared/application/providers/sandbox/signature.ts';
import { createLoadClient, type LoadClient } from '../load/http-client.ts';
import { createPlainApp, listenOnPort, variable } from '../targets/serve.ts';
import { pool } from './database.ts';
import { report } from './end.ts';
import { readAttempt, timeoutMs, withdrawAtProvider } from './provider.ts';
import { claimOutboxRows, done, tryAgain, unsure, type OutboxRow } from './statements.ts';

// Sends the outbox: on NOTIFY, and once a second. Any number of workers can run.

const widest = 64;
const pausesS = [5, 300, 1_800, 7_200, 18_000];
const clients = new Map<string, LoadClient>();
let inFlight = 0;
let looking = false;
let again = false;

const complain = (error: unknown) => void process.stderr.write(`${String(error)}\n`);

async function look(): Promise<void> {
  again = true;
  if (looking) return;
  looking = true;
  try {
    while (again && inFlight < widest) {
      again = false;
      const free = widest - inFlight;
      const rows = await claimOutboxRows(pool, free);
      for (const row of rows) void attempt(row);
      again ||= rows.length === free;
    }
  } catch (error) {
    complain(error);
  } finally {
    looking = false;
  }
}

async function attempt(row: OutboxRow): Promise<void> {
  inFlight += 1;
  try {
    const result =
      row.kind === 'webhook'
        ? await post(row)
        : (await withdrawAtProvider(row.operation_id)).status;
    await done(pool, row.id, String(result));
  } catch (error) {
    const pauseS = pausesS[Math.min(row.attempts, pausesS.length) - 1];
    await tryAgain(pool, row.id, String(error).slice(0, 200), pauseS).catch(complain);
  } finally {
    inFlight -= 1;
    // Messages that came while it was full are still in the outbox.
    if (inFlight === widest - 1) void look();
  }
}

/** @throws unless the endpoint answers 2xx */
async function post({
  id,
  body,
  webhook_url: url,
  webhook_secret: secret,
}: OutboxRow): Promise<number> {
  const signed = signCallback(secret, { id, body: Buffer.from(body), nowMs: Date.now() });
  const { origin, pathname, search } = new URL(url);
  const client = clients.get(origin) ?? createLoadClient(origin, widest, timeoutMs);
  clients.set(origin, client);
  const path = `${pathname}${search}`;
  const { status } = await client.send({ method: 'POST', path, headers: { ...signed }, body });
  if (status >= 300) throw new Error(`the endpoint answered ${status}`);
  return status;
}

/**
 * Resolves creates that died between their two transactions, or got no answer, by polling the
 * provider.
 */
async function resolveUnsure(): Promise<void> {
  for (const { operation_id: id } of await unsure(pool)) await report(await readAttempt(id));
}

const listener = new Client({ connectionString: variable('DATABASE_URL') });
listener.on('notification', () => void look());
// A worker without notifications exits, and its supervisor restarts it.
listener.on('error', (error) => {
  complain(error);
  process.exit(1);
});
await listener.connect();
await listener.query('listen outbox');
setInterval(() => void look(), 1_000);
setInterval(() => void resolveUnsure().catch(complain), 5_000);
listenOnPort(createPlainApp());
