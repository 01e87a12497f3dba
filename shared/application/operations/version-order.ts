import { OutdatedEvent } from '#shared/domain/decode.ts';
import { isOutdatedBy, newestVersion, type WrittenVersion } from '#shared/domain/versions.ts';
import type { StreamFold } from '#shared/platform/event-store/index.ts';

/**
 * Folds a stream only while its versions do not go back. A program appends after it has folded the
 * whole stream, so an event in a version that is older than those programs which could do that was
 * written by none of them, although the rules of its version would accept it.
 */
export function inVersionOrder<State extends object, Event>(
  folding: StreamFold<State, Event>,
): StreamFold<State, Event> {
  const versions = new WeakMap<State, readonly WrittenVersion[]>();
  return {
    ...folding,
    /** @throws OutdatedEvent, or whatever the fold throws */
    evolve: (state, event, stored) => {
      const before = versions.get(state) ?? [];
      const written = { type: stored.type, version: stored.metadata.schema_version };
      refuseOutdated(written, before);
      const next = folding.evolve(state, event, stored);
      versions.set(next, withVersion(before, written));
      return next;
    },
  };
}

function refuseOutdated(written: WrittenVersion, before: readonly WrittenVersion[]): void {
  if (written.version >= newestVersion(written.type)) return;
  const newer = before.find((earlier) => isOutdatedBy(written, earlier));
  if (newer)
    throw new OutdatedEvent(
      `${written.type} of version ${written.version} follows ${newer.type} of version ${newer.version}: no program writes both`,
    );
}

const withVersion = (before: readonly WrittenVersion[], { type, version }: WrittenVersion) =>
  version === 1 || before.some((each) => each.type === type && each.version === version)
    ? before
    : [...before, { type, version }];
