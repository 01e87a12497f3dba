import { describe, expect, it } from 'vitest';
import { auditLog } from '../../testing/audit-log.ts';
import {
  appendFillers,
  appendKeyEvent,
  appendLate,
  appendMoved,
  keyUsed,
  replaceCommonKey,
  requireCommonKey,
  signedUse,
} from '../../testing/corruptions/signatures.ts';
import { writeLog } from '../../testing/corruptions/index.ts';
import {
  isSigned,
  logKey,
  nextCommon,
  nextKey,
  signEvent,
  signEvents,
  testLogKeys,
} from '../../testing/signed-log.ts';
import { auditorKeys } from '../../testing/stored-reports.ts';

const hourMs = 3_600_000;

function signedLog() {
  const log = writeLog();
  signEvents(log);
  return log;
}
const audited = async (
  log: Parameters<typeof auditLog>[0],
  options: Parameters<typeof auditLog>[1] = {},
) => {
  const { findings, notes, checked, reports } = await auditLog(log, {
    reportKeys: auditorKeys,
    ...options,
  });
  expect(findings).toEqual([]);
  return { notes, verified: checked.signatures ?? 0, reports };
};
const note = expect.stringMatching(/signature|signed$/);

describe('signatures of events (R18.17)', () => {
  it('are verified with the keys of all services', async () => {
    const log = signedLog();
    const { notes, verified, reports } = await audited(log);
    expect(verified).toBe(log.filter(isSigned).length);
    expect(notes).not.toContainEqual(note);
    expect(reports).toMatchObject({ stored: 2, verified: 1, erased: 1 });
  });

  it('are counted without keys', async () => {
    const log = signedLog();
    const { notes, verified } = await audited(log, { verifiesSignatures: false });
    expect(verified).toBe(0);
    expect(notes).toContain(
      `${log.filter(isSigned).length} signatures were not verified: LOG_SIGNING_KEYS is not set`,
    );
  });

  it('may be absent until a day after the first one', async () => {
    const log = writeLog();
    const half = log.length / 2;
    signEvents(log.slice(half));
    appendLate(log, keyUsed(0), hourMs);
    const older = log.filter((event, at) => isSigned(event) && at < half);
    const { notes } = await audited(log);
    expect(notes).toContain(`${older.length} events are older than signatures`);
    expect(notes).toContain(
      '1 unsigned events follow the first signed one within its day: ApiKeyUsed at revision 0 of api-key-use-k',
    );
  });

  it('may be absent for another day after services begin to sign anew', async () => {
    const log = writeLog();
    signEvents(log.slice(log.length / 2));
    appendKeyEvent(log, { type: 'LogKeyBegan', revision: 0 });
    appendKeyEvent(log, { type: 'LogKeyBegan', revision: 1 }, 72 * hourMs);
    appendLate(log, keyUsed(0), hourMs);
    appendKeyEvent(log, { type: 'LogKeyRequired', revision: 2 }, 25 * hourMs);
    expect((await audited(log)).notes).toContainEqual(
      expect.stringContaining('1 unsigned events follow the first signed one within its day'),
    );
  });

  it('are those of the service and of all services, since these are required', async () => {
    const log = signedLog();
    requireCommonKey(log);
    const { verified } = await audited(log);
    expect(verified).toBe(log.filter(isSigned).length);
  });

  it('of all services may be those of the next key, from its first day on', async () => {
    const log = signedLog();
    requireCommonKey(log);
    const [both, next] = [logKey('log'), nextCommon].map((key) => ({
      ...logKey('merchant-api'),
      common: [key],
    }));
    replaceCommonKey(log, () => signEvent(appendLate(log, keyUsed(0), hourMs), both));
    signEvent(appendLate(log, keyUsed(1)), next);
    expect((await audited(log)).verified).toBe(log.filter(isSigned).length);
  });

  it('of all services are counted where the audit has no key of these', async () => {
    const log = signedLog();
    requireCommonKey(log);
    const logKeys = testLogKeys.filter(({ service }) => service !== 'log');
    expect((await audited(log, { logKeys })).notes).toContain(
      '2 common signatures were not verified: LOG_SIGNING_KEYS has no log=…',
    );
  });

  it('are absent from an older log', async () => {
    expect((await audited(writeLog())).notes).toContain('no event of the log is signed');
    expect((await audited(writeLog(), { verifiesSignatures: false })).notes).not.toContainEqual(
      note,
    );
  });

  it('may be those of two keys until a day after the second one began', async () => {
    const log = signedLog();
    signEvent(appendLate(log, keyUsed(0)), nextKey);
    signEvent(appendLate(log, keyUsed(1), hourMs), logKey('merchant-api'));
    signEvent(appendLate(log, keyUsed(2), 48 * hourMs), nextKey);
    expect((await audited(log)).verified).toBe(log.filter(isSigned).length);
  });

  it('of the revisions that a move filled are those of the next event', async () => {
    const log = signedLog();
    const use = signedUse(log, 2);
    appendFillers(log, use);
    appendLate(log, { ...keyUsed(2), id: use.id, metadata: use.metadata });
    signEvent(appendLate(log, keyUsed(3)));
    appendMoved(log);
    expect((await audited(log)).verified).toBe(log.filter(isSigned).length - 2);
  });
});
