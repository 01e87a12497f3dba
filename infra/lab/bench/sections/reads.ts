import type { BenchContext } from '../context.ts';
import { withClient, type LoadClient, type LoadRequest } from '#infra/lab/load/http-client.ts';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { createAcceptedOperation } from '../load/create.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const clients = 64;
const operations = 2_000;

/**
 * States and balances read by 64 clients, compared with reading a row by its primary key: both over
 * HTTP, through Hono.
 */
export async function measureReads(context: BenchContext): Promise<BenchSection[]> {
  const path = await context.commandPath();
  const { servers, databaseUrl, eventStorePid, databasePid, shop } = path;
  const gateway = await path.startGateway();
  const env = { DATABASE_URL: databaseUrl };
  const primaryKey = await servers.start('infra/lab/bench/servers/primary-key.ts', {
    port: 'PORT',
    env,
  });
  const headers = { 'x-api-key': shop.apiKey };
  const byId = (route: string, id = ''): LoadRequest => ({
    method: 'POST',
    path: route,
    headers,
    body: JSON.stringify({ operation_id: id }),
  });
  const states = await atOnce(gateway.url, async (client) => {
    const state = JSON.parse(await createAcceptedOperation(client, shop.apiKey)) as State;
    await expectOk(client, byId(stateOf, state.operation_id));
    return state;
  });
  await withClient(primaryKey.url, 1, (client) =>
    expectOk(client, { method: 'PUT', path: '/rows', body: JSON.stringify(states) }),
  );

  const anyOperation = (route: string) => () =>
    byId(route, states[Math.floor(Math.random() * states.length)]?.operation_id);
  const target = (
    name: string,
    url: string,
    more: { pids: number[]; request: () => LoadRequest },
  ): Case => ({
    name,
    ...(name !== selectName && { against: [selectName] }),
    run: () =>
      withClient(url, clients, (client) =>
        withCpu(more.pids, () =>
          closedLoop({ clients, durationMs: context.durationMs }, () =>
            expectOk(client, more.request()),
          ),
        ),
      ),
  });
  const gatewayPids = [gateway.pid, eventStorePid];
  const rows = await inRounds(
    [
      target(selectName, primaryKey.url, {
        pids: [primaryKey.pid, databasePid],
        request: anyOperation('/read'),
      }),
      target('operation state', gateway.url, { pids: gatewayPids, request: anyOperation(stateOf) }),
      target('balances', gateway.url, {
        pids: gatewayPids,
        request: () => ({ method: 'GET', path: '/v1/balances', headers }),
      }),
    ],
    context,
  );
  const about = `Of ${operations} operations that were read before, any one at a time. Every answer has all that was acknowledged before it was requested.`;
  return [{ name: `Reads, ${clients} clients`, about, rows, figures: [] }];
}

const selectName = 'primary-key select';
const stateOf = '/v1/get_operation_state';

type State = { operation_id: string };

/** Makes all operations, sixteen at a time. */
async function atOnce(url: string, make: (client: LoadClient) => Promise<State>): Promise<State[]> {
  const states: State[] = [];
  await withClient(url, 16, (client) =>
    Promise.all(
      Array.from({ length: 16 }, async () => {
        while (states.length < operations) states.push(await make(client));
      }),
    ),
  );
  return states;
}

async function expectOk(client: LoadClient, request: LoadRequest): Promise<void> {
  const { status, body } = await client.send(request);
  if (status >= 300) throw new Error(`${request.path} was answered with ${status} ${body}`);
}
