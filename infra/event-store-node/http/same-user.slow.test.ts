import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { startEventStoreNode } from '../start.ts';
import { isSameUser, ownerIn } from './same-user.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid';
const row = (local: string, remote: string, state = '01') =>
  `${head}\n   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 65534        0 1\n`;
const ends = { client: 50_000, server: 2113 };

it.each([
  ['a client of IPv4', row('0100007F:C350', '0100007F:0841'), 65_534],
  [
    'a client of either version',
    row('0000000000000000FFFF00000100007F:C350', '0000000000000000FFFF00000100007F:0841'),
    65_534,
  ],
  ['the end of the server', row('0100007F:0841', '0100007F:C350'), undefined],
  ['a client that has closed', row('0100007F:C350', '0100007F:0841', '05'), undefined],
  ['the same ports at another address', row('0200A8C0:C350', '0900A8C0:0841'), undefined],
])('finds the owner only of the client’s end: %s', (_, table, owner) => {
  expect(ownerIn(table, ends)).toBe(owner);
});

it('works without an IPv6 table, and denies access if no table is readable', async () => {
  const missing = '/proc/net/tcp-of-no-kernel';
  const server = createServer();
  const client = connect(await listenOnLoopback(server), '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  expect(isSameUser(accepted, ['/proc/net/tcp', missing])).toBe(true);
  expect(isSameUser(accepted, [missing])).toBe(false);
  client.destroy();
  accepted.destroy();
  server.close();
});

// Only root can run a process as another user.
it.skipIf(process.getuid?.() !== 0)('rejects other users of the machine', async () => {
  const responseTo = (uid: number) =>
    promisify(execFile)(
      '/bin/bash',
      ['-c', `exec 3<>/dev/tcp/127.0.0.1/${node.port}; printf '${infoRequest}' >&3; cat <&3`],
      { uid, cwd: '/' },
    ).then(
      ({ stdout }) => stdout,
      () => '',
    );
  expect(await responseTo(0)).toContain('HTTP/1.1 200 OK');
  expect(await responseTo(65_534)).toBe('');
});

const infoRequest = 'GET /info HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n';
const folder = folderForFile();
const node = forFile(() => startEventStoreNode({ directory: folder, sameUserOnly: true }));
