import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '../tests/for-file.ts';
import { findMissingForRealStore } from './real-store.ts';

it('finds a real EventStoreDB where its folder and dotnet are, and names what is missing', () => {
  const folder = useTempFolder();
  const [run, bin] = [join(folder, 'run'), join(folder, 'bin')];
  const path = [folder, bin].join(delimiter);
  expect(findMissingForRealStore({ run, path })).toMatch('../shared/eventstore');
  writeFileSync(run, '');
  expect(findMissingForRealStore({ run, path })).toMatch('dotnet');
  mkdirSync(bin);
  writeFileSync(join(bin, 'dotnet'), '');
  expect(findMissingForRealStore({ run, path })).toBeUndefined();
});
