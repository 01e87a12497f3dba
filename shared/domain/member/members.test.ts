import { describe, expect, it } from 'vitest';
import {
  addMember,
  issueSignInLink,
  maxMembers,
  maxMembersEver,
  removeMember,
  signIn,
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
/** The event as caused by this member, in a session that derives from links of these others. */
const causedBy = (memberId: string, event: MemberEvent, ...others: string[]): Caused => ({
  ...event,
  by: { actor: memberActor(memberId), linkIssuers: others.map(memberActor) },
});

const fold = (events: readonly Caused[], state: Members = noMembers): Members =>
  events.reduce(
    (folded, { by: caused, ...event }) => evolveMembers(folded, event, { ...at, ...caused }),
    state,
  );

const gives = (...events: MemberEvent[]) => ({ events });
const refused = (refusal: MemberRefusal) => ({ refusal });
const invalidLink = refused('link_invalid');

const staff = [added('anna', 'admin'), added('vera', 'viewer')];

describe('adding a member', () => {
  const add = (state: Members, by?: string) =>
    addMember(state, {
      by,
      memberId: 'new',
      name: 'Name of new',
      role: 'viewer',
      link: link('h1'),
    });
  const isAdded = gives(added('new', 'viewer'), linked('new', 'h1'));

  it('issues the first link', () => {
    expect(add(noMembers)).toEqual(isAdded);
  });
  it('requires an operator or an admin of the shop (R21.2)', () => {
    expect(add(fold(staff), 'anna')).toEqual(isAdded);
    expect(add(fold(staff), 'vera')).toEqual(refused('forbidden'));
    expect(add(fold(staff), 'unknown')).toEqual(refused('forbidden'));
  });
  it('is refused to a removed member', () => {
    expect(add(fold([...staff, removed('anna')]), 'anna')).toEqual(refused('forbidden'));
  });
  it('is limited by the number of current members', () => {
    const all = Array.from({ length: maxMembers }, (_, index) => added(`m${index}`, 'viewer'));
    expect(add(fold(all))).toEqual(refused('too_many'));
    expect(add(fold([...all, removed('m0')]))).toEqual(isAdded);
  });
  it('is limited by the number of members ever added, so the stream is bounded', () => {
    const past = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        added(`m${index}`, 'viewer'),
        removed(`m${index}`),
      ]);
    expect(add(fold(past(maxMembersEver).flat()))).toEqual(refused('too_many'));
    expect(add(fold(past(maxMembersEver - 1).flat()))).toEqual(isAdded);
  });
});

describe('sign-in link', () => {
  const sign = (state: Members, linkHash: string, now = nowIso) =>
    signIn(state, { linkHash, nowIso: now });

  it('signs in its member once (R21.1)', () => {
    expect(sign(fold([...staff, linked('vera', 'h1')]), 'h1')).toEqual(
      gives(signedIn('vera', 'h1')),
    );
    expect(sign(fold([...staff, linked('vera', 'h1'), signedIn('vera', 'h1')]), 'h1')).toEqual(
      invalidLink,
    );
  });
  it('is invalid once it expires, or if it is unknown (R21.1)', () => {
    expect(sign(fold([...staff, linked('vera', 'h1')]), 'h1', expiresAt)).toEqual(invalidLink);
    expect(sign(fold([...staff, linked('vera', 'h1')]), 'h2')).toEqual(invalidLink);
  });
  it('replaces the previous one (R21.1)', () => {
    const both = [...staff, linked('vera', 'h1'), linked('vera', 'h2')];
    expect(sign(fold(both), 'h1')).toEqual(invalidLink);
    expect(sign(fold(both), 'h2')).toEqual(gives(signedIn('vera', 'h2')));
  });
  it('is invalid for a removed member', () => {
    expect(sign(fold([...staff, linked('vera', 'h1'), removed('vera')]), 'h1')).toEqual(
      invalidLink,
    );
  });
  it('is issued by operators and admins, for current members', () => {
    const issue = (state: Members, memberId: string, by?: string) =>
      issueSignInLink(state, { by, memberId, link: link('h3') });
    expect(issue(fold(staff), 'vera')).toEqual(gives(linked('vera', 'h3')));
    expect(issue(fold(staff), 'vera', 'anna')).toEqual(gives(linked('vera', 'h3')));
    expect(issue(fold(staff), 'anna', 'vera')).toEqual(refused('forbidden'));
    expect(issue(fold(staff), 'unknown')).toEqual(refused('not_found'));
    expect(issue(fold([...staff, removed('vera')]), 'vera')).toEqual(refused('not_found'));
  });
  it('is limited per day, so the stream is bounded (R21.1)', () => {
    const links = Array.from({ length: linksInADay }, (_, index) => linked('vera', `h${index}`));
    const many = fold([...staff, ...links]);
    const issue = (state: Members, memberId: string, from?: string) =>
      issueSignInLink(state, { by: 'anna', memberId, link: link('new', from) });
    expect(issue(many, 'vera', '2026-01-31T11:59:59.999Z')).toEqual(refused('too_many_links'));
    expect(issue(many, 'vera', '2026-01-31T12:00:00.000Z')).toEqual(gives(linked('vera', 'new')));
    expect(issue(many, 'anna')).toEqual(gives(linked('anna', 'new')));
    expect(issue(fold([...staff, ...links.slice(1)]), 'vera')).toEqual(
      gives(linked('vera', 'new')),
    );
  });
});

