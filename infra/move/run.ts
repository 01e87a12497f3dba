import { setTimeout as delay } from 'node:timers/promises';
import { borrowStores } from '#infra/stores/borrow-stores.ts';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import { hostOf } from '#infra/stores/stores-file.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import type { Arguments } from './arguments.ts';
import { NotACopy } from './compare.ts';
import { connectSource, connectTarget, type Logs } from './logs.ts';
import { startCopying, type Copying } from './move.ts';
import { createProgress } from './progress.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);
const warn = (text: string) => void process.stderr.write(`${text}\n`);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Copies as the command line says. @returns the exit code */
export async function runMove(args: Arguments, signal: AbortSignal): Promise<number> {
  try {
    return await withStores(args, signal);
  } catch (error) {
    warn(messageOf(error));
    return error instanceof NotACopy ? 3 : 1;
  }
}

async function withStores(args: Arguments, signal: AbortSignal): Promise<number> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const borrowed = await borrowStores(DATA_DIR, process.env, { withDatabase: false });
  try {
    const { eventStoreUrl } = borrowed;
    if (hostOf(eventStoreUrl) === hostOf(args.to))
      throw new NotACopy(
        `${hostOf(args.to)} is the store of the gateway itself: name an empty one.`,
      );
    const isFollowed =
      findRunningStack(DATA_DIR) !== undefined || Boolean(process.env['EVENT_STORE_URL']);
    const target = await within(
      `the target can't be reached (${hostOf(args.to)})`,
      connectTarget(args.to),
    );
    const logs: Logs = { source: connectSource(eventStoreUrl), target };
    try {
      return await copy(logs, { ...args, isFollowed, signal });
    } finally {
      await within('', Promise.all([logs.source.close(), target.close()])).catch(() => undefined);
    }
  } finally {
    await borrowed.release();
  }
}

type CopyOptions = Arguments & { isFollowed: boolean; signal: AbortSignal };

const followEveryMs = 250;

async function copy(logs: Logs, { isFollowed, signal }: CopyOptions): Promise<number> {
  let until = await within("the event store can't be reached", logs.source.log.head());
  const progress = createProgress(() => until);
  let troubled = '';
  const copying = startCopying(logs, {
    signal,
    onProgress: progress.update,
    onTrouble: (error) => {
      if (messageOf(error) !== troubled) warn(`${messageOf(error)}: trying again …`);
      troubled = messageOf(error);
    },
  });
  try {
    await copying.catchUp();
    progress.clear();
    if (!signal.aborted) say(`Copied: ${summary(copying)}.`);
    if (isFollowed && !signal.aborted)
      say('Following what is appended, until Ctrl-C; `--finish` moves the gateway.');
    while (isFollowed && !signal.aborted) {
      await delay(followEveryMs, undefined, { signal }).catch(() => undefined);
      until = Math.max(until, await logs.source.log.head().catch(() => 0));
      await copying.catchUp();
    }
    if (signal.aborted) say(`Stopped at ${copying.events()} events: run it again to go on.`);
    return 0;
  } finally {
    progress.clear();
    await copying.close().catch(() => undefined);
  }
}

/** @throws NotACopy if the two sides differ */
function summary(copying: Copying): string {
  const { events, source, target } = copying.digest();
  if (source !== target) throw new NotACopy(`The digests differ: ${source} and ${target}.`);
  return `${copying.events()} events; the digest of ${events} that are kept for good is ${source} on both sides`;
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
