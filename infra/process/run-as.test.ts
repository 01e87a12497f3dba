import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { canEnter, listUsers } from './run-as.ts';

const root = folderForFile();

const stranger = { name: 'stranger', uid: 64_000, gid: 64_000 };
const owner = { name: 'me', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

describe('another user', () => {
  it('can enter a folder only if every parent folder permits it', () => {
    const inner = join(root, 'inner');
    mkdirSync(inner);
    chmodSync(inner, 0o755);
    chmodSync(root, 0o700);
    expect(canEnter(stranger, inner)).toBe(false);
    expect(canEnter(owner, inner)).toBe(true);
    chmodSync(root, 0o711);
    expect(canEnter(stranger, inner)).toBe(true);
    chmodSync(inner, 0o766);
    expect(canEnter(stranger, inner)).toBe(false);
    chmodSync(inner, 0o710);
    expect(canEnter({ ...stranger, gid: owner.gid }, inner)).toBe(true);
  });

  it('is listed from /etc/passwd', () => {
    expect(listUsers('root:x:0:0::/root:/bin/sh\n\nnobody:x:65534:65533:n:/:/bin/false\n')).toEqual(
      [
        { name: 'root', uid: 0, gid: 0 },
        { name: 'nobody', uid: 65_534, gid: 65_533 },
      ],
    );
  });
});