describe('sign-in link issued by another member', () => {
  const three = [...staff, added('ivan', 'admin')];
  const sign = (state: Members, linkHash: string) => signIn(state, { linkHash, nowIso });
  const openHashes = (events: Caused[], memberId: string) => {
    const state = fold(events);
    const member = memberInForce(state, memberId);
    return member ? signInsInForce(state, member).map(({ linkHash }) => linkHash) : [];
  };

  it('becomes invalid, with its sessions, when its issuer is removed (R21.3)', () => {
    const used = [...three, causedBy('anna', linked('ivan', 'h1')), signedIn('ivan', 'h1')];
    expect(openHashes(used, 'ivan')).toEqual(['h1']);
    expect(openHashes([...used, removed('anna')], 'ivan')).toEqual([]);
    expect(
      sign(fold([...three, causedBy('anna', linked('vera', 'h1')), removed('anna')]), 'h1'),
    ).toEqual(invalidLink);
  });
  it('stays valid when another member is removed, as do links by an operator or oneself', () => {
    const used = [...three, causedBy('anna', linked('ivan', 'h1')), signedIn('ivan', 'h1')];
    expect(openHashes([...used, removed('vera')], 'ivan')).toEqual(['h1']);
    expect(sign(fold([...three, linked('vera', 'h1'), removed('anna')]), 'h1')).toEqual(
      gives(signedIn('vera', 'h1')),
    );
    expect(
      sign(fold([...three, causedBy('ivan', linked('ivan', 'h1')), removed('anna')]), 'h1'),
    ).toEqual(gives(signedIn('ivan', 'h1')));
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
    expect(sign(fold(chain), 'h3')).toEqual(gives(signedIn('vera', 'h3')));
    expect(sign(fold([...chain, removed('anna')]), 'h3')).toEqual(invalidLink);
    expect(openHashes([...chain, removed('anna')], 'ivan')).toEqual([]);
  });
  it('authorises no commands after its issuer is removed', () => {
    const command = { by: 'ivan', linkIssuers: [memberActor('anna')] };
    const issue = (state: Members) =>
      issueSignInLink(state, { ...command, memberId: 'vera', link: link('h3') });
    expect(issue(fold(three))).toEqual(gives(linked('vera', 'h3')));
    expect(issue(fold([...three, removed('anna')]))).toEqual(refused('forbidden'));
    expect(
      removeMember(fold([...three, removed('anna')]), { ...command, memberId: 'vera' }),
    ).toEqual(refused('forbidden'));
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
  const remove = (state: Members, memberId: string, by?: string) =>
    removeMember(state, { by, memberId });

  it('requires an operator or an admin, and happens once', () => {
    expect(remove(fold(staff), 'vera')).toEqual(gives(removed('vera')));
    expect(remove(fold(staff), 'vera', 'anna')).toEqual(gives(removed('vera')));
    expect(remove(fold([...staff, removed('vera')]), 'vera', 'anna')).toEqual(gives());
    expect(remove(fold(staff), 'anna', 'vera')).toEqual(refused('forbidden'));
    expect(remove(fold(staff), 'unknown')).toEqual(refused('not_found'));
  });
  it('is refused for oneself, so an admin remains (R21.2)', () => {
    expect(remove(fold(staff), 'anna', 'anna')).toEqual(refused('forbidden'));
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
