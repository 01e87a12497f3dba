import { expect, it } from 'vitest';
import { importsAgainst } from './imports.ts';

const isRejected = (path: string, target: string) =>
  importsAgainst([{ path, text: `import { it } from '${target}';` }]).length > 0;

it.each([
  ['shared/domain/money.ts', '#shared/platform/http/app.ts'],
  ['shared/platform/http/app.ts', '../../application/service.ts'],
  ['services/portal/app.ts', '#services/webhooks/claim.ts'],
  ['services/portal/app.ts', '#infra/verify/harness/day.ts'],
  ['infra/start/main.ts', '#infra/lab/load/loops.ts'],
  ['infra/verify/hostile/main.ts', '#infra/lab/report/figures.ts'],
  ['infra/lab/bench/main.ts', '#infra/lab/capacity/main.ts'],
  ['infra/event-store-node/main.ts', '#infra/process/free-port.ts'],
])('rejects in %s the import %s', (path, target) => {
  expect(isRejected(path, target)).toBe(true);
});

it.each([
  ['services/portal/app.ts', '#services/webhooks/queries.ts'],
  ['services/portal/app.ts', './session.ts'],
  ['infra/lab/bench/main.ts', '#infra/lab/load/loops.ts'],
  ['infra/verify/hostile/main.ts', '#services/portal/app.ts'],
  ['services/portal/app.test.ts', '#infra/verify/harness/day.ts'],
])('allows in %s the import %s', (path, target) => {
  expect(isRejected(path, target)).toBe(false);
});
