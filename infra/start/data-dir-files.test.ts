import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { readBackupStatus } from '../backup/status.ts';
import { choosePorts } from '../stores/ports.ts';
import { readStackFile } from '../stores/stack-file.ts';
import { stoppedStores } from '../stores/stores-file.ts';
import { readDemo } from './demo-file.ts';
import { loadSecrets } from './secrets.ts';

it.each<[string, object, (dataDir: string) => unknown]>([
  ['demo.json', { api_key: 7 }, readDemo],
  ['secrets.json', { RECEIPT_URL_SECRET: 7 }, (dataDir) => loadSecrets(dataDir, {})],
  ['ports.json', { postgres: '5432' }, (dataDir) => choosePorts(dataDir, {})],
  ['stack.json', { ready: true }, readStackFile],
  ['stores.json', { postgres: null }, stoppedStores],
  ['backup.json', { target: 7 }, readBackupStatus],
])('%s of another form is refused by name', async (name, content, read) => {
  const dataDir = useTempFolder();
  writeFileSync(join(dataDir, name), JSON.stringify(content));
  await expect((async () => read(dataDir))()).rejects.toThrow(`${name} has another form`);
});

it('secrets.json that is no JSON is refused without its content', () => {
  const dataDir = useTempFolder();
  writeFileSync(join(dataDir, 'secrets.json'), 'sesame');
  expect(() => loadSecrets(dataDir, {})).toThrow('secrets.json has another form');
  expect(() => loadSecrets(dataDir, {})).not.toThrow('sesame');
});

it('secrets.json of an older version gets the keys of the log that it lacks', () => {
  const dataDir = useTempFolder();
  const { values } = loadSecrets(dataDir, {});
  const older = values.LOG_SIGNING_KEYS.replace(/,log=[^,]*$/, '');
  expect(older).not.toBe(values.LOG_SIGNING_KEYS);
  writeFileSync(
    join(dataDir, 'secrets.json'),
    JSON.stringify({ ...values, LOG_SIGNING_KEYS: older }),
  );
  const added = loadSecrets(dataDir, {}).values.LOG_SIGNING_KEYS;
  expect(added).toMatch(/,log=[\w-]{43}$/);
  expect(added.startsWith(`${older},`)).toBe(true);
  expect(loadSecrets(dataDir, {}).values.LOG_SIGNING_KEYS).toBe(added);
});
