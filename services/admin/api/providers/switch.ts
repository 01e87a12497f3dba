import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { directoryStream, setupLeaseMs } from '#shared/application/directory/stream.ts';
import { providerSetup } from '#shared/application/directory/provider-setup.ts';
import { handle } from '#shared/application/operations/handle.ts';
import type { Origin } from '#shared/application/operations/origin.ts';
import { switchProvider, type SwitchedOff } from '#shared/domain/provider/switch.ts';
import type { Dependencies } from '../../dependencies.ts';
import { fromStore } from '../../store.ts';
import { noteText } from '../body.ts';
import { notDecided } from '../setup/change.ts';

export const switchBody = z.strictObject({ reason: noteText });

type Switch = { provider: string; to: 'on' | 'off'; reason: string };

/**
 * Takes a provider out of routing, or back in, and answers once that is in force on every instance:
 * none uses what it knew longer than the lease. What is under way at the provider goes on.
 * @throws Problem not_ready when the log did not decide, and the command is to be repeated
 */
export async function commandSwitch(
  { store, directory }: Pick<Dependencies, 'store' | 'directory'>,
  { origin, ...command }: Switch & { origin: Origin },
): Promise<SwitchedOff | undefined> {
  const known = await fromStore(directory.providers('now'));
  const target = { store, stream: directoryStream, folding: providerSetup, known, origin };
  const result = await handle(target, ({ off }) => switchProvider(off, command));
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') throw new Error('a switch is never refused');
  await delay(setupLeaseMs);
  // Read back: the log's own time is what every later list shows.
  return (await fromStore(directory.providers('now'))).off.get(command.provider);
}
