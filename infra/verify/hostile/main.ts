import { randomInt } from 'node:crypto';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { attackAt, fuzz, type FuzzReport } from './fuzz.ts';
import { judgeExchange } from './judge.ts';
import { megabytes, memoryTable, probeMemory, type MemoryProbe } from './memory.ts';
import { crowd } from './crowd.ts';
import { exchangeRaw } from './raw-client.ts';
import { slowClients, slowOnes } from './slow.ts';
import { listTargets, type AttackTarget } from './targets.ts';
import { startAttackedStack, type AttackedStack } from './attacked-stack.ts';

const usage = `usage: npm run verify -- hostile [--minutes N] [--seed N] [--connections N] [--target <name>]
                               [--at N]

Sends hostile requests and slow clients to every port of a whole stack (docs/developers/hostile-input.md).

  --minutes <number>      default 1
  --seed <number>         repeats the requests of a run
  --connections <number>  idle connections; default 10000
  --target <name>         only one port, such as console
  --at <number>           only this request of the seed, and print its answer
`;
const { values } = readCommandLine(usage, {
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    connections: { type: 'string', default: '10000' },
    target: { type: 'string' },
    at: { type: 'string' },
  },
});
const [minutes, seed, connections] = [values.minutes, values.seed, values.connections].map(
  Number,
) as [number, number, number];
if (!(minutes > 0) || !Number.isSafeInteger(seed) || seed < 0 || !Number.isSafeInteger(connections))
  refuseCommandLine(usage, '--minutes takes a number above 0, --seed and --connections whole ones');
const print = (text: string) => void process.stdout.write(`${text}\n`);
const warmUp = 3_000;
const requests = 400;
const slowBoundMs = 150_000;

print(`seed ${seed}`);
const attacked = await startAttackedStack({ LOG_LEVEL: 'warn' });
let failures = 0;
try {
  const targets = listTargets(attacked).filter(
    ({ name }) => values.target === undefined || name === values.target,
  );
  if (values.at === undefined) failures = await everything(attacked, targets);
  else for (const target of targets) await once(target, Number(values.at));
} finally {
  await attacked.stop();
}
process.exitCode = failures > 0 ? 1 : 0;

async function once(target: AttackTarget, at: number): Promise<void> {
  const attack = attackAt(target, seed, at);
  print(Buffer.concat(attack.chunks).toString('latin1'));
  const result = await exchangeRaw(target.port, attack);
  print(JSON.stringify({ ...result, fault: judgeExchange(result, target.form) }, undefined, 2));
}

async function everything(
  subject: AttackedStack,
  targets: readonly AttackTarget[],
): Promise<number> {
  const memory = await probeMemory(subject.stack);
  const slow = slowClients(slowOnes(subject), slowBoundMs);
  // Caches and pools fill first; growth after that is unbounded.
  const first = await fuzz(targets, { seed, count: warmUp });
  const before = await memory.all();
  const endsAt = performance.now() + minutes * 60_000;
  const until = () => performance.now() >= endsAt;
  const long = await fuzz(targets, { seed, first: warmUp, count: Number.MAX_SAFE_INTEGER, until });
  const after = await memory.all();
  for (const report of [first, long]) printReport(report);
  print(memoryTable(before, after));
  const ends = await slow;
  for (const { name, endedAfterMs } of ends)
    print(`${name}: ended after ${(endedAfterMs / 1000).toFixed(1)} s`);
  const held = await idleConnections(subject, memory);
  memory.close();
  const endless = ends.filter(({ endedAfterMs }) => !Number.isFinite(endedAfterMs)).length;
  return first.findings.length + long.findings.length + endless + (held ? 0 : 1);
}

function printReport({ sent, statuses, slowestMs, findings }: FuzzReport): void {
  const counts = [...statuses]
    .toSorted(([left], [right]) => left - right)
    .map(([status, count]) => `${status || 'closed'} × ${count}`);
  print(
    `${sent} requests, the slowest answered after ${Math.round(slowestMs)} ms: ${counts.join(', ')}`,
  );
  for (const { target, at, kind, fault, request, answer } of findings) {
    print(
      `--seed ${seed} --target '${target}' --at ${at} (${kind}): ${fault}\n  ${request}\n  ${answer}`,
    );
  }
}

/** Whether all connections stayed open, and every concurrent request was answered. */
async function idleConnections(subject: AttackedStack, memory: MemoryProbe): Promise<boolean> {
  const alone = await crowd(subject, { connections: 0, requests });
  const before = await memory.measure('merchant-api');
  let during = before;
  const whileOpen = async () => {
    during = await memory.measure('merchant-api');
  };
  const { opened, held, openedInMs, failed, p50Ms, p99Ms } = await crowd(subject, {
    connections,
    requests,
    whileOpen,
  });
  const after = await memory.measure('merchant-api');
  const resident = [before, during, after].map(({ rssBytes }) => megabytes(rssBytes)).join(' → ');
  const heap = [before, during, after].map(({ heapBytes }) => megabytes(heapBytes)).join(' → ');
  print(
    [
      `${opened} of ${connections} idle connections opened in ${(openedInMs / 1000).toFixed(1)} s, ${held} held to the end`,
      `${requests} requests meanwhile, ${failed} failed: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (alone ${alone.p50Ms.toFixed(1)} and ${alone.p99Ms.toFixed(1)} ms)`,
      `merchant-api before → with them → after, MB: resident ${resident}, heap ${heap}`,
    ].join('\n'),
  );
  return held === connections && failed === 0;
}
