import { expect, it } from 'vitest';
import { listFiles, readTexts } from '#infra/verify/tidy/tree.ts';
import { journeys } from './page.ts';

it('names tests in a browser that exist, so that the journeys can be run', () => {
  const files = readTexts(listFiles().filter((path) => path.endsWith('.browser.test.ts')));
  const isTest = (name: string) => files.some(({ text }) => text.includes(`it('${name}'`));
  const missing = journeys.flatMap(({ tests }) => tests).filter((name) => !isTest(name));
  expect(missing).toEqual([]);
});
