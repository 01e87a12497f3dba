import { describe, expect, it } from 'vitest';
import { createLogKey } from '#shared/platform/event-store/signature.ts';
import { createSigningKeyUse } from './key-use.ts';

const hourMs = 3_600_000;
const [newer, older] = ['newer', 'older'].map((name) =>
  createLogKey('processor', Buffer.alloc(32, name).toString('base64')),
) as [ReturnType<typeof createLogKey>, ReturnType<typeof createLogKey>];

describe('the use of keys (R18.17)', () => {
  it('ends for an older key a day after the newer one first signed', () => {
    const { whyEnded } = createSigningKeyUse([newer, older]);
    expect(whyEnded(older, 0)).toBeUndefined();
    expect(whyEnded(newer, hourMs)).toBeUndefined();
    expect(whyEnded(older, 25 * hourMs)).toBeUndefined();
    expect(whyEnded(older, 26 * hourMs)).toContain(`which ${newer.id} replaced`);
    expect(whyEnded(newer, 26 * hourMs)).toBeUndefined();
  });

  it('does not end for a newer key because an older one signs after it', () => {
    const { whyEnded } = createSigningKeyUse([newer, older]);
    expect(whyEnded(newer, 0)).toBeUndefined();
    expect(whyEnded(older, 48 * hourMs)).toContain(`which ${newer.id} replaced`);
    expect(whyEnded(newer, 96 * hourMs)).toBeUndefined();
  });
});
