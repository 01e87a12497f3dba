import { openServer, type LoopbackServer } from '../processes/loopback.ts';
import type { StackAddress } from './test-stack.ts';

/** The details of a shared stack: its URLs, and its data. */
export type SharedStack<Day> = StackAddress & { readonly day: Day };

/**
 * Serves the result of `start` to the processes of a run, and starts it on the first request, so
 * that it does not slow other projects before.
 */
export async function shareWithProcesses(start: () => Promise<unknown>): Promise<LoopbackServer> {
  let started: Promise<unknown> | undefined;
  return openServer((_request, response) => {
    started ??= start();
    started.then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}

/** The result of `start` at that address. @throws with the error of a start that failed */
export async function fetchShared<Shared>(url: string): Promise<Shared> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Shared;
}
