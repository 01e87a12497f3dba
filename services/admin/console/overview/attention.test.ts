import { expect, it } from 'vitest';
import { textOf } from '#shared/platform/pages/html.ts';
import type { View } from '../env.ts';
import type { Words } from '../words.ts';
import { attentionSection } from './attention.ts';

const view = { t: ({ en }: Words) => en, language: 'en' } as unknown as View;
const nothing = {
  off: new Map(),
  breakers: new Map(),
  health: new Map(),
  shops: [],
  projections: [],
};
type Given = Parameters<typeof attentionSection>[1];
const shown = (audit: Partial<Given['audit']>) =>
  textOf(attentionSection(view, { ...nothing, audit: audit as Given['audit'] }));

it('says that an audit found no violation only where one did', () => {
  expect(shown(undefined)).toContain('No audit has been recorded yet');
  expect(shown(undefined)).not.toContain('no violation');
  expect(shown({ outcome: 'holds' })).toContain('the last audit found no violation');
});
