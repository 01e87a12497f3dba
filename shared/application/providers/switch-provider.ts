import type { Origin } from '#shared/application/commands/origin.ts';
import { switchProvider, type SwitchedOff } from '#shared/domain/provider/switch.ts';
import { commandProviders, type ProviderPorts } from './command-providers.ts';

type Switch = { provider: string; to: 'on' | 'off'; reason: string };

/** Takes a provider out of routing, or back in. @throws Problem as `commandProviders` */
export async function commandSwitch(
  ports: ProviderPorts,
  { origin, ...command }: Switch & { origin: Origin },
): Promise<SwitchedOff | undefined> {
  const done = await commandProviders(ports, origin, ({ off }) => switchProvider(off, command));
  return 'setup' in done ? done.setup.off.get(command.provider) : undefined;
}
