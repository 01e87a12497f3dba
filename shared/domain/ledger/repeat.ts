import type { LedgerCommand } from './commands.ts';
import { decideEntry } from './decide.ts';
import type { Entry } from './events.ts';
import { toMinor } from './minor.ts';
import { moved, noEntry } from './position.ts';

/**
 * Whether a command matches the entry with its key: the same amounts, the same reason of an
 * adjustment, the same decision and note of a resolution. If not, two different commands use one
 * key.
 */
export function isSameRequest(entry: Entry, command: LedgerCommand): boolean {
  if (
    command.kind === 'adjustment' &&
    entry.kind === 'adjustment' &&
    command.reason !== entry.reason
  )
    return false;
  if (command.kind === 'resolution' && entry.kind === 'resolution') {
    if (command.resolution !== entry.resolution || command.note !== entry.note) return false;
  }
  if (command.kind === 'suspense' || command.kind === 'resolution') {
    if ('leg_id' in entry && !isOfLeg(entry.of_leg_id, command.ofLegId)) return false;
  }
  // A release without an amount releases whatever was reserved.
  if (command.kind === 'release' && command.reserved === undefined) return true;
  const reserved =
    command.kind === 'capture' || command.kind === 'release' ? command.reserved : undefined;
  const again = decideEntry(
    {
      shopId: entry.shop_id,
      currency: entry.currency,
      // With enough reserved for any capture: only what the command moves is compared.
      position: { ...noEntry, reserved: reserved === undefined ? 0n : toMinor(reserved) },
      find: () => undefined,
    },
    command.kind === 'reserve' ? { ...command, overdraftLimit: undefined } : command,
  );
  return 'entry' in again && sameLegs(again.entry, entry);
}

/** An older entry may call the leg by its attempt, too, as in `2:id` (`versions.ts`). */
const isOfLeg = (posted: string | undefined, requested: string | undefined): boolean =>
  posted === requested || (requested !== undefined && posted?.replace(/^\d+:/, '') === requested);

const sameLegs = (left: Entry, right: Entry): boolean =>
  left.kind === right.kind &&
  left.legs.length === right.legs.length &&
  left.legs.every(({ account }) => moved(left, account) === moved(right, account));
