import { describe, expect, it } from 'vitest';
import {
  addMember,
  issueLink,
  maxMembers,
  maxMembersEver,
  removeMember,
  signIn,
  type MemberDecision,
  type MemberRefusal,
} from './decide.ts';
import { memberActor, type MemberEvent, type MemberRole } from './events.ts';
import {
  evolveMembers,
  foldMembers,
  maxSignIns,
  linksByOthers,
  linksInADay,
  memberInForce,
  noMembers,
  signInsInForce,
  type Members,
} from './members.ts';

const at = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:alice' };
const nowIso = '2026-01-31T12:30:00.000Z';
const expiresAt = '2026-01-31T13:00:00.000Z';
const link = (linkHash: string, countedFrom = '2026-01-30T12:30:00.000Z') => ({
  linkHash,
  expiresAt,
  countedFrom,
});

const added = (memberId: string, role: MemberRole): MemberEvent => ({
  type: 'MemberAdded',
  data: { member_id: memberId, name: `Name of ${memberId}`, role },
});
const linked = (memberId: string, hash: string): MemberEvent => ({
  type: 'MemberLinkIssued',
  data: { member_id: memberId, link_hash: hash, expires_at: expiresAt },
});
const signedIn = (memberId: string, hash: string): MemberEvent => ({
  type: 'MemberSignedIn',
  data: { member_id: memberId, link_hash: hash },
});
const removed = (memberId: string): MemberEvent => ({
  type: 'MemberRemoved',
  data: { member_id: memberId },
});

type Caused = MemberEvent & { by?: { actor: string; linkIssuers?: readonly string[] } };
/** The event as this member caused it, in a session that goes back to links of these others. */
const causedBy = (memberId: string, event: MemberEvent, ...others: string[]): Caused => ({
  ...event,
  by: { actor: memberActor(memberId), linkIssuers: others.map(memberActor) },
});

const fold = (events: readonly Caused[], state: Members = noMembers): Members =>
  events.reduce(
    (folded, { by: caused, ...event }) => evolveMembers(folded, event, { ...at, ...caused }),
    state,
  );

const given = (...events: Caused[]) => {
  const state = fold(events);
  return {
    when: (decide: (state: Members) => MemberDecision) => ({
      gives: (...expected: MemberEvent[]) => expect(decide(state)).toEqual({ events: expected }),
      isRefused: (refusal: MemberRefusal) => expect(decide(state)).toEqual({ refusal }),
    }),
  };
};

const staff = [added('anna', 'admin'), added('vera', 'viewer')];

describe('adding a member', () => {
  const add = (by?: string) => (state: Members) =>
    addMember(state, {
      by,
      memberId: 'new',
      name: 'Name of new',
      role: 'viewer',
      link: link('h1'),
    });

  it('issues the first link', () => {
    given().when(add()).gives(added('new', 'viewer'), linked('new', 'h1'));
  });
  it('requires an operator or an admin of the shop (R21.2)', () => {
    given(...staff)
      .when(add('anna'))
      .gives(added('new', 'viewer'), linked('new', 'h1'));
    given(...staff)
      .when(add('vera'))
      .isRefused('forbidden');
    given(...staff)
      .when(add('unknown'))
      .isRefused('forbidden');
  });
  it('is refused to a removed member', () => {
    given(...staff, removed('anna'))
      .when(add('anna'))
      .isRefused('forbidden');
  });
  it('is limited by the number of current members', () => {
    const all = Array.from({ length: maxMembers }, (_, index) => added(`m${index}`, 'viewer'));
    given(...all)
      .when(add())
      .isRefused('too_many');
    given(...all, removed('m0'))
      .when(add())
      .gives(added('new', 'viewer'), linked('new', 'h1'));
  });
  it('is limited by the number of members ever added, so the stream is bounded', () => {
    const past = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        added(`m${index}`, 'viewer'),
        removed(`m${index}`),
      ]);
    given(...past(maxMembersEver).flat())
      .when(add())
      .isRefused('too_many');
    given(...past(maxMembersEver - 1).flat())
      .when(add())
      .gives(added('new', 'viewer'), linked('new', 'h1'));
  });
});

