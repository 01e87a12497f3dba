import { expect, inject, it } from 'vitest';
import { findMissingForRealStore } from './real-store.ts';

const missing = findMissingForRealStore();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;

// Without it, this one test is the whole project, so that its report says what was not tested.
it.skipIf(missing !== undefined)(
  `a real EventStoreDB runs conformance, the move, kills and lives${because}`,
  async () => {
    const { host } = new URL(inject('eventStoreUrl').replace('esdb:', 'http:'));
    const info: unknown = await (await fetch(`http://${host}/info`)).json();
    expect(info).toMatchObject({ esVersion: expect.stringMatching(/^23\.10\./) });
  },
);
