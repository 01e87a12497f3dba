import { once } from 'node:events';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { textTable } from '#infra/verify/harness/figures/tables.ts';
import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

/** The memory of a process after a garbage collection. */
type Memory = { rssBytes: number; heapBytes: number };

export type MemoryProbe = Awaited<ReturnType<typeof probeMemory>>;

/** Processes without the gateway's own code, or without requests. */
const notAsked = new Set(['event-store', 'postgres', 'nats']);

/**
 * Queries a stack's services by Node's inspector, which they open on SIGUSR1; the stack must run
 * with `NODE_OPTIONS=--inspect-port=0`, so that each gets its own port.
 */
export async function probeMemory(stack: TestStack) {
  const pids = Object.entries(stack.pids()).filter(([name]) => !notAsked.has(name));
  const sockets = new Map<string, WebSocket>();
  await Promise.all(
    pids.map(async ([name, pid]) => {
      process.kill(pid, 'SIGUSR1');
      const pattern = new RegExp(`^${name} .*Debugger listening on (ws://\\S+)`, 'm');
      let url: string | undefined;
      const isOpen = () => (url = pattern.exec(stack.output())?.[1]) !== undefined;
      await eventually(`${name} opens its inspector`, isOpen);
      const socket = new WebSocket(url ?? '');
      await nextEvent(socket, 'open', name);
      sockets.set(name, socket);
    }),
  );
  const measure = async (service: string): Promise<Memory> => {
    const socket = sockets.get(service);
    if (!socket) throw new Error(`there is no service ${service}`);
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    const { data } = (await nextEvent(socket, 'message', service)) as { data: string };
    const { result } = (JSON.parse(data) as { result: { result: { value: string } } }).result;
    const { rss, heapUsed } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    return { rssBytes: rss, heapBytes: heapUsed };
  };
  return {
    measure,
    /** The memory of all services, or of the named ones. */
    all: async (names: readonly string[] = [...sockets.keys()]) => {
      const measured = names.map(async (name) => [name, await measure(name)] as const);
      return new Map(await Promise.all(measured));
    },
    close: () => {
      for (const socket of sockets.values()) socket.close();
    },
  };
}

/**
 * Twice, because what the first collection releases may hold more, and so that free pages return to
 * the system.
 */
const expression = `{
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc');
  const all = { type: 'major', execution: 'sync', flavor: 'last-resort' };
  collect(all);
  collect(all);
  JSON.stringify(process.memoryUsage());
}`;

/** The next event of that kind; an inspector sends nothing but answers. */
async function nextEvent(socket: WebSocket, type: string, service: string): Promise<unknown> {
  const signal = AbortSignal.timeout(waitLimitMs);
  const [event] = (await once(socket, type, { signal }).catch((cause: unknown) => {
    throw new Error(`the inspector of ${service} does not answer`, { cause });
  })) as [unknown];
  return event;
}

export const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** Heap and resident memory of each service, before and after. */
export function memoryTable(
  before: ReadonlyMap<string, Memory>,
  after: ReadonlyMap<string, Memory>,
): string {
  const rows = [...before].map(([name, was]) => {
    const is = after.get(name) ?? was;
    const change = (key: keyof Memory) => `${megabytes(was[key])} → ${megabytes(is[key])}`;
    return [name, change('heapBytes'), change('rssBytes')];
  });
  return textTable([['MB', 'heap', 'resident'], ...rows]);
}
