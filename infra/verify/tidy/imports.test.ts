import { expect, it } from 'vitest';
import { importsAgainst } from './imports.ts';

const isRejected = (path: string, target: string) =>
  importsAgainst([{ path, text: `import { it } from '${target}';` }]).length > 0;

it.each([
  ['shared/domain/money.ts', '#shared/platform/http/app.ts'],
  ['shared/platform/http/app.ts', '../../application/service.ts'],
  ['shared/application/service.ts', '#shared/api/openapi/document.ts'],
  ['services/back-office/portal/app.ts', '#services/webhooks/claim.ts'],
  ['services/documentation/site.ts', '#services/merchant-api/app.ts'],
  ['services/back-office/portal/app.ts', '#infra/verify/harness/day.ts'],
  ['services/back-office/portal/app.ts', '../console/frame.ts'],
  ['services/back-office/frame/frame.ts', '../api/roles.ts'],
  ['infra/start/main.ts', '#infra/lab/load/loops.ts'],
  ['infra/verify/hostile/main.ts', '#infra/lab/report/figures.ts'],
  ['infra/lab/bench/main.ts', '#infra/lab/capacity/main.ts'],
  ['infra/event-store-node/main.ts', '#infra/process/free-port.ts'],
  ['infra/move/copy.ts', '#services/audit/log/chain/checkpoint.ts'],
  ['projections/runner/worker.ts', '#infra/stores/borrow-stores.ts'],
  ['shared/platform/event-store/client.ts', '#shared/domain/log/streams.ts'],
])('rejects in %s the import %s', (path, target) => {
  expect(isRejected(path, target)).toBe(true);
});

it.each([
  ['services/back-office/portal/app.ts', '#shared/application/webhooks/sign.ts'],
  ['services/back-office/portal/app.ts', './session.ts'],
  ['infra/lab/bench/main.ts', '#infra/lab/load/loops.ts'],
  ['infra/verify/hostile/main.ts', '#services/back-office/portal/app.ts'],
  ['services/back-office/portal/app.test.ts', '#infra/verify/harness/day.ts'],
])('allows in %s the import %s', (path, target) => {
  expect(isRejected(path, target)).toBe(false);
});
