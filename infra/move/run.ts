import { setTimeout as delay } from 'node:timers/promises';
import { borrowStores } from '#infra/stores/borrow-stores.ts';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import { hostOf } from '#infra/stores/stores-file.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { createProgress } from '#shared/platform/progress.ts';
import type { Arguments } from './arguments.ts';
import { translateCheckpoints } from './checkpoints.ts';
import { AlreadyMoved, NotACopy } from './compare.ts';
import { finish, newestOf, refuseOtherMove, reopen } from './finish.ts';
import { connectLog, type Logs } from './logs.ts';
import { startCopying, type Copying } from './move.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);
const warn = (text: string) => void process.stderr.write(`${text}\n`);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Copies as the command line says. @returns the exit code */
export async function runMove(args: Arguments, signal: AbortSignal): Promise<number> {
  try {
    return await withStores(args, signal);
  } catch (error) {
    warn(signal.aborted ? 'Stopped: run it again to go on.' : messageOf(error));
    return error instanceof NotACopy ? 3 : 1;
  }
}

async function withStores(args: Arguments, signal: AbortSignal): Promise<number> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const borrowed = await borrowStores(DATA_DIR, process.env, { withDatabase: args.finish });
  try {
    const { databaseUrl, eventStoreUrl } = borrowed;
    const [from, to] = [hostOf(eventStoreUrl), hostOf(args.to)];
    if (from === to) throw new NotACopy(`${to} is the store of the gateway: name an empty one.`);
    const [source, target] = await Promise.all([
      within(`the event store can't be reached (${from})`, connectLog(eventStoreUrl)),
      within(`the target can't be reached (${to})`, connectLog(args.to)),
    ]);
    const logs = { source, target };
    const isFollowed =
      findRunningStack(DATA_DIR) !== undefined || Boolean(process.env['EVENT_STORE_URL']);
    try {
      if (args.finish || args.reopen) await refuseOtherMove(source, to);
      if (args.reopen) return await takeBack(logs);
      return await copy(logs, {
        finish: args.finish,
        from,
        to,
        isFollowed,
        signal,
        url: args.to,
        databaseUrl,
      });
    } finally {
      await within('', Promise.all([source.close(), target.close()])).catch(() => undefined);
    }
  } finally {
    await borrowed.release();
  }
}

async function takeBack({ source, target }: Logs): Promise<number> {
  const [newest, there] = [await newestOf(source), await newestOf(target)];
  // An earlier move's event is in both.
  if (there?.type === 'LogMoved' && there.revision > (newest?.revision ?? -1))
    throw new NotACopy('The log was moved to this target: what it has by now would be lost.');
  say(
    (await reopen(source, 'taken back by --reopen'))
      ? 'The log takes appends again.'
      : 'The log is not closed.',
  );
  return 0;
}

type CopyOptions = {
  /** The hosts of the two stores, and the connection string of the target. */
  from: string;
  to: string;
  url: string;
  databaseUrl: string | undefined;
  finish: boolean;
  isFollowed: boolean;
  signal: AbortSignal;
};

async function copy(logs: Logs, options: CopyOptions): Promise<number> {
  const { signal } = options;
  const end = { position: await logs.source.raw.head() };
  const progress = createProgress();
  let troubled = '';
  const copying = startCopying(logs, {
    signal,
    onProgress: (copied) => progress.update({ ...copied, until: end.position }),
    onTrouble: (error) => {
      if (messageOf(error) !== troubled) warn(`${messageOf(error)}: trying again …`);
      troubled = messageOf(error);
    },
  });
  try {
    try {
      await copying.catchUp();
    } catch (error) {
      if (!(error instanceof AlreadyMoved && options.finish)) throw error;
      say(error.message);
      return await adopt(logs, options);
    }
    progress.clear();
    if (!signal.aborted) say(`Copied: ${summary(copying)}`);
    if (options.finish && !signal.aborted) return await move(logs, copying, options);
    if (options.isFollowed && !signal.aborted) await follow(logs, { copying, end, signal });
    if (signal.aborted) say(`Stopped at ${copying.events()} events: run it again to go on.`);
    return 0;
  } finally {
    progress.clear();
    await copying.close().catch(() => undefined);
  }
}

type Follow = { copying: Copying; end: { position: number }; signal: AbortSignal };

const followEveryMs = 250;

async function follow({ source }: Logs, { copying, end, signal }: Follow): Promise<void> {
  say('Following what is appended, until Ctrl-C; --finish moves the gateway.');
  while (!signal.aborted) {
    await delay(followEveryMs, undefined, { signal }).catch(() => undefined);
    end.position = Math.max(end.position, await source.raw.head().catch(() => 0));
    await copying.catchUp();
  }
}

async function move(logs: Logs, copying: Copying, options: CopyOptions): Promise<number> {
  say('The log is closed: nothing is appended to it from now on, and reads go on.');
  const { closedMs } = await finish(logs, copying, options);
  say(`Moved: ${summary(copying)}`);
  say(
    `The log was closed for ${(closedMs / 1_000).toFixed(2)} s, and stays closed at ${options.from}.`,
  );
  return adopt(logs, options);
}

/** The checkpoints that the gateway saved by old positions, and what is left to do. */
async function adopt(logs: Logs, { url, databaseUrl }: CopyOptions): Promise<number> {
  const left = databaseUrl === undefined ? 0 : await translateCheckpoints(databaseUrl, logs);
  say(`Stop the gateway, set EVENT_STORE_URL=${url} and start it.`);
  if (databaseUrl === undefined)
    say(
      'No database is known here. If a service does not get ready: npm run projections -- rebuild',
    );
  else if (left > 0 || !logs.target.asRecorded)
    say('Then bring the read models to the new positions: npm run projections -- rebuild');
  return 0;
}

/** @throws NotACopy if the two sides differ */
function summary(copying: Copying): string {
  const { events, source, target } = copying.digest();
  if (source !== target) throw new NotACopy(`The digests differ: ${source} and ${target}.`);
  return `${copying.events()} events. Of ${events} that are kept for good the digest is ${source}, on both sides.`;
}

const answerWithinMs = 10_000;

async function within<T>(problem: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer within 10 s')), answerWithinMs);
  try {
    return await Promise.race([work, promise]);
  } catch (error) {
    throw new Error(`${problem}: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
