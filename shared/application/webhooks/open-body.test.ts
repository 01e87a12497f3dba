import { describe, expect, it } from 'vitest';
import { KeyUnreadable } from '../personal-data/key-ring.ts';
import { openBody } from './open-body.ts';

const bodyWith = (operation: object) =>
  JSON.stringify({ id: 'event-1', data: { shop_id: 'shop-1', operation } });
const sealed = bodyWith({ status: 'pending', metadata: { sealed: 'v1.k.n.c' }, method: 'x' });
const personal = (opened: object | undefined) => ({
  openFields: async () => (opened ? { metadata: opened as Record<string, string> } : {}),
});
const open = (body: string, opened?: object) =>
  openBody(personal(opened), { operationId: 'operation-1', body });

describe('a webhook body', () => {
  it('contains the decrypted metadata (R3.11)', async () => {
    const metadata = JSON.parse('{"sealed":"x","__proto__":"y"}') as object;
    expect(JSON.parse(await open(sealed, metadata))).toEqual({
      id: 'event-1',
      data: { shop_id: 'shop-1', operation: { status: 'pending', method: 'x', metadata } },
    });
  });

  it('omits erased metadata (R3.11)', async () => {
    expect(await open(sealed)).toBe(bodyWith({ status: 'pending', method: 'x' }));
  });

  it('omits metadata without its master key, and throws other errors', async () => {
    const failing = (error: Error) => ({
      openFields: async () => {
        throw error;
      },
    });
    const message = { operationId: 'operation-1', body: sealed };
    expect(await openBody(failing(new KeyUnreadable('no key')), message)).toBe(
      bodyWith({ status: 'pending', method: 'x' }),
    );
    await expect(openBody(failing(new Error('no store')), message)).rejects.toThrow('no store');
  });

  it('is sent with all its other bytes, and not if it is of another kind', async () => {
    const before = bodyWith({ z: '1', metadata: { sealed: 'x' }, a: '2' });
    expect(await open(before, { b: 'c' })).toBe(bodyWith({ z: '1', a: '2', metadata: { b: 'c' } }));
    await expect(open(bodyWith({ metadata: { sealed: 7 } }))).rejects.toThrow('metadata');
  });

  it('is sent unchanged without metadata, whatever its texts contain', async () => {
    const text = bodyWith({ merchant_operation_id: '"metadata":{"sealed":"v1.k.n.c"}' });
    expect(await open(text, { a: 'b' })).toBe(text);
  });
});
