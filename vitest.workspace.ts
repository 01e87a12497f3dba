import { statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testLimitMs, waitLimitMs } from './infra/verify/harness/tests/eventually.ts';
import { LongestFirst } from './infra/verify/harness/tests/longest-first.ts';
import {
  findMissingForRealStore,
  realStoreCommand,
} from './infra/verify/harness/stores/real-store.ts';

// For the many services that tests start: the workers, and what they start, inherit it.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('.cache/compile-cache', import.meta.url),
);

// Stores write each event and each commit through to the disk, and a shared machine's disk stalls
// for seconds. What tests keep is gone after them: where memory is lent as a file system with room
// for it, it is kept there.
const memory = '/dev/shm';
const roomNeeded = 6 * 2 ** 30;
if (process.env['TMPDIR'] === undefined && roomIn(memory) >= roomNeeded)
  process.env['TMPDIR'] = memory;

// The name of a test file says what it needs:
//   *.test.ts               nothing but the process (domain rules, codecs, apps without IO)
//   *.slow.test.ts          no more than that, but seconds: many random cases, real waits
//   *.conformance.test.ts   an event store: the node, or the one that EVENT_STORE_URL names
//   *.integration.test.ts   event store, PostgreSQL and NATS; each file has a database of its own
//   *.e2e.test.ts           whole stacks, or services as deployed: started, and killed with -9
//   *.real-store.test.ts    a real EventStoreDB; skipped if there is none
//   *.browser.test.ts       one whole stack, used by a person in Chromium; skipped if there is none
//   acceptance/             what docs/rules.md says, against one whole stack over HTTP
// `npm test` runs all but slow, e2e, browser and real-store, and of e2e the smoke test: a stack
// starts, takes a payment, sends its webhook and restarts. `npm run test:all` runs everything.
const needsMore = [
  '**/*.slow.test.ts',
  '**/*.conformance.test.ts',
  '**/*.integration.test.ts',
  '**/*.e2e.test.ts',
  '**/*.browser.test.ts',
  '**/*.real-store.test.ts',
];
const never = ['**/node_modules/**', '.data/**', '.cache/**'];

const limits = {
  expect: { poll: { timeout: waitLimitMs } },
  testTimeout: testLimitMs,
  hookTimeout: testLimitMs,
};
// It replaces a module, for all that its process loads after it.
const replacing = 'shared/application/providers/testing/conformance/currencies.slow.test.ts';
// It holds up the stack that the others ask.
const alone = 'acceptance/outage.e2e.test.ts';
const smoke = 'infra/verify/end-to-end/smoke.e2e.test.ts';
// A given store may be slower than the node, and keeps what each file writes.
const fileParallelism = !process.env['EVENT_STORE_URL'];
// Whole stacks begin with a database that is made once.
const cluster = 'infra/verify/harness/stores/cluster.setup.ts';
const stores = 'infra/verify/harness/stores/stores.setup.ts';

// The gateway's promises hold on a real EventStoreDB as on the node: what shows the most of them.
const onRealStore = [
  '**/*.conformance.test.ts',
  'infra/move/move.e2e.test.ts',
  'infra/verify/chaos/chaos.e2e.test.ts',
  'infra/verify/end-to-end/payment.e2e.test.ts',
];
const isRealStoreMissing = findMissingForRealStore() !== undefined;

/** After the projects that take longer, so that no test of the acceptance stack runs any more. */
const last = { groupOrder: 1 };

const acceptance = {
  // As unit tests.
  isolate: false,
  globalSetup: [cluster, 'acceptance/support/stack.setup.ts'],
  // They mostly wait: for providers that don't answer, and for what comes later.
  maxConcurrency: 16,
  ...limits,
};

export default defineConfig({
  test: {
    // Packages are Node's to load: by default Vitest loads those below a folder named `es` or `esm`,
    // and then there are two of each that another package requires.
    server: { deps: { external: [/\/node_modules\//] } },
    // Files with stacks of their own wait for about half of their time: on two cores, four at once.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          sequence: last,
          // They keep nothing in their modules, so one process takes file after file: a third of
          // the time less.
          isolate: false,
          include: ['**/*.test.ts'],
          exclude: [...never, ...needsMore],
          ...limits,
        },
      },
      {
        test: {
          name: 'slow',
          // As unit tests.
          isolate: false,
          include: ['**/*.slow.test.ts'],
          exclude: [...never, replacing],
          ...limits,
        },
      },
      {
        test: {
          name: 'slow-isolated',
          include: [replacing],
          ...limits,
        },
      },
      {
        test: {
          name: 'conformance',
          sequence: last,
          // As unit tests.
          isolate: false,
          include: ['**/*.conformance.test.ts'],
          exclude: never,
          globalSetup: [stores],
          fileParallelism,
          ...limits,
        },
      },
      {
        test: {
          name: 'integration',
          // As unit tests. What a file opens it closes, and what it serves makes `Response` the
          // server's own, which has no `bytes()`.
          isolate: false,
          include: ['**/*.integration.test.ts'],
          exclude: never,
          globalSetup: [stores],
          fileParallelism,
          ...limits,
        },
      },
      {
        test: {
          name: 'smoke',
          include: [smoke],
          exclude: never,
          globalSetup: [cluster],
          ...limits,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['**/*.e2e.test.ts'],
          exclude: [...never, smoke, 'acceptance/**'],
          globalSetup: [cluster, stores],
          // As unit tests.
          isolate: false,
          // What they wait for is mostly providers and timers.
          maxConcurrency: 8,
          ...limits,
        },
      },
      {
        test: {
          name: 'real-store',
          // As unit tests.
          isolate: false,
          include: ['**/*.real-store.test.ts', ...(isRealStoreMissing ? [] : onRealStore)],
          exclude: never,
          env: isRealStoreMissing ? {} : { EVENT_STORE_COMMAND: realStoreCommand },
          globalSetup: isRealStoreMissing ? [] : [cluster, stores],
          sequence: last,
          ...limits,
        },
      },
      {
        test: {
          name: 'browser',
          // One file after the other in the same browser.
          isolate: false,
          include: ['**/*.browser.test.ts'],
          exclude: never,
          globalSetup: [
            cluster,
            'infra/verify/harness/browser/browser.setup.ts',
            'infra/verify/harness/stacks/browser-stack.setup.ts',
          ],
          ...limits,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['acceptance/**/*.e2e.test.ts'],
          exclude: [...never, alone],
          ...acceptance,
          sequence: { concurrent: true },
        },
      },
      {
        test: {
          name: 'acceptance-alone',
          include: [alone],
          ...acceptance,
          sequence: last,
        },
      },
    ],
  },
});

/** The bytes that could be written there; none where there is no such folder. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
