import { expect, it } from 'vitest';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { commands, consequences, whatIsDone } from './commands.ts';
import { writers } from './writers.ts';

it('knows who may write each type of event (R18.8)', () => {
  const types = new Set(Object.values(storedExamples).flat().map(whatIsDone));
  const known = new Set([...writers.keys(), ...commands.keys(), ...consequences]);
  expect([...types].filter((type) => !known.has(type))).toEqual([]);
});
