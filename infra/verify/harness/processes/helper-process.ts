import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A child process that answers orders. */
export type Helper<Order extends { readonly order: string }> = {
  readonly pid: number;
  /** @throws when the process has ended: how long an answer takes is the machine's affair */
  readonly request: <Answer>(order: Order) => Promise<Answer>;
  readonly stop: () => Promise<void>;
};

type Envelope<T> = { readonly number: number; readonly message: T };

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * Starts a program of the repository; it ends with this process, however that ends. `env` is added
 * to this process's.
 */
export function startHelper<Order extends { readonly order: string }>(
  main: string,
  { env, execArgv = process.execArgv }: { env?: NodeJS.ProcessEnv; execArgv?: string[] } = {},
): Helper<Order> {
  const child = fork(join(root, main), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    execArgv,
    env: { ...process.env, ...env },
  });
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let number = 0;
  child.on('message', (envelope: Envelope<unknown>) => {
    waiting.get(envelope.number)?.resolve(envelope.message);
    waiting.delete(envelope.number);
  });
  const exited = new Promise<void>((resolve) =>
    child.once('exit', () => {
      for (const { reject } of waiting.values()) reject(new Error(`${main} has ended`));
      waiting.clear();
      resolve();
    }),
  );
  return {
    pid: child.pid ?? 0,
    request: <Answer>(order: Order) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      number += 1;
      const mine = number;
      waiting.set(mine, { resolve, reject });
      child.send({ number: mine, message: order } satisfies Envelope<Order>, (error) => {
        if (error) reject(error);
      });
      return promise.finally(() => waiting.delete(mine)) as Promise<Answer>;
    },
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}

/** In the helper process: answers each order in turn, until the parent has ended. */
export function serveOrders(answer: (order: never) => unknown): void {
  process.on('message', (envelope: Envelope<never>) => {
    void Promise.resolve(answer(envelope.message)).then((message) =>
      process.send?.({ number: envelope.number, message }),
    );
  });
  process.once('disconnect', () => process.exit(0));
}
