import { describe, expect, it } from 'vitest';
import { parseTarget } from './support/raw-target.ts';
import { storeUrl } from './support/store.ts';

const base = `http://${parseTarget(storeUrl())}`;

describe('HTTP on the same port', () => {
  it('answers /health/live with 204', async () => {
    expect((await fetch(`${base}/health/live`)).status).toBe(204);
  });

  it('returns version, state, features and authentication from /info', async () => {
    const response = await fetch(`${base}/info`, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const info = (await response.json()) as Record<string, unknown>;
    // Newer servers return dbVersion.
    expect(info['esVersion'] ?? info['dbVersion']).toMatch(/^\d+\.\d+\.\d+/);
    expect(String(info['state']).toLowerCase()).toBe('leader');
    expect(info['authentication']).toMatchObject({ type: 'insecure' });
    expect(info['features']).toMatchObject({ atomPub: false });
  });

  it('returns one live leader with this port from /gossip', async () => {
    const response = await fetch(`${base}/gossip`, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(200);
    const { members } = (await response.json()) as { members: Record<string, unknown>[] };
    expect(members).toHaveLength(1);
    expect(members[0]).toMatchObject({
      state: 'Leader',
      isAlive: true,
      httpEndPointPort: Number(new URL(base).port),
    });
  });

  it('answers /ping', async () => {
    const response = await fetch(`${base}/ping`, { headers: { accept: 'application/json' } });
    expect(response.status).toBe(200);
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ text: 'Ping request successfully handled' });
    // Some versions of the server leave one of them out.
    expect(['number', 'undefined']).toContain(typeof body['msgTypeId']);
    expect(['string', 'undefined']).toContain(typeof body['label']);
  });

  it('answers an unknown path with 404', async () => {
    expect((await fetch(`${base}/no/such/thing`)).status).toBe(404);
  });
});