describe('sign-in link', () => {
  const sign =
    (linkHash: string, now = nowIso) =>
    (state: Members) =>
      signIn(state, { linkHash, nowIso: now });

  it('signs in its member once (R21.1)', () => {
    given(...staff, linked('vera', 'h1'))
      .when(sign('h1'))
      .gives(signedIn('vera', 'h1'));
    given(...staff, linked('vera', 'h1'), signedIn('vera', 'h1'))
      .when(sign('h1'))
      .isRefused('link_invalid');
  });
  it('is invalid once it expires, or if it is unknown (R21.1)', () => {
    given(...staff, linked('vera', 'h1'))
      .when(sign('h1', expiresAt))
      .isRefused('link_invalid');
    given(...staff, linked('vera', 'h1'))
      .when(sign('h2'))
      .isRefused('link_invalid');
  });
  it('replaces the previous one (R21.1)', () => {
    const both = [...staff, linked('vera', 'h1'), linked('vera', 'h2')];
    given(...both)
      .when(sign('h1'))
      .isRefused('link_invalid');
    given(...both)
      .when(sign('h2'))
      .gives(signedIn('vera', 'h2'));
  });
  it('is invalid for a removed member', () => {
    given(...staff, linked('vera', 'h1'), removed('vera'))
      .when(sign('h1'))
      .isRefused('link_invalid');
  });
  it('is issued by operators and admins, for current members', () => {
    const issue = (memberId: string, by?: string) => (state: Members) =>
      issueLink(state, { by, memberId, link: link('h3') });
    given(...staff)
      .when(issue('vera'))
      .gives(linked('vera', 'h3'));
    given(...staff)
      .when(issue('vera', 'anna'))
      .gives(linked('vera', 'h3'));
    given(...staff)
      .when(issue('anna', 'vera'))
      .isRefused('forbidden');
    given(...staff)
      .when(issue('unknown'))
      .isRefused('not_found');
    given(...staff, removed('vera'))
      .when(issue('vera'))
      .isRefused('not_found');
  });
  it('is limited per day, so the stream is bounded (R21.1)', () => {
    const many = Array.from({ length: linksInADay }, (_, index) => linked('vera', `h${index}`));
    const issue = (memberId: string, from?: string) => (state: Members) =>
      issueLink(state, { by: 'anna', memberId, link: link('new', from) });
    given(...staff, ...many)
      .when(issue('vera', '2026-01-31T11:59:59.999Z'))
      .isRefused('too_many_links');
    given(...staff, ...many)
      .when(issue('vera', '2026-01-31T12:00:00.000Z'))
      .gives(linked('vera', 'new'));
    given(...staff, ...many)
      .when(issue('anna'))
      .gives(linked('anna', 'new'));
    given(...staff, ...many.slice(1))
      .when(issue('vera'))
      .gives(linked('vera', 'new'));
  });
});

describe('sign-in link issued by another member', () => {
  const three = [...staff, added('ivan', 'admin')];
  const sign = (linkHash: string) => (state: Members) => signIn(state, { linkHash, nowIso });
  const openHashes = (events: Caused[], memberId: string) => {
    const state = fold(events);
    const member = memberInForce(state, memberId);
    return member ? signInsInForce(state, member).map(({ linkHash }) => linkHash) : [];
  };

  it('becomes invalid, with its sessions, when its issuer is removed (R21.3)', () => {
    const used = [...three, causedBy('anna', linked('ivan', 'h1')), signedIn('ivan', 'h1')];
    expect(openHashes(used, 'ivan')).toEqual(['h1']);
    expect(openHashes([...used, removed('anna')], 'ivan')).toEqual([]);
    given(...three, causedBy('anna', linked('vera', 'h1')), removed('anna'))
      .when(sign('h1'))
      .isRefused('link_invalid');
  });
  it('stays valid when another member is removed, as do links by an operator or oneself', () => {
    const used = [...three, causedBy('anna', linked('ivan', 'h1')), signedIn('ivan', 'h1')];
    expect(openHashes([...used, removed('vera')], 'ivan')).toEqual(['h1']);
    given(...three, linked('vera', 'h1'), removed('anna'))
      .when(sign('h1'))
      .gives(signedIn('vera', 'h1'));
    given(...three, causedBy('ivan', linked('ivan', 'h1')), removed('anna'))
      .when(sign('h1'))
      .gives(signedIn('ivan', 'h1'));
  });
  it('becomes invalid when any issuer in its chain of sessions is removed (R21.3)', () => {
    const chain = [
      ...three,
      causedBy('anna', linked('ivan', 'h1')),
      signedIn('ivan', 'h1'),
      causedBy('ivan', linked('ivan', 'h2'), 'anna'),
      signedIn('ivan', 'h2'),
      causedBy('ivan', linked('vera', 'h3'), 'anna'),
    ];
    given(...chain)
      .when(sign('h3'))
      .gives(signedIn('vera', 'h3'));
    given(...chain, removed('anna'))
      .when(sign('h3'))
      .isRefused('link_invalid');
    expect(openHashes([...chain, removed('anna')], 'ivan')).toEqual([]);
  });
  it('authorises no commands after its issuer is removed', () => {
    const command = { by: 'ivan', linkIssuers: [memberActor('anna')] };
    const issue = (state: Members) =>
      issueLink(state, { ...command, memberId: 'vera', link: link('h3') });
    given(...three)
      .when(issue)
      .gives(linked('vera', 'h3'));
    given(...three, removed('anna'))
      .when(issue)
      .isRefused('forbidden');
    given(...three, removed('anna'))
      .when((state) => removeMember(state, { ...command, memberId: 'vera' }))
      .isRefused('forbidden');
  });
  it('is shown to its member with the times of issue and use (R21.7)', () => {
    const events = [
      ...three,
      causedBy('ivan', linked('ivan', 'h0')),
      signedIn('ivan', 'h0'),
      causedBy('anna', linked('ivan', 'h1')),
      signedIn('ivan', 'h1'),
      linked('ivan', 'h2'),
    ];
    const member = fold(events).members.get('ivan');
    const since = '2026-01-31T11:00:00.000Z';
    const [issued, used] = [at.createdIso, at.createdIso];
    expect(member && linksByOthers(member, { since })).toEqual([
      { linkHash: 'h2', issuers: ['operator:alice'], issuedAt: issued, expiresAt },
      { linkHash: 'h1', issuers: ['member:anna'], issuedAt: issued, usedAt: used },
    ]);
    expect(member && linksByOthers(member, { since: at.createdIso })).toEqual([]);
  });
});

