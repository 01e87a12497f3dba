import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** One step and its result. Times are the test's, without its checks. */
export type JourneyStep = {
  /** Undefined while the page changed of itself. */
  did: string;
  readonly atMs: number;
  /** The page's headline, or a command's output; if it changed, all of them. */
  saw: string[];
  /** When the last of them was there. */
  sawMs?: number;
  /** Of several browsers, or the terminal. */
  readonly where: string;
};
export type TestRecording = { readonly test: string; readonly steps: readonly JourneyStep[] };

/** The folder for the tests' steps, a file a test, if `npm run lab -- journeys` sets it. */
const folder = process.env['JOURNEYS'];
const client = fileURLToPath(new URL('recorder.client.js', import.meta.url));
const uuid = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

let test = '';
let steps: JourneyStep[] = [];
let beganMs = 0;
let unseenMs = 0;
let browsers = 0;

const nowMs = () => performance.now() - beganMs - unseenMs;
const plain = (text: string) => text.replaceAll(uuid, '$1…');

/** From the first step of a test to its end. */
function begin(): void {
  const { currentTestName = '' } = expect.getState();
  if (currentTestName === test) return;
  [test, steps, beganMs, unseenMs, browsers] = [currentTestName, [], performance.now(), 0, 0];
  onTestFinished(() => {
    mkdirSync(folder ?? '', { recursive: true });
    const recording: TestRecording = { test: currentTestName, steps };
    const name = currentTestName.replaceAll(/\W+/g, '-').slice(-100);
    writeFileSync(join(folder ?? '', `${name}.json`), JSON.stringify(recording));
  });
}

function did(where: string, text: string): JourneyStep {
  const step = { did: plain(text), atMs: nowMs(), saw: [], where };
  steps.push(step);
  return step;
}

function saw(step: JourneyStep, text: string): void {
  step.saw.push(plain(text));
  step.sawMs = nowMs();
}

/** Records actions on a context's pages: clicks, input, and navigation. */
export async function recordPages(context: BrowserContext): Promise<void> {
  if (folder === undefined) return;
  begin();
  browsers += 1;
  const where = browsers === 1 ? 'browser' : `browser ${browsers}`;
  let path = '';
  let last: JourneyStep | undefined;
  const tell = (_: unknown, kind: 'did' | 'arrived' | 'saw', text: string, address: string) => {
    if (kind === 'did') last = did(where, text);
    else {
      const isLed =
        last !== undefined && (kind === 'saw' || last.saw.length === 0 || address === path);
      if (!isLed) last = did(where, `open ${address}`);
      if (last && last.saw.at(-1) !== plain(text)) saw(last, text);
    }
    path = address;
  };
  await context.exposeBinding('tellStep', tell);
  await context.addInitScript({ path: client });
}

/** A command line, and its output. */
export async function recordCommand<T>(
  line: string,
  run: () => Promise<T>,
  excerpt: (result: T) => string,
): Promise<T> {
  if (folder === undefined) return run();
  begin();
  const step = did('terminal', line);
  const result = await run();
  saw(step, excerpt(result));
  return result;
}

/** Excludes a test's own work from the journey's time. */
export async function withoutRecording<T>(work: () => Promise<T>): Promise<T> {
  const fromMs = performance.now();
  try {
    return await work();
  } finally {
    unseenMs += performance.now() - fromMs;
  }
}
