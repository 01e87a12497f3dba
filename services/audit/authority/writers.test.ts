import { expect, it } from 'vitest';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { commands, consequences, whatIsDone } from './commands.ts';
import { writers } from './writers.ts';

it('lists the allowed writers of every event type (R18.8)', () => {
  const types = new Set(Object.values(storedExamples).flat().map(whatIsDone));
  const covered = new Set([...writers.keys(), ...commands.keys(), ...consequences]);
  expect([...types].filter((type) => !covered.has(type))).toEqual([]);
});
