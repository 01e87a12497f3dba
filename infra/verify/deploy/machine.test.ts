import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findBackupPlace } from '#infra/backup/open-store.ts';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { findProgram } from '#infra/process/find-program.ts';
import { services } from '#infra/start/services.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { variables } from '#shared/platform/config/variables.ts';
import { root } from './testing/manifests.ts';

// docs/operators/machine.md

const read = (name: string) => readFileSync(join(root, 'infra/deploy/machine', name), 'utf8');
const environment = parseEnv(read('environment'));
const backupEnvironment = parseEnv(read('backup-environment'));
const unit = read('payment-gateway.service');
const backupUnit = read('payment-gateway-backup.service');
const folder = folderForFile();

describe('the files for one machine', () => {
  it('set only variables that there are, with values that they may have', () => {
    const others = Object.entries(environment).filter(([name]) => name !== 'TMPDIR');
    expect(others.length).toBeGreaterThan(3);
    for (const [name, value] of others)
      expect(variables[name as keyof typeof variables].safeParse(value).success).toBe(true);
  });

  it('start what npm start starts', () => {
    const [, flags] = /exec node (.*)$/.exec(manifest.scripts.start) ?? [];
    const [, started] = /^ExecStart=\S+\/node (.*)$/m.exec(unit) ?? [];
    expect(started).toBe(flags);
  });

  it('scrape each service but the sandbox, at a port that is fixed or has a default', () => {
    const { scrape_configs: jobs } = parse(read('prometheus.yaml')) as {
      scrape_configs: {
        job_name: string;
        static_configs: { targets: string[]; labels: { service: string } }[];
      }[];
    };
    const [job] = jobs;
    expect(job?.job_name).toBe('payment-gateway');
    const scraped = new Map(
      job?.static_configs.map(({ targets, labels }) => [labels.service, targets[0]]),
    );
    const expected = services
      .filter(({ name }) => name !== 'sandbox-provider')
      .map(({ name, port }) => {
        const metrics = { 'merchant-api': 'GATEWAY', 'payment-page': 'PAY', portal: 'PORTAL' }[
          name
        ];
        const variable = metrics ? `${metrics}_METRICS_PORT` : port;
        const value = variables[variable as keyof typeof variables].parse(environment[variable]);
        return [name, `127.0.0.1:${value as number}`] as const;
      });
    expect(scraped).toEqual(new Map(expected));
    const backup = `127.0.0.1:${backupEnvironment['BACKUP_PORT']}`;
    const line = `# - { targets: ['${backup}'], labels: { service: backup } }`;
    expect(read('prometheus.yaml')).toContain(line);
  });

  it('copy the log as npm run backup does, to the target of its settings', () => {
    const [, started] = /^ExecStart=\S+\/node (.*)$/m.exec(backupUnit) ?? [];
    expect(`node ${started}`).toBe(`${manifest.scripts.backup} --to \${BACKUP_TARGET}`);
    const { BACKUP_TARGET: target, BACKUP_PORT: port, ...others } = backupEnvironment;
    expect(others).toEqual({});
    expect(findBackupPlace(target ?? '').name).toBe(target);
    expect(variables.BACKUP_PORT.safeParse(port).success).toBe(true);
    const [, writable = ''] = /^ReadWritePaths=-(.*)$/m.exec(backupUnit) ?? [];
    expect(target?.startsWith(`${writable}/`)).toBe(true);
    expect(backupUnit).toContain('RestartPreventExitStatus=2 3 4\n');
    expect(backupUnit).toContain(`RequiresMountsFor=${writable}\n`);
  });

  it.skipIf(findProgram('systemd-analyze') === undefined).each([
    ['payment-gateway.service', unit],
    ['payment-gateway-backup.service', backupUnit],
  ])('are a unit that systemd takes: %s', (name, text) => {
    const file = join(folder, name);
    writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
