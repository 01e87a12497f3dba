import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { openMemory, type SandboxMemory } from '../store/memory.ts';
import { width, createDispatcher, type CallbackDispatcher } from './dispatcher.ts';
import type { CallbackResult } from './send.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

let folder: string;
let memory: SandboxMemory;
let dispatcher: CallbackDispatcher;
beforeEach(() => {
  folder = makeTempFolder();
  memory = openMemory(folder);
});
afterEach(async () => {
  await dispatcher.stop();
  memory.close();
  removeFolder(folder);
});

const queue = (count: number) => {
  for (let index = 0; index < count; index += 1)
    memory.callbacks.queue({
      messageId: `op${index}.1.v2`,
      key: `op${index}.1`,
      operationId: `op${index}`,
      version: 2,
      body: '{}',
      inOrder: true,
      queuedMs: 0,
      dueMs: 0,
    });
};

const dispatch = (send: () => Promise<CallbackResult>) => {
  dispatcher = createDispatcher(memory.callbacks, {
    send,
    now: Date.now,
    logger,
    observe: () => undefined,
  });
  dispatcher.poke();
};

it('delivers the whole queue with a limited number of callbacks in flight', async () => {
  queue(200);
  let [inFlight, peak] = [0, 0];
  dispatch(async () => {
    peak = Math.max(peak, (inFlight += 1));
    await delay(1);
    inFlight -= 1;
    return { delivered: true, status: 204 };
  });
  await vi.waitUntil(() => memory.callbacks.waiting() === 0, { timeout: waitLimitMs });
  expect(peak).toBe(width);
});

it('slows down while the gateway is unavailable, and resumes when it is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  queue(500);
  let [sent, unavailable] = [0, true];
  dispatch(async () => {
    sent += 1;
    return unavailable
      ? { delivered: false, error: 'ECONNREFUSED' }
      : { delivered: true, status: 204 };
  });
  // First the full width, then one every 50 ms.
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toBe(width);
  await vi.advanceTimersByTimeAsync(500);
  expect(sent).toBe(width + 10);
  unavailable = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(memory.callbacks.waiting()).toBe(0);
});
