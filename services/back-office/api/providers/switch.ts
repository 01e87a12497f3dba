import { z } from 'zod';
import type { Origin } from '#shared/application/commands/origin.ts';
import { switchProvider, type SwitchedOff } from '#shared/domain/provider/switch.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import { commandProviders } from './command.ts';

export const switchBody = z.strictObject({ reason: noteText });

type Switch = { provider: string; to: 'on' | 'off'; reason: string };

/** Takes a provider out of routing, or back in. @throws Problem as `commandProviders` */
export async function commandSwitch(
  dependencies: Pick<AdminDependencies, 'store' | 'directory'>,
  { origin, ...command }: Switch & { origin: Origin },
): Promise<SwitchedOff | undefined> {
  const done = await commandProviders(dependencies, origin, ({ off }) =>
    switchProvider(off, command),
  );
  return 'setup' in done ? done.setup.off.get(command.provider) : undefined;
}
