import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '#infra/process/wait-until.ts';
import { killable, moments, type Killable, type NamedMoment } from '../moments.ts';
import type { PartProcess } from '../part-process.ts';
import type { RestartableWebhookService } from '../webhook-service.ts';
import { fewOperations, longestDelayMs, type CrashRow, type RowContext } from './row.ts';

/** Kills a process at a moment of its work, or at a random time. */
async function killAt(
  context: RowContext,
  {
    process,
    moment,
    sends,
  }: { process: PartProcess; moment: NamedMoment | undefined; sends: boolean },
): Promise<void> {
  const { load, random, fault } = context;
  await load.more(1 + random.below(fewOperations));
  if (moment) await process.until(moment);
  else await delay(random.below(longestDelayMs));
  await process.kill();
  if (sends) await context.noteInFlight();
  fault(moment?.name ?? 'at any time');
  process.start();
}

/** Kills the dispatcher while the endpoint has unanswered requests. */
async function killWhileSending(context: RowContext, process: PartProcess): Promise<void> {
  const { endpoint, load } = context;
  endpoint.hold(true);
  await load.more(fewOperations);
  await waitUntil('requests wait', () => endpoint.held() > 0, { timeoutMs: 120_000 });
  await process.kill();
  await context.noteInFlight();
  endpoint.hold(false);
  context.fault('while sending');
  process.start();
}

/** Kills the parts at each moment in turn, and at random times in between. */
function killing(
  parts: readonly Killable[],
  processOf: (service: RestartableWebhookService) => PartProcess,
): Pick<CrashRow, 'round'> {
  const sends = parts.includes('dispatch');
  let left: (NamedMoment | 'sending' | undefined)[] = [];
  return {
    round: async (context) => {
      if (left.length === 0) {
        left = context.random.shuffled([
          undefined,
          ...parts.flatMap((part) => moments[part]),
          ...(sends ? (['sending'] as const) : []),
        ]);
      }
      const moment = left.pop();
      const process = processOf(context.service);
      if (moment === 'sending') await killWhileSending(context, process);
      else await killAt(context, { process, moment, sends });
    },
  };
}

export const kills = (): CrashRow[] => [
  { name: 'kill -9 of the relay', ...killing(['relay'], ({ parts }) => parts.relay) },
  { name: 'kill -9 of the ingest', ...killing(['ingest'], ({ parts }) => parts.ingest) },
  { name: 'kill -9 of the dispatcher', ...killing(['dispatch'], ({ parts }) => parts.dispatch) },
  {
    name: 'kill -9 of the whole service',
    ...killing(killable, ({ whole }) => whole),
    // The parts are replaced by one process with all of them, and started again afterwards.
    begin: async ({ service: { parts, whole }, noteInFlight }) => {
      await Promise.all(Object.values(parts).map((part) => part.kill()));
      await noteInFlight();
      whole.start();
    },
    end: async ({ service: { parts, whole }, noteInFlight }) => {
      await whole.kill();
      await noteInFlight();
      for (const part of Object.values(parts)) part.start();
    },
  },
  {
    name: 'kill -9 of one of two services',
    ...killing(killable, ({ whole }) => whole),
    begin: async ({ service: { whole } }) => whole.start(),
    end: async ({ service: { whole }, noteInFlight }) => {
      await whole.kill();
      await noteInFlight();
    },
  },
];
