import type { Context } from '../context.ts';
import {
  createLoadClient,
  type LoadClient,
  type LoadRequest,
} from '#infra/lab/load/http-client.ts';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { createOperation } from '../load/create.ts';
import type { Section } from '#infra/lab/report/section.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const clients = 64;
const operations = 2_000;

/**
 * States and balances, read by 64 clients, beside a row by its primary key: both over HTTP, through
 * Hono.
 */
export async function measureReads(context: Context): Promise<Section[]> {
  const path = await context.commandPath();
  const { servers, databaseUrl, eventStorePid, databasePid, shop } = path;
  const gateway = await path.startGateway();
  const env = { DATABASE_URL: databaseUrl };
  const primaryKey = await servers.start('infra/lab/bench/servers/primary-key.ts', {
    port: 'PORT',
    env,
  });
  const states = await makeStates(gateway.url, shop.apiKey);
  await load(primaryKey.url, states);
  await readEachOnce(gateway.url, shop.apiKey, states);

  const headers = { 'x-api-key': shop.apiKey };
  const byId = (route: string) => (): LoadRequest => {
    const id = states[Math.floor(Math.random() * states.length)]?.id ?? '';
    return { method: 'POST', path: route, headers, body: JSON.stringify({ operation_id: id }) };
  };
  const target = (
    name: string,
    url: string,
    more: { pids: number[]; request: () => LoadRequest },
  ): Case => ({
    name,
    ...(name !== selectName && { against: [selectName] }),
    run: async () => {
      const client = createLoadClient(url, clients);
      try {
        return await withCpu(more.pids, () =>
          closedLoop({ clients, durationMs: context.durationMs }, () =>
            expectOk(client, more.request()),
          ),
        );
      } finally {
        await client.close();
      }
    },
  });
  const gatewayPids = [gateway.pid, eventStorePid];
  const rows = await inRounds(
    [
      target(selectName, primaryKey.url, {
        pids: [primaryKey.pid, databasePid],
        request: byId('/read'),
      }),
      target('operation state', gateway.url, {
        pids: gatewayPids,
        request: byId('/v1/get_operation_state'),
      }),
      target('balances', gateway.url, {
        pids: gatewayPids,
        request: () => ({ method: 'GET', path: '/v1/balances', headers }),
      }),
    ],
    context,
  );
  const about = `Of ${operations} operations that were read before, any one at a time. Every answer has all that was acknowledged before it was asked for.`;
  return [{ name: `Reads, ${clients} clients`, about, rows, figures: [] }];
}

const selectName = 'primary-key select';

type Stored = { id: string; state: unknown };

async function makeStates(url: string, apiKey: string): Promise<Stored[]> {
  const client = createLoadClient(url, 16);
  const states: Stored[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (states.length < operations) {
        const state = JSON.parse(await createOperation(client, apiKey)) as { operation_id: string };
        states.push({ id: state.operation_id, state });
      }
    }),
  );
  await client.close();
  return states;
}

async function load(url: string, rows: readonly Stored[]): Promise<void> {
  const client = createLoadClient(url, 1);
  for (let at = 0; at < rows.length; at += 500) {
    const body = JSON.stringify(rows.slice(at, at + 500));
    await expectOk(client, { method: 'PUT', path: '/rows', body });
  }
  await client.close();
}

async function readEachOnce(url: string, apiKey: string, states: readonly Stored[]): Promise<void> {
  const client = createLoadClient(url, 16);
  const left = states.map(({ id }) => id);
  const read = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const body = JSON.stringify({ operation_id: id });
      await expectOk(client, {
        method: 'POST',
        path: '/v1/get_operation_state',
        headers: { 'x-api-key': apiKey },
        body,
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, read));
  await client.close();
}

async function expectOk(client: LoadClient, request: LoadRequest): Promise<void> {
  const { status, body } = await client.send(request);
  if (status >= 300) throw new Error(`${request.path} was answered with ${status} ${body}`);
}
