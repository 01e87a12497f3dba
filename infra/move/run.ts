import { setTimeout as delay } from 'node:timers/promises';
import { borrowStores } from '#infra/stores/borrow-stores.ts';
import { findLogKeys, findSigner } from '#infra/stores/log-keys.ts';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import { hostsAndDatabase } from '#infra/stores/stores-file.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { maskPassword } from '#shared/platform/event-store/connection-string.ts';
import { createTerminalProgress } from '#shared/platform/progress.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { MoveArguments } from './arguments.ts';
import { translateCheckpoints } from './checkpoints.ts';
import { AlreadyMoved, NotACopy } from './compare.ts';
import { finish, readNewestLocation, refuseOtherMove, reopen } from './finish.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import { connectLog, type MoveLog, type Logs } from './logs.ts';
import { startCopying, type LogCopy } from './move.ts';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const warn = (text: string) => void process.stderr.write(`${text}\n`);
/** Copies as the command line specifies. @returns the exit code */
export async function runMove(args: MoveArguments, signal: AbortSignal): Promise<number> {
  try {
    return await withStores(args, signal);
  } catch (error) {
    warn(signal.aborted ? 'Stopped: run it again to continue.' : errorMessage(error));
    return error instanceof NotACopy ? 3 : 1;
  }
}

async function withStores(args: MoveArguments, signal: AbortSignal): Promise<number> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const borrowed = await borrowStores(DATA_DIR, process.env, { withDatabase: args.finish });
  try {
    const { databaseUrl, eventStoreUrl } = borrowed;
    const [from, to] = [hostsAndDatabase(eventStoreUrl), hostsAndDatabase(args.to)];
    if (from === to) throw new NotACopy(`${to} is the store of the gateway: name an empty one.`);
    const [source, target] = await Promise.all([
      within(`the event store can't be reached (${from})`, connectLog(eventStoreUrl)),
      within(`the target can't be reached (${to})`, connectLog(args.to)),
    ]);
    const isFollowed =
      findRunningStack(DATA_DIR) !== undefined || Boolean(process.env['EVENT_STORE_URL']);
    try {
      const appends = args.finish || args.reopen;
      const keys = appends ? findLogKeys(DATA_DIR) : undefined;
      if (appends) await refuseOtherMove(source, { to, keys });
      const logs = appends ? await signed({ source, target }, keys) : { source, target };
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

/** What the move itself appends is signed, if the log is. */
async function signed(
  { source, target }: Logs,
  keys: readonly LogKey[] | undefined,
): Promise<Logs> {
  const signer = await findSigner(source.raw, { program: 'move', keys });
  const sign = (log: MoveLog): MoveLog =>
    signer ? { ...log, store: signAppends(log.store, signer) } : log;
  return { source: sign(source), target: sign(target) };
}

async function takeBack({ source, target }: Logs): Promise<number> {
  const [newest, there] = [await readNewestLocation(source), await readNewestLocation(target)];
  // An earlier move's event is in both.
  if (there?.type === 'LogMoved' && there.revision > (newest?.revision ?? -1))
    throw new NotACopy('The log was moved to this target: what it has by now would be lost.');
  print(
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
  const progress = createTerminalProgress();
  let troubled = '';
  const copying = startCopying(logs, {
    signal,
    onProgress: (copied) => progress.update({ ...copied, until: end.position }),
    onTrouble: (error) => {
      if (errorMessage(error) !== troubled) warn(`${errorMessage(error)}: trying again …`);
      troubled = errorMessage(error);
    },
  });
  try {
    try {
      await copying.catchUp();
    } catch (error) {
      if (!(error instanceof AlreadyMoved && options.finish)) throw error;
      print(error.message);
      return await adopt(logs, copying, options);
    }
    progress.clear();
    if (!signal.aborted) print(`Copied: ${summary(copying)}`);
    if (options.finish && !signal.aborted) return await move(logs, copying, options);
    if (options.isFollowed && !signal.aborted) await follow(logs, { copying, end, signal });
    if (signal.aborted) print(`Stopped at ${copying.events()} events: run it again to continue.`);
    return 0;
  } finally {
    progress.clear();
    await copying.close().catch(() => undefined);
  }
}

type Follow = { copying: LogCopy; end: { position: number }; signal: AbortSignal };

const followEveryMs = 250;

async function follow({ source }: Logs, { copying, end, signal }: Follow): Promise<void> {
  print('Following what is appended, until Ctrl-C; --finish moves the gateway.');
  while (!signal.aborted) {
    await delay(followEveryMs, undefined, { signal }).catch(() => undefined);
    end.position = Math.max(end.position, await source.raw.head().catch(() => 0));
    await copying.catchUp();
  }
}

async function move(logs: Logs, copying: LogCopy, options: CopyOptions): Promise<number> {
  print('Closing the log …');
  const onClosed = () =>
    print('The log is closed: nothing is appended to it from now on, and reads continue.');
  const { closedMs } = await finish(logs, copying, { ...options, onClosed });
  print(`Moved: ${summary(copying)}`);
  print(
    `The log was closed for ${(closedMs / 1_000).toFixed(2)} s, and stays closed at ${options.from}.`,
  );
  return adopt(logs, copying, options);
}

/** The checkpoints that the gateway saved by old positions, and what is left to do. */
async function adopt(
  logs: Logs,
  copying: LogCopy,
  { url, databaseUrl }: CopyOptions,
): Promise<number> {
  const left = databaseUrl === undefined ? 0 : await translateCheckpoints(databaseUrl, logs);
  print(`Stop the gateway, set EVENT_STORE_URL=${maskPassword(url)} and start it.`);
  if (databaseUrl === undefined) print('No database is known here, so no checkpoint was moved.');
  if (databaseUrl === undefined || left > 0 || copying.positionsDiffer())
    print('Then bring the read models to the new positions: npm run projections -- rebuild');
  return 0;
}

/** @throws NotACopy if the two sides differ */
function summary(copying: LogCopy): string {
  const { events, source, target } = copying.digest();
  if (source !== target) throw new NotACopy(`The digests differ: ${source} and ${target}.`);
  return `${copying.events()} events. Of ${events} that are stored for good the digest is ${source}, on both sides.`;
}

const answerWithinMs = 10_000;

async function within<T>(problem: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer within 10 s')), answerWithinMs);
  try {
    return await Promise.race([work, promise]);
  } catch (error) {
    throw new Error(`${problem}: ${errorMessage(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
