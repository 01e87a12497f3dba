import { expect, it } from 'vitest';
import { whyCut } from './texts.ts';

const view = { t: ({ en }: { en: string }) => en };

it('explains why the file of a search lacks operations (R16.19)', () => {
  const why = (more: boolean, isPartlyCompared: boolean) =>
    whyCut(view, { more, isPartlyCompared });
  expect(why(false, false)).toBeUndefined();
  expect(why(true, false)).toMatch(/^These are the first 1000 operations/);
  expect(why(false, true)).toMatch(/^Numbers and metadata are stored encrypted/);
  expect(why(true, true)).toMatch(/^These are the first.*Numbers and metadata/);
});
