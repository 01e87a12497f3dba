import { expect, test } from 'vitest';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { auditStream, type AuditEvent, type AuditRan } from '#shared/domain/audit/events.ts';
import { ruleCodes } from '#shared/domain/audit/rules.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { newId } from '#shared/platform/ids.ts';
import { tokens } from '../../testing/admin.ts';
import { useConsole } from '../testing/console.ts';

const console = useConsole();

const [ran, failed, newer] = storedExamples.audit as unknown as [
  Extract<AuditEvent, { type: 'AuditRan' }>,
  AuditEvent,
  Extract<AuditEvent, { type: 'AuditRan' }>,
];
const holds: AuditRan = {
  ...newer.data,
  outcome: 'holds',
  findings: [],
  not_compared: [],
  rules: ruleCodes.map((rule, index) => ({
    rule,
    looked_at: index % 9 === 0 ? 0 : 1_234,
    violations: 0,
  })),
};

test('shows recorded audits with their rules, figures and findings in both languages', async () => {
  const visitor = await console.visitor(tokens.auditor);
  expect((await visitor.get('/audits?lang=en')).text).toContain('No audit has been recorded yet');
  const runs: [AuditEvent, string][] = [
    [{ type: 'AuditRan', data: holds }, 'service:audit'],
    [ran, 'auditor:<b>anna</b>'],
    [failed, 'service:audit'],
  ];
  for (const [index, [event, actor]] of runs.entries()) {
    const events = toNewEvents([event], { actor, correlationId: newId() });
    await console.store.append({ stream: auditStream, expectedRevision: index - 1, events });
  }
  const list = (await visitor.get('/audits?lang=en')).text;
  expect(list).toContain('rules hold');
  expect(list).toContain('rules violated');
  expect(list).toContain('failed');
  expect(list).toContain('&lt;b&gt;anna&lt;/b&gt;');
  expect((await visitor.get('/audits?lang=ru')).text).toContain('правила нарушены');
  expect((await visitor.get('/audits?cursor=1&lang=en')).text).not.toContain('rules violated');
  expect((await visitor.get('/audits?cursor=x')).status).toBe(400);

  const sound = (await visitor.get('/audits/0?lang=en')).text;
  for (const code of ruleCodes) expect(sound).toContain(`<code>${code}</code>`);
  expect(sound).toContain('not applicable');
  const silent = Math.ceil(ruleCodes.length / 9);
  const figures = `rules: ${ruleCodes.length}, checked: ${ruleCodes.length - silent}, not applicable: ${silent}, findings: 0`;
  expect(sound).toContain(figures);
  expect(sound).toMatch(/Open operations<.*?>3</);
  expect(sound).toMatch(/Callbacks of providers<.*?8 of 9 verified, failed: 1/);
  expect(sound).toMatch(/RUB<.*?100\.00/);
  expect(sound).toContain('No findings.');
  const violated = (await visitor.get('/audits/1?lang=ru')).text;
  expect(violated).toContain('ledger-shop-1-RUB');
  expect(violated).toContain('нарушено');
  expect(violated).toContain('was catching up');
  expect((await visitor.get('/audits/2?lang=en')).text).toContain(
    'the event store can not be reached',
  );
  for (const none of ['/audits/3', '/audits/x', '/audits/-1'])
    expect((await visitor.get(none)).status).toBe(404);
});