describe('removing a member', () => {
  const remove = (memberId: string, by?: string) => (state: Members) =>
    removeMember(state, { by, memberId });

  it('requires an operator or an admin, and happens once', () => {
    given(...staff)
      .when(remove('vera'))
      .gives(removed('vera'));
    given(...staff)
      .when(remove('vera', 'anna'))
      .gives(removed('vera'));
    given(...staff, removed('vera'))
      .when(remove('vera', 'anna'))
      .gives();
    given(...staff)
      .when(remove('anna', 'vera'))
      .isRefused('forbidden');
    given(...staff)
      .when(remove('unknown'))
      .isRefused('not_found');
  });
  it('is refused for oneself, so an admin remains (R21.2)', () => {
    given(...staff)
      .when(remove('anna', 'anna'))
      .isRefused('forbidden');
  });
});

describe('members', () => {
  it('have who added and removed them, and when', () => {
    const state = fold([...staff, linked('vera', 'h1'), signedIn('vera', 'h1')]);
    expect(state.revision).toBe(3);
    expect(memberInForce(state, 'vera')).toEqual({
      memberId: 'vera',
      name: 'Name of vera',
      role: 'viewer',
      addedAt: at.createdIso,
      addedBy: 'operator:alice',
      linksIssued: [at.createdIso],
      signIns: [
        {
          linkHash: 'h1',
          issuers: ['operator:alice'],
          issuedAt: at.createdIso,
          usedAt: at.createdIso,
        },
      ],
    });
    const after = evolveMembers(state, removed('vera'), { ...at, actor: memberActor('anna') });
    expect(memberInForce(after, 'vera')).toBeUndefined();
    expect(after.members.get('vera')).toMatchObject({ removedBy: 'member:anna', signIns: [] });
  });
  it('are folded in batches without mutating the previous state', () => {
    const before = fold(staff);
    const events = [linked('vera', 'h1'), removed('anna'), added('new', 'viewer')];
    const after = foldMembers(
      before,
      events.map((event) => ({ event, ...at })),
    );
    expect(after).toEqual(fold(events, before));
    expect(before).toEqual(fold(staff));
    expect(foldMembers(before, [])).toBe(before);
  });
  it('have their newest sign-ins, up to a limit', () => {
    const many = Array.from({ length: maxSignIns + 2 }, (_, index) =>
      signedIn('vera', `h${index}`),
    );
    const signIns = memberInForce(fold([...staff, ...many]), 'vera')?.signIns ?? [];
    expect(signIns.map(({ linkHash }) => linkHash)).toEqual(
      Array.from({ length: maxSignIns }, (_, index) => `h${index + 2}`),
    );
  });
});
